/// The text that SKAdNetwork signs: values in a fixed order, separated by U+2063, INVISIBLE SEPARATOR.
package struct SignedText: Hashable, Sendable {
  package let values: [String]

  package init(_ values: [String]) {
    self.values = values
  }

  static let separator: Unicode.Scalar = "\u{2063}"

  package var text: String { values.joined(separator: String(Character(Self.separator))) }

  package var bytes: [UInt8] { Array(text.utf8) }

  /// The text with `|` instead of the invisible separator.
  package var visible: String { values.joined(separator: "|") }
}
