import PCMHTTP
import Testing

/// The exact text of the exposition format.
@Suite struct PrometheusTextTests {
  private static let labels = ["path", "code"]

  @Test func familiesAndSeriesAreSorted() {
    let counters = Counters("b_total", "Things.", labels: Self.labels, known: [["y", "1"]])
    counters.add("x", "2")
    counters.add([["x", "1"], ["x", "2"]])
    let gauge = MetricFamily("a", "A gauge.", .gauge, [MetricFamily.Sample([], 1.5)])
    #expect(
      PrometheusText.text(of: [counters.family, gauge]) == """
        # HELP a A gauge.
        # TYPE a gauge
        a 1.5
        # HELP b_total Things.
        # TYPE b_total counter
        b_total{path="x",code="1"} 1
        b_total{path="x",code="2"} 2
        b_total{path="y",code="1"} 0

        """)
  }

  @Test func quotesBackslashesAndLineBreaksAreEscaped() {
    let sample = MetricFamily.Sample([MetricFamily.Label("path", "a\"b\\c\nd")], 1)
    #expect(
      PrometheusText.text(of: [MetricFamily("a", "\"Quoted\" \\ and\nbroken.", .gauge, [sample])]) == #"""
        # HELP a "Quoted" \\ and\nbroken.
        # TYPE a gauge
        a{path="a\"b\\c\nd"} 1

        """#)
  }

  @Test func aBucketCountsAllValuesUpToItsBound() {
    let histogram = Histograms("t", "Time.", labels: Self.labels, bounds: [0.25, 1])
    for milliseconds in [1, 250, 251, 1_000, 5_000] {
      histogram.record(.milliseconds(milliseconds), "x", "1")
    }
    #expect(
      PrometheusText.text(of: [histogram.family]) == """
        # HELP t Time.
        # TYPE t histogram
        t_bucket{path="x",code="1",le="0.25"} 2
        t_bucket{path="x",code="1",le="1"} 4
        t_bucket{path="x",code="1",le="+Inf"} 5
        t_sum{path="x",code="1"} 6.502
        t_count{path="x",code="1"} 5

        """)
  }
}
