/// The text of an XML property list as UTF-8 without byte order mark and XML declaration.
///
/// Foundation obeys the declaration's encoding. If the structure were checked in one encoding and read in another, the
/// check would have looked at a different document; so there is one encoding and no declaration when Foundation reads.
struct XMLText {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) throws(ManifestError) {
    guard let text = Self.decoded(bytes) else { throw .notAPropertyList(.encoding) }
    let trimmed = text.bytes.drop { Self.isSpace($0) }
    guard let first = trimmed.first else { throw .notAPropertyList(.empty) }
    guard first == UInt8(ascii: "<") else { throw .notAPropertyList(Self.kind(of: trimmed)) }
    // XML knows no NUL. Text in UTF-16 without a mark has many.
    guard !trimmed.contains(0) else { throw .notAPropertyList(.encoding) }
    self.bytes = try Self.withoutDeclaration(trimmed, encodings: text.encodings)
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// In UTF-8, with the names that a declaration may give to the encoding. Nil when it is not valid.
  private static func decoded(_ bytes: [UInt8]) -> (bytes: ArraySlice<UInt8>, encodings: Set<String>)? {
    let isBigEndian = bytes.starts(with: [0xFE, 0xFF])
    if isBigEndian || bytes.starts(with: [0xFF, 0xFE]) {
      guard bytes.count.isMultiple(of: 2) else { return nil }
      let units = stride(from: 2, to: bytes.count, by: 2).map { index in
        let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
        return isBigEndian ? first << 8 | second : second << 8 | first
      }
      return String(validating: units, as: UTF16.self).map { (Array($0.utf8)[...], ["utf-16"]) }
    }
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    return (bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0), ["utf-8", "utf8", "us-ascii"])
  }

  /// What a text is that does not begin with `<`.
  private static func kind(of text: ArraySlice<UInt8>) -> ManifestError.Flaw {
    switch text.first {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      // The first separator tells `{"a": 1}` from `{ a = 1; }`.
      text.first { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") } == UInt8(ascii: "=") ? .oldStyleText : .json
    case UInt8(ascii: "("): .oldStyleText
    default: .otherContent
    }
  }

  private static func withoutDeclaration(
    _ text: ArraySlice<UInt8>, encodings: Set<String>
  ) throws(ManifestError) -> [UInt8] {
    guard text.starts(with: "<?xml".utf8), text.dropFirst(5).first.map(isSpace) ?? true else { return Array(text) }
    guard let end = text.firstIndex(of: UInt8(ascii: ">")) else { throw .notAPropertyList(.truncated) }
    let declaration = String(decoding: text[..<end], as: UTF8.self)
    if let match = declaration.firstMatch(of: /encoding\s*=\s*["']([^"']*)["']/) {
      guard encodings.contains(match.output.1.lowercased()) else { throw .notAPropertyList(.encoding) }
    }
    return Array(text[(end + 1)...])
  }
}
