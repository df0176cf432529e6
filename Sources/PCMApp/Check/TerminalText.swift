/// Text for a terminal: in lines of a width, and without what would steer the terminal.
enum TerminalText {
  /// The columns that a report fills at most.
  static let width = 100

  /// Breaks text at its line feeds and spaces, and a word that is too long anywhere.
  ///
  /// - Parameters:
  ///   - indent: the columns that each line begins with.
  ///   - limit: how many lines there are at most; what is left out is marked by an ellipsis.
  static func lines(_ text: String, indent: Int, limit: Int = .max) -> [String] {
    let width = max(20, width - indent)
    let lines = text.visible.split(separator: "\n", omittingEmptySubsequences: false).flatMap { wrapped($0, width) }
    let shown = lines.count > limit ? lines.prefix(limit) + ["…"] : lines[...]
    return shown.map { String(repeating: " ", count: indent) + $0 }
  }

  private static func wrapped(_ text: Substring, _ width: Int) -> [String] {
    var lines: [String] = []
    var rest = text
    while rest.count > width {
      let start = rest.firstIndex { $0 != " " } ?? rest.startIndex
      // One more than fits: the space itself may be the first character that does not.
      let space = rest.prefix(width + 1).lastIndex(of: " ").flatMap { $0 > start ? $0 : nil }
      let end = space ?? rest.index(rest.startIndex, offsetBy: width)
      lines.append(String(rest[..<end]))
      rest = rest[end...].drop { $0 == " " }
    }
    return rest.isEmpty && !lines.isEmpty ? lines : lines + [String(rest)]
  }
}

/// Colours, for terminals that want them.
struct TerminalStyle {
  let isColoured: Bool

  func red(_ text: String) -> String { coloured(text, "1;31") }
  func yellow(_ text: String) -> String { coloured(text, "33") }
  func green(_ text: String) -> String { coloured(text, "32") }
  func dim(_ text: String) -> String { coloured(text, "2") }
  func bold(_ text: String) -> String { coloured(text, "1") }

  private func coloured(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

extension String {
  func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
