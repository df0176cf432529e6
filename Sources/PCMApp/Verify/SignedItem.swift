import PCMCore

/// The bytes of an item, such as a postback, with its place.
struct SignedItem: Hashable, Sendable {
  let file: String
  /// The line of one item of several.
  var line: Int?
  let bytes: [UInt8]

  /// The file, with the line for one item of several.
  var name: String { line.map { "\(file):\($0)" } ?? file }
}

/// The items in a file.
enum SignedItems {
  /// Divides the bytes of a file into items: JSON values one after another, each line of JSON lines, or the file as a whole.
  ///
  /// - Returns: The items, and whether they are several.
  static func items(of bytes: [UInt8], file: String) -> (items: [SignedItem], areSeveral: Bool) {
    guard let pieces = values(in: bytes) ?? lines(of: bytes) else {
      return ([SignedItem(file: file, bytes: bytes)], false)
    }
    var lines = SplitLines()
    let items = pieces.compactMap { lines.join(SignedItem(file: file, line: $0.line, bytes: Array($0.bytes))) }
    return (items + lines.rest(), true)
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
      let isJSON = isStart(bytes[position])
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

  /// Lines that are items by themselves.
  private static func lines(of bytes: [UInt8]) -> [Piece]? {
    let lines = bytes.split(separator: newline, omittingEmptySubsequences: false).enumerated().filter {
      !$0.element.allSatisfy(isSpace)
    }
    return lines.count > 1 && areItems(lines.map(\.element)) ? lines.map { ($0.offset + 1, $0.element) } : nil
  }

  /// Returns whether the beginning of a large file has items on its lines.
  static func areLines(_ beginning: [UInt8]) -> Bool {
    areItems(beginning.split(separator: newline).dropLast().filter { !$0.allSatisfy(isSpace) })
  }

  /// Returns whether lines are items by themselves: the first one is JSON or a JSON Web Signature, or two lines of a log end with an
  /// object.
  private static func areItems(_ lines: [ArraySlice<UInt8>]) -> Bool {
    guard let first = lines.first?.drop(while: isSpace), let byte = first.first else { return false }
    // Some logs have a time in brackets.
    let isArray = byte == UInt8(ascii: "[") && (first.count == 1 || isStart(first[first.startIndex + 1]))
    if byte == UInt8(ascii: "{") || isArray { return JSON.isValid(Array(first)) }
    return isSignature(first) || lines.lazy.prefix(1_000).filter(endsWithObject).prefix(2).count == 2
  }

  /// Returns whether a line has an object, after words that are no name of a member.
  private static func endsWithObject(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.first(where: { !isSpace($0) }) != UInt8(ascii: "\"") else { return false }
    return line.firstIndex(of: UInt8(ascii: "{")).map { JSON.isValid(Array(line[$0...])) } ?? false
  }

  /// The byte with which an object or an array starts.
  static func isStart(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

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

  static let newline = UInt8(ascii: "\n")

  /// White space between the tokens of JSON, and the control character of JSON text sequences (RFC 7464).
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A || byte == 0x1E
  }

  /// The text between items.
  private static func isSeparator(_ byte: UInt8) -> Bool { ",;-=*".utf8.contains(byte) }
}
