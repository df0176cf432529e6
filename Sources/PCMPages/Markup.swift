/// HTML or SVG. Interpolated text is escaped, so text from outside never becomes markup.
///
/// Attributes are in double quotes. A value in an attribute and a value between tags are escaped alike.
package struct Markup: Hashable, Sendable, ExpressibleByStringInterpolation {
  /// The text to send.
  package let text: String

  package init(stringLiteral text: String) {
    self.text = text
  }

  package init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 32 * interpolationCount)
    }

    package mutating func appendLiteral(_ literal: String) { text += literal }

    /// Appends markup as it is.
    package mutating func appendInterpolation(_ markup: Markup) { text += markup.text }

    /// Appends lines of markup as they are.
    package mutating func appendInterpolation(_ lines: [Markup]) { text += lines.map(\.text).joined(separator: "\n") }

    /// Appends text, escaped.
    package mutating func appendInterpolation(_ text: String) { self.text += text.markupAttribute }

    package mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }
  }
}

extension Markup {
  package static let none: Markup = ""

  /// Text with code in backticks.
  package init(prose text: String) {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, part -> Markup in
      index % 2 == 0 ? "\(String(part))" : "<code>\(String(part))</code>"
    }
    self = parts.reduce("") { "\($0)\($1)" }
  }
}
