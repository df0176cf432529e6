import PCMCore

/// The text of an XML property list as UTF-8 without a byte order mark and an XML declaration.
///
/// Foundation uses the encoding in the declaration. Checking the structure in one encoding and decoding in another would
/// check a different document, so Foundation receives UTF-8 without a declaration.
struct XMLText {
  let bytes: [UInt8]
  /// The text of the file before `bytes`, which counts for the places of problems.
  let omitted: [UInt8]

  init(_ bytes: [UInt8]) throws(ManifestError) {
    if let kind = FileKind(bytes: bytes) { throw .otherFile(kind) }
    guard let text = Self.decoded(bytes) else { throw .notAPropertyList(.encoding) }
    let trimmed = text.bytes.drop { Self.isSpace($0) }
    guard let first = trimmed.first else { throw .notAPropertyList(.empty) }
    // XML does not allow NUL. UTF-16 without a byte order mark contains many.
    guard !trimmed.contains(0) else { throw .notAPropertyList(.utf16WithoutMark) }
    let start = text.bytes[..<trimmed.startIndex]
    guard first == UInt8(ascii: "<"), !trimmed.starts(with: "<<<<<<<".utf8) else { throw Self.error(in: trimmed, after: start) }
    self.bytes = try Self.withoutDeclaration(trimmed, encodings: text.encodings)
    omitted = Array(start) + trimmed.dropLast(self.bytes.count)
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// Returns the text in UTF-8, and the names of its encoding in a declaration; nil for invalid text.
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

  /// Returns the error for a text that does not begin with `<`.
  private static func error(in text: ArraySlice<UInt8>, after omitted: ArraySlice<UInt8>) -> ManifestError {
    switch text.first {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if text.first == UInt8(ascii: "["), let kind = FileKind(text: text) { return .otherFile(kind) }
      // The first separator distinguishes `{"a": 1}` from `{ a = 1; }`.
      let separator = text.first { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }
      return .notAPropertyList(separator == UInt8(ascii: "=") ? .oldStyleText : .json)
    case UInt8(ascii: "("): return .notAPropertyList(.oldStyleText)
    default:
      if let kind = FileKind(text: text) { return .otherFile(kind) }
      if text.starts(with: "// !$*UTF8*$!".utf8) { return .notAPropertyList(.oldStyleText) }
      guard let cause = XMLProblem.Cause(strayText: text) else { return .notAPropertyList(.otherContent) }
      let place = TextPlace(of: omitted.count, in: omitted + text)
      return .malformedXML(XMLProblem(line: place.line, column: place.column, cause))
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

extension XMLProblem.Cause {
  /// The known cause of text outside of elements; nil for another cause.
  init?(strayText text: ArraySlice<UInt8>) {
    let line = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }.prefix(200), as: UTF8.self)
    if let match = line.prefixMatch(
      of: /#\s*(?:ifdef|ifndef|if|elif|else|endif|define|undef|include|import|pragma|error|warning)\b/)
    {
      self = .directive(String(match.output).filter { !$0.isWhitespace })
    } else if line.prefixMatch(of: /#\s*[0-9]+ "/) != nil {
      self = .directive("#")
    } else if line.prefixMatch(of: /<{7}|={7}$|>{7}/) != nil {
      self = .mergeConflict
    } else {
      return nil
    }
  }
}
