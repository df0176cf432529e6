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
}
