/// One metric with all its series, as exported in a scrape.
package struct MetricFamily: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case counter, gauge, histogram
  }

  package let name: String
  package let help: String
  package let kind: Kind
  package let samples: [Sample]

  package init(_ name: String, _ help: String, _ kind: Kind, _ samples: [Sample]) {
    self.name = name
    self.help = help
    self.kind = kind
    self.samples = samples
  }

  /// One sample.
  package struct Sample: Hashable, Sendable {
    /// The suffix of the metric's name: `_bucket`, `_sum`, or `_count` of a histogram.
    package let suffix: String
    package let labels: [Label]
    package let value: Double

    package init(suffix: String = "", _ labels: [Label] = [], _ value: Double) {
      self.suffix = suffix
      self.labels = labels
      self.value = value
    }
  }

  package struct Label: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }
}

extension MetricFamily {
  static func labels(_ names: [String], _ values: [String]) -> [Label] { zip(names, values).map { Label($0, $1) } }
}

/// The Prometheus exposition format 0.0.4.
package enum PrometheusText {
  package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  /// Returns the text with the families ordered by name. Equal states have equal texts.
  package static func text(of families: [MetricFamily]) -> String {
    var text = ""
    for family in families.sorted(by: { $0.name < $1.name }) {
      text += "# HELP \(family.name) \(escaped(family.help, quotes: false))\n"
      text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
      for sample in family.samples {
        text += "\(family.name)\(sample.suffix)\(labels(sample.labels)) \(number(sample.value))\n"
      }
    }
    return text
  }

  private static func labels(_ labels: [MetricFamily.Label]) -> String {
    guard !labels.isEmpty else { return "" }
    return "{" + labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",") + "}"
  }

  /// Escapes a text. Quotation marks are escaped in label values, but not in help texts.
  private static func escaped(_ text: String, quotes: Bool) -> String {
    let plain = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    return quotes ? plain.replacing("\"", with: "\\\"") : plain
  }

  /// Formats integers without a decimal point, as far as a double represents them exactly.
  static func number(_ value: Double) -> String {
    if value == .infinity { return "+Inf" }
    return Int64(exactly: value).flatMap { $0.magnitude < 1 << 53 ? String($0) : nil } ?? "\(value)"
  }
}
