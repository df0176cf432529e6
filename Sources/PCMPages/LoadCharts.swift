/// The charts of a load test: its parts in their order, and the distribution of all latencies.
package struct LoadCharts {
  /// A part of the run.
  package struct Part {
    /// The start of the part, such as `10 s`.
    let start: String
    /// In microseconds.
    let median: Int64
    /// The latency that 99 % of the messages did not exceed, in microseconds.
    let slow: Int64
    let accepted: Int64
    let failed: Int64

    package init(start: String, median: Int64, slow: Int64, accepted: Int64, failed: Int64) {
      (self.start, self.median, self.slow) = (start, median, slow)
      (self.accepted, self.failed) = (accepted, failed)
    }
  }

  private let parts: [Part]
  private let distribution: [(name: String, count: Int64)]

  /// - Parameter distribution: The numbers of messages by ranges of their latencies.
  package init(parts: [Part], distribution: [(name: String, count: Int64)]) {
    (self.parts, self.distribution) = (parts, distribution)
  }

  package var markup: Markup {
    let starts = parts.map(\.start)
    let charts = [
      Chart(
        title: "Slow responses over time",
        note: "The latency that 99 % of the requests did not exceed, by their planned instants.",
        heading: "From", categories: starts, series: [Chart.Series(title: "p99", tone: .plan, values: parts.map(\.slow))],
        unit: .microseconds),
      Chart(
        title: "Medians over time", note: "The latency that half of the requests did not exceed.", heading: "From",
        categories: starts, series: [Chart.Series(title: "p50", tone: .info, values: parts.map(\.median))], unit: .microseconds),
      Chart(
        title: "Results over time", note: "The requests by their planned instants.", heading: "From", categories: starts,
        series: [
          Chart.Series(title: "Accepted", tone: .good, values: parts.map(\.accepted)),
          Chart.Series(title: "Failed", tone: .bad, values: parts.map(\.failed)),
        ]),
      Chart(
        title: "Distribution of latencies", note: "The requests by their latencies from the planned instants.",
        heading: "Up to",
        categories: distribution.map(\.name),
        series: [Chart.Series(title: "Requests", tone: .info, values: distribution.map(\.count))]),
    ]
    return BrowserCharts.markup(charts, width: Self.width)
  }

  /// The width of a report in pixels.
  static let width = 1_000
}
