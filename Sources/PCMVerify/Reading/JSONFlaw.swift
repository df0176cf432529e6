internal import PCMCore
internal import PCMCrypto

/// A syntax error in JSON, with the missing or unexpected part.
package struct JSONFlaw: Hashable, Sendable {
  /// The line and the column, starting at 1, in Unicode scalars.
  let line: Int
  let column: Int
  let detail: String

  package var text: String { "line \(line), column \(column): \(detail)" }

  /// Returns the first syntax error of a text; nil for valid JSON.
  package static func first(in bytes: [UInt8]) -> JSONFlaw? {
    var scan = JSONFlawScan(bytes)
    return scan.flaw().map { JSONFlaw(at: min(max($0.offset, 0), bytes.count), in: bytes, $0.detail) }
  }

  /// The maximum number of reported errors.
  private static let limit = 8

  /// Returns the syntax errors of a text, and the corrected text; nil if it has no errors or could not be corrected. The search
  /// ends at an error that cannot be corrected.
  static func all(in bytes: [UInt8]) -> (flaws: [JSONFlaw], repaired: [UInt8]?) {
    var (flaws, text, edits): ([JSONFlaw], [UInt8], [(offset: Int, change: Int)]) = ([], bytes, [])
    while flaws.count < limit {
      var scan = JSONFlawScan(text)
      guard let found = scan.flaw() else { return (flaws, flaws.isEmpty ? nil : text) }
      // The offset in the original text.
      let offset = edits.reversed().reduce(found.offset) { $1.offset < $0 ? $0 - $1.change : $0 }
      flaws.append(JSONFlaw(at: min(max(offset, 0), bytes.count), in: bytes, found.detail))
      guard let edit = found.edit else { break }
      text.replaceSubrange(edit.range, with: edit.text)
      edits.append((edit.range.lowerBound, edit.text.count - edit.range.count))
    }
    return (flaws, nil)
  }

  private init(at offset: Int, in bytes: [UInt8], _ detail: String) {
    let before = bytes[..<offset]
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    line = 1 + before.count { $0 == 0x0A }
    // Continuation bytes of a scalar and a byte order mark do not count.
    let mark = start == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) && offset > 2 ? 1 : 0
    column = 1 + before[start...].count { $0 & 0xC0 != 0x80 } - mark
    self.detail = detail
  }
}

/// The search for the first syntax error of a text.
struct JSONFlawScan {
  struct Finding {
    let offset: Int
    let detail: String
    var edit: (range: Range<Int>, text: [UInt8])?
  }

  private enum Expected {
    case value
    case firstValue
    case name
    case firstName
    case colon
    case separator
  }

  private let bytes: [UInt8]
  private var position = 0
  /// The closing characters of the open arrays and objects.
  private var closers: [UInt8] = []
  private var expected = Expected.value
  /// The end of the last token.
  private var lastEnd = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  mutating func flaw() -> Finding? {
    while true {
      while position < bytes.count, bytes[position].isJSONWhiteSpace { position += 1 }
      guard position < bytes.count else { return end() }
      if let finding = token(bytes[position]) { return finding }
      lastEnd = position
    }
  }

  /// The missing part at the end of the text.
  private func end() -> Finding? {
    if expected == .separator, closers.isEmpty { return nil }
    let missing = String(decoding: closers.reversed(), as: UTF8.self)
    switch expected {
    case .separator, .firstName, .firstValue:
      return Finding(
        offset: bytes.count, detail: "it ends too early; \(missing) is missing.",
        edit: (bytes.count..<bytes.count, closers.reversed()))
    case .colon: return Finding(offset: bytes.count, detail: "it ends too early; a colon and a value are missing.")
    case .value, .name:
      return Finding(offset: bytes.count, detail: "it ends too early; a \(expected == .name ? "name" : "value") is missing.")
    }
  }

  private mutating func token(_ byte: UInt8) -> Finding? {
    switch byte {
    case UInt8(ascii: "}"), UInt8(ascii: "]"): return close(byte)
    case UInt8(ascii: ","): return comma()
    case UInt8(ascii: ":"):
      guard expected == .colon else { return unexpected("a colon does not belong here.") }
      (expected, position) = (.value, position + 1)
      return nil
    case _ where expected == .colon:
      return Finding(
        offset: position, detail: "a colon is missing after the name.", edit: (lastEnd..<lastEnd, [UInt8(ascii: ":")]))
    case _ where expected == .separator: return missingSeparator(byte)
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "{"), UInt8(ascii: "["): return open(byte)
    default: return word(byte)
    }
  }

  private mutating func open(_ byte: UInt8) -> Finding? {
    guard expected != .name, expected != .firstName else { return unexpected("a name in quotation marks is missing here.") }
    let isObject = byte == UInt8(ascii: "{")
    closers.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    (expected, position) = (isObject ? .firstName : .firstValue, position + 1)
    return nil
  }

  private mutating func close(_ byte: UInt8) -> Finding? {
    let sign = Unicode.Scalar(byte)
    guard let closer = closers.last else { return unexpected("\(sign) closes nothing.") }
    switch expected {
    case .value where isAfterColon: return unexpected("a value is missing before \(sign).")
    case .name, .value:
      let comma = lastEnd - 1
      return Finding(offset: comma, detail: "the comma before \(sign) is one too many.", edit: (comma..<lastEnd, []))
    case .colon: return unexpected("a colon and a value are missing before \(sign).")
    case .firstName, .firstValue, .separator: break
    }
    guard closer == byte else {
      let missing = Unicode.Scalar(closer)
      return Finding(
        offset: position, detail: "\(missing) is missing before \(sign).", edit: (position..<position, [closer]))
    }
    closers.removeLast()
    (expected, position) = (.separator, position + 1)
    return nil
  }

  /// Whether the last token is the colon after a member's name.
  private var isAfterColon: Bool { lastEnd > 0 && bytes[lastEnd - 1] == UInt8(ascii: ":") }

  private mutating func comma() -> Finding? {
    guard expected == .separator, let closer = closers.last else {
      let detail =
        expected == .separator
        ? "text follows after the end of the JSON." : "this comma is one too many, or a value is missing."
      return Finding(offset: position, detail: detail, edit: isAfterColon ? nil : (position..<position + 1, []))
    }
    (expected, position) = (closer == UInt8(ascii: "}") ? .name : .value, position + 1)
    return nil
  }

  private func missingSeparator(_ byte: UInt8) -> Finding {
    guard closers.isEmpty else {
      if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "#") { return unexpected("JSON has no comments.") }
      let line = 1 + bytes[..<lastEnd].count { $0 == 0x0A }
      let isSameLine = !bytes[lastEnd..<position].contains(0x0A)
      let place = isSameLine ? "before this" : "before this, at the end of line \(line)"
      return Finding(
        offset: position, detail: "a comma is missing \(place).", edit: (lastEnd..<lastEnd, [UInt8(ascii: ",")]))
    }
    return Finding(offset: position, detail: "text follows after the end of the JSON.", edit: (position..<bytes.count, []))
  }

  private mutating func string() -> Finding? {
    let start = position
    position += 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\""), bytes[position] != 0x0A {
      if bytes[position] < 0x20 {
        return unexpected("a control character is in a string; write it as \\u00\(Hexadecimal.text([bytes[position]])).")
      }
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
      return unclosed(start)
    }
    position += 1
    let text = bytes[start..<position]
    guard JSON.isValid(Array(text)) else {
      let shown = String(decoding: text, as: UTF8.self).asShown(upTo: 40)
      return Finding(offset: start, detail: "the string \(shown) has an escape that JSON does not have, or is not UTF-8.")
    }
    expected = expected == .name || expected == .firstName ? .colon : .separator
    return nil
  }

  /// A string without a closing quotation mark. In a name, it belongs before the colon.
  private func unclosed(_ start: Int) -> Finding {
    let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
    let isName = expected == .name || expected == .firstName
    let line = bytes[start..<end]
    if isName, let colon = line.firstIndex(of: UInt8(ascii: ":")) {
      let name = String(decoding: bytes[start..<colon], as: UTF8.self).asShown(upTo: 40)
      return Finding(
        offset: start, detail: "a quotation mark is missing after \(name).", edit: (colon..<colon, [UInt8(ascii: "\"")]))
    }
    let text = String(decoding: line, as: UTF8.self).asShown(upTo: 40)
    let early = end == bytes.count ? "it ends too early; " : ""
    return Finding(offset: start, detail: early + "the string \(text) has no quotation mark at its end.")
  }

  private mutating func word(_ byte: UInt8) -> Finding? {
    let start = position
    let end =
      bytes[start...].firstIndex { $0.isJSONWhiteSpace || ",:]}[{\"".utf8.contains($0) } ?? bytes.count
    let text = String(decoding: bytes[start..<end], as: UTF8.self)
    let shown = text.asShown(upTo: 40)
    if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "#") { return unexpected("JSON has no comments.") }
    if byte == UInt8(ascii: "'") || text.hasPrefix("“") || text.hasPrefix("„") || text.hasPrefix("`") {
      return unexpected("\(shown.prefix(1)) is not a quotation mark of JSON; write \".")
    }
    if expected == .name || expected == .firstName { return unexpected("the name \(shown) needs quotation marks.") }
    if JSON.isValid(Array(bytes[start..<end])) {
      (expected, position) = (.separator, end)
      return nil
    }
    let literals = [
      "true": "true", "false": "false", "none": "null", "null": "null", "nil": "null", "nan": "null", "undefined": "null",
    ]
    if let literal = literals[text.lowercased()] {
      return Finding(
        offset: start, detail: "\(shown) is not a word of JSON; write \(literal).", edit: (start..<end, Array(literal.utf8)))
    }
    let isNumber =
      byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      || Unicode.Scalar(byte).properties.numericType != nil
    return unexpected(
      isNumber
        ? "\(shown) is not a number of JSON." : "\(shown.isEmpty ? "this" : shown) needs quotation marks, or is not JSON.")
  }

  private func unexpected(_ detail: String) -> Finding { Finding(offset: position, detail: detail) }
}
