import NIOConcurrencyHelpers

/// Counters, one for each combination of label values, in the order of the labels' names. The values come from fixed lists and never
/// from callers (such as names, hosts, or paths), so that the number of counters is bounded and a scrape contains nothing private.
///
/// A short lock protects them. An increment costs a hash and an addition.
package final class Counters: Sendable {
  private let name: String
  private let help: String
  private let labels: [String]
  private let counts: NIOLockedValueBox<[[String]: Int]>

  /// - Parameters:
  ///   - labels: The names of the labels.
  ///   - known: The counters to export from the start, so that the first occurrence is an increase from 0.
  package init(_ name: String, _ help: String, labels: [String], known: [[String]] = []) {
    (self.name, self.help, self.labels) = (name, help, labels)
    counts = NIOLockedValueBox(Dictionary(known.map { ($0, 0) }) { first, _ in first })
  }

  package func add(_ values: String...) { add([values]) }

  package func add(_ many: [[String]]) {
    counts.withLockedValue { counts in
      for values in many { counts[values, default: 0] += 1 }
    }
  }

  package var family: MetricFamily {
    let samples = counts.withLockedValue { $0 }.inLabelOrder.map { values, count in
      MetricFamily.Sample(MetricFamily.labels(labels, values), Double(count))
    }
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

/// Histograms of durations with fixed buckets, with labels as in ``Counters``.
package final class Histograms: Sendable {
  private struct Series {
    /// The count of each bucket. The last bucket is above all bounds.
    var counts: [Int]
    var sum = 0.0

    mutating func add(_ seconds: Double, in bucket: Int) {
      counts[bucket] += 1
      sum += seconds
    }
  }

  private let name: String
  private let help: String
  private let labels: [String]
  /// The upper bounds in seconds, ascending.
  private let bounds: [Double]
  private let series: NIOLockedValueBox<[[String]: Series]>

  package init(_ name: String, _ help: String, labels: [String], bounds: [Double], known: [[String]] = []) {
    (self.name, self.help, self.labels, self.bounds) = (name, help, labels, bounds)
    let empty = Series(counts: Array(repeating: 0, count: bounds.count + 1))
    series = NIOLockedValueBox(Dictionary(known.map { ($0, empty) }) { first, _ in first })
  }

  package func record(_ duration: Duration, _ values: String...) {
    let seconds = duration.seconds
    // A value that equals a bound belongs to the bucket below it.
    let bucket = bounds.firstIndex { seconds <= $0 } ?? bounds.count
    series.withLockedValue { series in
      series[values, default: Series(counts: Array(repeating: 0, count: bounds.count + 1))].add(seconds, in: bucket)
    }
  }

  package var family: MetricFamily {
    let ordered = series.withLockedValue { $0 }.inLabelOrder
    return MetricFamily(name, help, .histogram, ordered.flatMap { samples(MetricFamily.labels(labels, $0.key), $0.value) })
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

extension Dictionary where Key == [String] {
  /// The entries ordered by label values, so that two scrapes of the same state are identical.
  fileprivate var inLabelOrder: [(key: Key, value: Value)] { sorted { $0.key.lexicographicallyPrecedes($1.key) } }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
