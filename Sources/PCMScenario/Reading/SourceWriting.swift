import PCMCore

/// Writes a value on one line, as JSON or as YAML with as few quotes as possible.
struct SourceWriting {
  let isJSON: Bool

  func text(_ value: JSON) -> String {
    switch value {
    case .null, .bool, .number, .verbatim: return value.text
    case .string(let text): return word(text)
    case .array(let items): return "[" + items.map(text).joined(separator: ", ") + "]"
    case .object(let members):
      guard !members.isEmpty else { return "{}" }
      let inside = members.map { "\(name($0.name)): \(text($0.value))" }.joined(separator: ", ")
      return isJSON ? "{\(inside)}" : "{ \(inside) }"
    }
  }

  /// YAML parsers search a name's colon within 1,024 characters, unless an indicator marks the name.
  private func name(_ name: String) -> String {
    let word = word(name)
    return word.utf8.count > 1_000 ? "? " + word : word
  }

  private func word(_ text: String) -> String {
    !isJSON && isPlain(text) ? text : quoted(text)
  }

  /// Whether the string begins with a letter and has no other meaning in any YAML parser.
  private func isPlain(_ text: String) -> Bool {
    let reserved: Set<String> = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]
    guard let first = text.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic else { return false }
    return !reserved.contains(text.lowercased())
      && text.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_./".unicodeScalars.contains($0))
      }
  }

  /// Escapes characters that a file must not contain, and characters that look like an alias.
  private func quoted(_ text: String) -> String {
    JSON.string(text).text.unicodeScalars.reduce(into: "") { quoted, scalar in
      switch scalar.value {
      case 0x2A, 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: quoted += "\\u" + hexadecimal(scalar)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
  }
}
