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

/// Text in XML and HTML. Markup is escaped, and characters that neither format allows are removed.
extension String {
  /// The text for use between tags. Tabs and line feeds remain. Other control characters and Unicode noncharacters are
  /// removed, because they make an XML document invalid.
  package var markupText: String { markup(isAttribute: false) }

  /// The text for use in double quotes. Tabs and line feeds are character references, because parsers would replace them by
  /// spaces.
  package var markupAttribute: String { markup(isAttribute: true) }

  private func markup(isAttribute: Bool) -> String {
    var text = ""
    text.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "\n": text += isAttribute ? "&#10;" : "\n"
      case "\t": text += isAttribute ? "&#9;" : "\t"
      case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{FFFE}"..."\u{FFFF}": break
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text with its first letter in upper case.
  var titled: String { prefix(1).uppercased() + dropFirst() }
}
