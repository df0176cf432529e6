/// Text as it may stand in XML and in HTML: what would be markup is escaped, and what neither lets in is left out.
extension String {
  /// Between tags. Tabs and line feeds stay; other control characters and what Unicode calls no characters go, because a
  /// single one of them makes an XML document unreadable.
  package var markupText: String { markup(isAttribute: false) }

  /// Between double quotes. Tabs and line feeds are written as references, or a reader would take them for spaces.
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
