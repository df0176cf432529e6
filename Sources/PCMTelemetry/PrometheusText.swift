/// The text that Prometheus scrapes: exposition format 0.0.4.
package enum PrometheusText {
  package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  /// Families in the order of their names; the same state is the same text.
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

  /// A help text keeps its quotation marks, a label's value may not.
  private static func escaped(_ text: String, quotes: Bool) -> String {
    let plain = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    return quotes ? plain.replacing("\"", with: "\\\"") : plain
  }

  /// Whole numbers without a point, up to where a double has them all.
  static func number(_ value: Double) -> String {
    if value == .infinity { return "+Inf" }
    return Int64(exactly: value).flatMap { $0.magnitude < 1 << 53 ? String($0) : nil } ?? "\(value)"
  }
}
