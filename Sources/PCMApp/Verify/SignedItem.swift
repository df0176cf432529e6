import PCMCore

/// The bytes of a postback or an impression, with the name of its place.
struct SignedItem: Hashable, Sendable {
  /// The file, with the line for one item of several.
  let name: String
  let bytes: [UInt8]
}

/// The items in a file.
enum SignedItems {
  /// Divides the bytes of a file into items: each line of JSON lines is one, and any other file is one as a whole.
  ///
  /// - Returns: The items, and whether they are lines.
  static func items(of bytes: [UInt8], file: String) -> (items: [SignedItem], areLines: Bool) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated().filter {
      !$0.element.allSatisfy(isSpace)
    }
    guard lines.count > 1, let first = lines.first?.element, isItem(Array(first)), !isWrapped(bytes) else {
      return ([SignedItem(name: file, bytes: bytes)], false)
    }
    return (lines.map { SignedItem(name: "\(file):\($0.offset + 1)", bytes: Array($0.element)) }, true)
  }

  /// Whether a line is an item by itself: JSON, or a text without white space and quotation marks, as a JSON Web Signature.
  private static func isItem(_ line: [UInt8]) -> Bool {
    let text = line.drop(while: isSpace)
    guard text.first != UInt8(ascii: "{") else { return JSON.isValid(line) }
    return text.contains(UInt8(ascii: ".")) && !text.contains(UInt8(ascii: "\""))
  }

  /// Whether the lines are parts of one JSON Web Signature, which has two periods.
  private static func isWrapped(_ bytes: [UInt8]) -> Bool {
    !bytes.contains(UInt8(ascii: "{")) && bytes.count { $0 == UInt8(ascii: ".") } < 4
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
}
