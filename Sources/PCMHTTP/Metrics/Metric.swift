import NIOConcurrencyHelpers

/// A counter or a gauge: a value for each combination of label values, in the order of the labels' names. The label values come from
/// fixed lists and never from callers (such as names, hosts, or paths), so that their number is bounded and a scrape contains nothing
/// private.
///
/// A lock protects the values. It is held for one lookup in a dictionary.
package final class Metric: Sendable {
  enum Kind: String {
    case counter, gauge
  }

  private let name: String
  private let help: String
  private let kind: Kind
  private let labels: [String]
  private let values: NIOLockedValueBox<[[String]: Double]>

  /// - Parameters:
  ///   - labels: The names of the labels.
  ///   - values: The values to export from the start, so that the first occurrence is an increase from 0.
  init(_ name: String, _ help: String, _ kind: Kind = .counter, labels: [String] = [], values: [[String]: Double] = [:]) {
    (self.name, self.help, self.kind, self.labels) = (name, help, kind, labels)
    self.values = NIOLockedValueBox(values)
  }

  /// Adds to one value, and returns the sum.
  @discardableResult
  func add(_ amount: Double = 1, _ labels: [String] = []) -> Double {
    values.withLockedValue { values in
      values[labels, default: 0] += amount
      return values[labels, default: 0]
    }
  }

  /// The metric in the Prometheus exposition format 0.0.4. Equal states have equal texts.
  var text: String {
    let samples = values.withLockedValue { $0 }.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, value in
      let pairs = zip(labels, key).map { "\($0)=\"\($1)\"" }.joined(separator: ",")
      return "\(name)\(pairs.isEmpty ? "" : "{\(pairs)}") \(Int64(exactly: value).map(String.init) ?? "\(value)")\n"
    }
    return "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n" + samples.joined()
  }
}

/// The number of durations, and their sum in seconds.
struct LatencyMetric: Sendable {
  let count: Metric
  let sum: Metric

  init(_ name: String, _ help: String, labels: [String], values: [[String]: Double] = [:]) {
    count = Metric("\(name)_count", "Number: \(help)", labels: labels, values: values)
    sum = Metric("\(name)_sum", "Seconds: \(help)", labels: labels, values: values)
  }

  func record(_ duration: Duration, _ labels: [String]) {
    count.add(1, labels)
    sum.add(Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18, labels)
  }
}
