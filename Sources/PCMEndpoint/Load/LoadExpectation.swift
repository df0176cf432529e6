/// A condition on the result of a load test: `p99<500ms`, `errors<0.1%`, or `rate>=190`.
package struct LoadExpectation: Hashable, Sendable {
  /// The condition as given.
  package let text: String
  private let metric: Metric
  private let comparison: String
  /// In the unit of the metric.
  private let bound: Double

  fileprivate enum Metric: Hashable {
    /// In microseconds.
    case percentile(Double)
    case mean
    case maximum
    /// In percent of the planned messages.
    case errors
    /// In messages a second.
    case rate
  }

  /// An error in the form of a condition, with the expected form.
  package struct FormError: Error, Hashable, Sendable {
    package let expected: String
  }

  private static let metrics: [String: Metric] = ["mean": .mean, "max": .maximum, "errors": .errors, "rate": .rate]

  package init(_ text: String) throws(FormError) {
    self.text = text
    let written = text.filter { $0 != " " }
    let name = written.prefix { !"<>=".contains($0) }
    let sign = written.dropFirst(name.count).prefix { "<>=".contains($0) }
    guard ["<", "<=", ">", ">="].contains(sign) else {
      throw FormError(expected: "a comparison with <, <=, >, or >=, as in p99<500ms")
    }
    if let known = Self.metrics[name.lowercased()] {
      metric = known
    } else if name.lowercased().hasPrefix("p"), let percent = Double(name.dropFirst()), percent > 0, percent <= 100 {
      metric = .percentile(percent)
    } else {
      throw FormError(expected: "a percentile such as p99 or p99.9, mean, max, errors, or rate before the comparison")
    }
    comparison = String(sign)
    let value = written.dropFirst(name.count + sign.count)
    guard let bound = metric.value(value.lowercased()) else { throw FormError(expected: metric.form) }
    self.bound = bound
  }

  /// The measured value, and whether the condition holds.
  package func result(_ measurements: LoadMeasurements) -> (holds: Bool, actual: String) {
    let value: Double
    switch metric {
    case .percentile(let percent): value = Double(measurements.latencies.percentile(percent))
    case .mean: value = Double(measurements.latencies.mean)
    case .maximum: value = Double(measurements.latencies.maximum)
    case .errors: value = measurements.errorShare * 100
    case .rate: value = measurements.reachedRate
    }
    let holds =
      switch comparison {
      case "<": value < bound
      case "<=": value <= bound
      case ">": value > bound
      default: value >= bound
      }
    return (holds, metric.text(value))
  }

  /// Whether the condition is on latencies, which a late sender increases.
  package var isAboutLatency: Bool { metric != .errors && metric != .rate }
}

extension LoadExpectation.Metric {
  private static let units: [(name: String, microseconds: Double)] = [("us", 1), ("µs", 1), ("ms", 1_000), ("s", 1_000_000)]

  fileprivate var form: String {
    switch self {
    case .percentile, .mean, .maximum: "a time with its unit, as in 500ms, 1.5s, or 900us"
    case .errors: "a share in percent, as in errors<0.1%"
    case .rate: "a number of messages a second, as in rate>190"
    }
  }

  fileprivate func value(_ text: String) -> Double? {
    let digits = text.prefix { $0.isNumber || $0 == "." }
    guard let number = Double(digits), number.isFinite else { return nil }
    let unit = String(text.dropFirst(digits.count))
    switch self {
    case .percentile, .mean, .maximum: return Self.units.first { $0.name == unit }.map { number * $0.microseconds }
    case .errors: return unit == "%" ? number : nil
    case .rate: return unit.isEmpty || unit == "/s" ? number : nil
    }
  }

  fileprivate func text(_ value: Double) -> String {
    switch self {
    case .percentile, .mean, .maximum: LoadMeasurements.text(microseconds: Int64(value))
    case .errors: LoadMeasurements.percentage(value)
    case .rate: "\(LoadMeasurements.decimal(value, 1))/s"
    }
  }
}
