package import PCMCore

/// The text that SKAdNetwork signs: values in a fixed order, separated by U+2063, INVISIBLE SEPARATOR.
package struct SignedText: Hashable, Sendable {
  package let values: [String]

  package init(_ values: [String]) {
    self.values = values
  }

  /// U+2063, INVISIBLE SEPARATOR.
  package static let separator: Unicode.Scalar = "\u{2063}"

  package var text: String { values.joined(separator: String(Character(Self.separator))) }

  package var bytes: [UInt8] { Array(text.utf8) }

  /// The text with `|` instead of the invisible separator.
  package var visible: String { values.joined(separator: "|") }
}

extension JSON {
  /// The value's form in a signed text; nil unless it is a string, a number, or a Boolean.
  package var signedText: String? {
    switch self {
    case .string(let text): text
    case .number, .bool: self.text
    case .null, .verbatim, .array, .object: nil
    }
  }
}

/// The serialization of slashes.
package enum SlashForm: Sendable {
  /// Slashes are written as `\/`, as in Apple's serializer.
  case escaped
  case plain
}

extension JSON {
  /// Returns the serialized bytes. In JSON, slashes occur only in strings.
  package func bytes(_ slashes: SlashForm) -> [UInt8] {
    guard slashes == .escaped else { return bytes }
    var escaped: [UInt8] = []
    for byte in bytes {
      if byte == UInt8(ascii: "/") { escaped.append(UInt8(ascii: "\\")) }
      escaped.append(byte)
    }
    return escaped
  }
}
