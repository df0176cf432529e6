import PCMCore

/// The bytes of a postback or an impression, with the name of its place.
struct SignedItem: Hashable, Sendable {
  /// The file, with the line for one item of several.
  let name: String
  let bytes: [UInt8]
}

/// The items in a file.
enum SignedItems {
  /// Divides the bytes of a file into items: JSON values one after another, each line of JSON lines, or the file as a whole.
  ///
  /// - Returns: The items, and whether they are several.
  static func items(of bytes: [UInt8], file: String) -> (items: [SignedItem], areSeveral: Bool) {
    guard let pieces = values(in: bytes) ?? lines(of: bytes) else {
      return ([SignedItem(name: file, bytes: bytes)], false)
    }
    return (pieces.map { SignedItem(name: "\(file):\($0.line)", bytes: Array($0.bytes)) }, true)
  }

  private typealias Piece = (line: Int, bytes: ArraySlice<UInt8>)

  /// JSON values one after another, each on one line or several, and JSON Web Signatures between them on lines; nil if the bytes
  /// have anything else, or one value.
  private static func values(in bytes: [UInt8]) -> [Piece]? {
    var (pieces, position, line) = ([Piece](), 0, 1)
    while position < bytes.count {
      if isSpace(bytes[position]) || isSeparator(bytes[position]) {
        line += bytes[position] == newline ? 1 : 0
        position += 1
        continue
      }
      let isJSON = bytes[position] == UInt8(ascii: "{") || bytes[position] == UInt8(ascii: "[")
      let end = isJSON ? endOfValue(bytes, from: position) : bytes[position...].firstIndex(of: newline) ?? bytes.count
      guard let end, isJSON ? JSON.isValid(Array(bytes[position..<end])) : isSignature(bytes[position..<end]) else {
        return nil
      }
      pieces.append((line, bytes[position..<end]))
      line += bytes[position..<end].count { $0 == newline }
      position = end
    }
    return pieces.count > 1 ? pieces : nil
  }

  /// Lines that are items by themselves, if the first one is.
  private static func lines(of bytes: [UInt8]) -> [Piece]? {
    let lines = bytes.split(separator: newline, omittingEmptySubsequences: false).enumerated().filter {
      !$0.element.allSatisfy(isSpace)
    }
    guard lines.count > 1, let first = lines.first?.element.drop(while: isSpace) else { return nil }
    guard first.first == UInt8(ascii: "{") ? JSON.isValid(Array(first)) : isSignature(first) else { return nil }
    return lines.map { ($0.offset + 1, $0.element) }
  }

  /// Returns the end of an object or an array; nil if it has none.
  private static func endOfValue(_ bytes: [UInt8], from start: Int) -> Int? {
    var (depth, isText, index) = (0, false, start)
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\\") where isText: index += 1
      case UInt8(ascii: "\""): isText.toggle()
      case UInt8(ascii: "{") where !isText, UInt8(ascii: "[") where !isText: depth += 1
      case UInt8(ascii: "}") where !isText, UInt8(ascii: "]") where !isText:
        depth -= 1
        if depth == 0 { return index + 1 }
      default: break
      }
      index += 1
    }
    return nil
  }

  /// Whether a line is a JSON Web Signature, also after a word and after a name with an equals sign. It has two periods.
  private static func isSignature(_ line: ArraySlice<UInt8>) -> Bool {
    let text = line.drop(while: isSpace)
    guard text.count(where: { $0 == UInt8(ascii: ".") }) > 1, !text.contains(UInt8(ascii: "\"")),
      !text.contains(UInt8(ascii: ":"))
    else { return false }
    let words = text.split(whereSeparator: isSpace)
    return words.count < 3 && words.last?.count(where: { $0 == UInt8(ascii: ".") }) == 2
  }

  private static let newline = UInt8(ascii: "\n")

  /// White space between the tokens of JSON, and the control character of JSON text sequences (RFC 7464).
  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A || byte == 0x1E
  }

  /// The text between items.
  private static func isSeparator(_ byte: UInt8) -> Bool { ",;-=*".utf8.contains(byte) }
}
