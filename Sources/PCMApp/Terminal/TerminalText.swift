/// Text for a terminal, wrapped to a width and without control characters.
enum TerminalText {
  /// The maximum number of columns of a report.
  static let width = 100

  /// Wraps text at its line feeds and spaces, and long words anywhere.
  ///
  /// - Parameters:
  ///   - indent: The number of spaces at the start of each line.
  ///   - limit: The maximum number of lines; an ellipsis marks an omission.
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
      // One character more than fits, because the space itself may be the first that does not.
      let space = rest.prefix(width + 1).lastIndex(of: " ").flatMap { $0 > start ? $0 : nil }
      let end = space ?? rest.index(rest.startIndex, offsetBy: width)
      lines.append(String(rest[..<end]))
      rest = rest[end...].drop { $0 == " " }
    }
    return rest.isEmpty && !lines.isEmpty ? lines : lines + [String(rest)]
  }
}

/// Colors, for terminals that support them.
struct TerminalStyle {
  let isColored: Bool

  static let plain = TerminalStyle(isColored: false)

  func red(_ text: String) -> String { colored(text, "1;31") }
  func yellow(_ text: String) -> String { colored(text, "33") }
  func green(_ text: String) -> String { colored(text, "32") }
  func dim(_ text: String) -> String { colored(text, "2") }
  func bold(_ text: String) -> String { colored(text, "1") }

  private func colored(_ text: String, _ code: String) -> String {
    isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

extension String {
  func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension StringProtocol {
  /// Untrusted text for display: control characters, bidirectional controls, and invisible characters are shown by number.
  /// Line breaks are kept.
  var visible: String {
    split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(\.visibleLine).joined(separator: "\n")
  }

  private var visibleLine: String {
    var visible = ""
    for scalar in unicodeScalars {
      if scalar == "\t" {
        visible += "  "
      } else if scalar.isSteering {
        visible += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        visible.unicodeScalars.append(scalar)
      }
    }
    return visible
  }
}

extension String {
  /// Equivalent JSON for a terminal, with control characters escaped that JSON allows in strings.
  var withoutSteering: String {
    guard unicodeScalars.contains(where: \.isSteering) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isSteering {
        for unit in String(scalar).utf16 { text += "\\u" + String(UInt32(unit) + 0x10000, radix: 16).dropFirst() }
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether the character controls a terminal or the reading direction, or is invisible.
  fileprivate var isSteering: Bool {
    guard value < 0x20 || value > 0x7E else { return false }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
    default: false
    }
  }
}

/// A number with its noun, in the singular for 1: `1 request`, `60 requests`.
func counted(_ number: Int, _ noun: String) -> String {
  "\(number) \(noun)\(number == 1 ? "" : "s")"
}

extension String {
  /// The text without a final period, for use inside another sentence.
  var asClause: String { hasSuffix(".") && !hasSuffix("..") ? String(dropLast()) : self }
}
