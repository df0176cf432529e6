import NIOConcurrencyHelpers

/// Counters, one for each combination of labels.
///
/// A short lock protects them. An increment costs a hash and an addition, and formats no text.
package final class Counters<Labels: MetricLabels>: Sendable {
  private let name: String
  private let help: String
  private let counts: NIOLockedValueBox<[Labels: Int]>

  /// - Parameter known: The series to export from the start, so that the first occurrence is an increase from 0.
  package init(_ name: String, _ help: String, known: [Labels] = []) {
    self.name = name
    self.help = help
    counts = NIOLockedValueBox(Dictionary(known.map { ($0, 0) }) { first, _ in first })
  }

  package func add(_ labels: Labels) {
    counts.withLockedValue { $0[labels, default: 0] += 1 }
  }

  package func add(_ many: some Sequence<Labels> & Sendable) {
    counts.withLockedValue { counts in
      for labels in many { counts[labels, default: 0] += 1 }
    }
  }

  package var family: MetricFamily {
    let samples = counts.withLockedValue { $0 }.inLabelOrder.map { MetricFamily.Sample($0.key.labels, Double($0.value)) }
    return MetricFamily(name, help, .counter, samples)
  }
}

/// A gauge.
package final class Gauge: Sendable {
  private let name: String
  private let help: String
  private let value = NIOLockedValueBox(0)

  init(_ name: String, _ help: String) {
    self.name = name
    self.help = help
  }

  /// Returns the new value.
  @discardableResult
  package func increment() -> Int {
    value.withLockedValue { value in
      value += 1
      return value
    }
  }

  package func decrement() { add(-1) }

  package func add(_ amount: Int) {
    value.withLockedValue { $0 += amount }
  }

  package var current: Int { value.withLockedValue { $0 } }

  var family: MetricFamily {
    MetricFamily(name, help, .gauge, [MetricFamily.Sample([], Double(value.withLockedValue { $0 }))])
  }
}

/// Histograms of durations with fixed buckets, one for each combination of labels.
package final class Histograms<Labels: MetricLabels>: Sendable {
  private struct Series {
    /// The count of each bucket. The last bucket is above all bounds.
    var counts: [Int]
    var sum = 0.0
  }

  private let name: String
  private let help: String
  /// The upper bounds in seconds, ascending.
  private let bounds: [Double]
  private let series: NIOLockedValueBox<[Labels: Series]>

  package init(_ name: String, _ help: String, bounds: [Double], known: [Labels] = []) {
    self.name = name
    self.help = help
    self.bounds = bounds
    let empty = Series(counts: Array(repeating: 0, count: bounds.count + 1))
    series = NIOLockedValueBox(Dictionary(known.map { ($0, empty) }) { first, _ in first })
  }

  package func record(_ labels: Labels, _ duration: Duration) {
    let seconds = duration.seconds
    // A value that equals a bound belongs to the bucket below it.
    let bucket = bounds.firstIndex { seconds <= $0 } ?? bounds.count
    series.withLockedValue { series in
      series[labels, default: Series(counts: Array(repeating: 0, count: bounds.count + 1))].counts[bucket] += 1
      series[labels]?.sum += seconds
    }
  }

  package var family: MetricFamily {
    MetricFamily(
      name, help, .histogram, series.withLockedValue { $0 }.inLabelOrder.flatMap { samples($0.key.labels, $0.value) })
  }

  /// The cumulative buckets: each includes the smaller ones.
  private func samples(_ labels: [MetricFamily.Label], _ series: Series) -> [MetricFamily.Sample] {
    var total = 0
    var samples = zip(bounds + [.infinity], series.counts).map { bound, count in
      total += count
      let bucket = labels + [MetricFamily.Label("le", PrometheusText.number(bound))]
      return MetricFamily.Sample(suffix: "_bucket", bucket, Double(total))
    }
    samples.append(MetricFamily.Sample(suffix: "_sum", labels, series.sum))
    samples.append(MetricFamily.Sample(suffix: "_count", labels, Double(total)))
    return samples
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
