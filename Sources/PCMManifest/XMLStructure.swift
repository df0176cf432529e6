/// A single pass over the markup of an XML property list, which checks nesting, balance, and entities, but not values.
///
/// Foundation's scanner is less strict than XML, so the check must never find fewer open elements than that scanner. Text
/// that the two could parse differently (a `>` in an attribute, a comment that begins with `>`) is rejected.
struct XMLStructure {
  private let bytes: [UInt8]
  private let depthLimit: Int
  private var position = 0
  /// The names of the open elements, outermost first.
  private var open: [ArraySlice<UInt8>] = []
  private var hasRoot = false
  /// The keys of the outermost dictionary in order, including duplicates.
  private(set) var keys: [String] = []
  /// The text so far of a key; nil outside of a key.
  private var key: [UInt8]?
  /// Where a key or a string begins with `$null`.
  private var nulls: [Int] = []

  init(_ bytes: [UInt8], depthLimit: Int) {
    self.bytes = bytes
    self.depthLimit = depthLimit
  }

  mutating func check() throws(ManifestError) {
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "<") { try markup() } else { try text() }
    }
    guard hasRoot, open.isEmpty else { throw .notAPropertyList(.truncated) }
  }

  /// The same property list with a reference for the first character of each `$null` at the beginning of a key or a string,
  /// where Foundation's decoder expects nothing after it.
  var withEscapedNull: [UInt8] {
    var (escaped, end): ([UInt8], Int) = ([], 0)
    for null in nulls {
      escaped += bytes[end..<null] + Array("&#36;".utf8)
      end = null + 1
    }
    return escaped + bytes[end...]
  }

  private mutating func text() throws(ManifestError) {
    let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
    let text = bytes[position..<end]
    guard !open.isEmpty || text.allSatisfy(XMLText.isSpace) else { throw .notAPropertyList(.malformed) }
    var rest = text
    while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
      guard let semicolon = rest[ampersand...].firstIndex(of: UInt8(ascii: ";")) else {
        throw .notAPropertyList(end == bytes.count ? .truncated : .malformed)
      }
      let scalar = try reference(String(decoding: rest[(ampersand + 1)..<semicolon], as: UTF8.self))
      key? += rest[..<ampersand] + Array(String(scalar).utf8)
      rest = rest[(semicolon + 1)...]
    }
    key? += rest
    position = end
  }

  private static let entities: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

  private func reference(_ name: String) throws(ManifestError) -> Unicode.Scalar {
    guard name.hasPrefix("#") else {
      guard let scalar = Self.entities[name] else { throw .entitiesNotAllowed }
      return scalar
    }
    let isHexadecimal = name.hasPrefix("#x")
    let number = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
    guard let number, number > 0, let scalar = Unicode.Scalar(number) else { throw .notAPropertyList(.malformed) }
    return scalar
  }

  private mutating func markup() throws(ManifestError) {
    if skip("<!--") {
      let content = bytes[position...]
      guard !content.starts(with: ">".utf8), !content.starts(with: "->".utf8) else { throw .notAPropertyList(.malformed) }
      _ = try through("-->")
    } else if skip("<![CDATA[") {
      guard !open.isEmpty else { throw .notAPropertyList(.malformed) }
      let content = try through("]]>")
      key? += content
    } else if skip("<?") {
      guard !bytes[position...].starts(with: "xml".utf8) else { throw .notAPropertyList(.malformed) }
      let content = try through("?>")
      guard !content.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }) else {
        throw .notAPropertyList(.malformed)
      }
    } else if skip("<!") {
      try declaration()
    } else if skip("</") {
      try close(try tag())
    } else {
      position += 1
      try element(try tag())
    }
  }

  /// Accepts the DOCTYPE of property lists. Rejects one with declarations.
  private mutating func declaration() throws(ManifestError) {
    let rest = bytes[position...]
    guard rest.starts(with: "DOCTYPE".utf8) else {
      let isDeclaration = ["ENTITY", "ELEMENT", "ATTLIST", "NOTATION"].contains { rest.starts(with: $0.utf8) }
      if isDeclaration { throw .entitiesNotAllowed }
      // HTML pages may write the word in lowercase.
      if rest.prefix(7).lowercased == "doctype" { throw .notAPropertyList(.html) }
      throw .notAPropertyList(rest.count < 7 ? .truncated : .malformed)
    }
    let end = rest.firstIndex(of: UInt8(ascii: ">")) ?? bytes.count
    guard !rest[..<end].contains(UInt8(ascii: "[")) else { throw .entitiesNotAllowed }
    let content = try tag()
    let name = content.dropFirst(7).drop(while: XMLText.isSpace).prefix { !XMLText.isSpace($0) }
    guard name.lowercased != "html" else { throw .notAPropertyList(.html) }
    guard !hasRoot else { throw .notAPropertyList(.malformed) }
  }

  private mutating func element(_ tag: ArraySlice<UInt8>) throws(ManifestError) {
    let isEmpty = tag.last == UInt8(ascii: "/")
    let name = (isEmpty ? tag.dropLast() : tag).prefix { !XMLText.isSpace($0) }
    if open.isEmpty {
      guard !hasRoot else { throw .notAPropertyList(.malformed) }
      hasRoot = true
      guard name.elementsEqual("plist".utf8) else { throw .notAPropertyList(name.lowercased == "html" ? .html : .otherXML) }
    } else if open.count == 1, !name.elementsEqual("dict".utf8) {
      throw .notADictionary
    }
    let isKey = name.elementsEqual("key".utf8)
    if isEmpty {
      if isKey, open.count == 2 { keys.append("") }
      return
    }
    open.append(name)
    if isKey { key = [] }
    let hasText = isKey || name.elementsEqual("string".utf8)
    if hasText, bytes[position...].starts(with: PropertyListValue.null.utf8) { nulls.append(position) }
    // The element plist is not a level.
    guard open.count <= depthLimit + 1 else { throw .tooDeep(limit: depthLimit) }
  }

  private mutating func close(_ tag: ArraySlice<UInt8>) throws(ManifestError) {
    guard let name = open.popLast(), name.elementsEqual(tag.prefix { !XMLText.isSpace($0) }) else {
      throw .notAPropertyList(.malformed)
    }
    guard name.elementsEqual("key".utf8), let text = key else { return }
    key = nil
    guard !text.elementsEqual(PropertyListValue.null.utf8) else { throw .notAPropertyList(.containsNullKey) }
    if open.count == 2 { keys.append(String(decoding: text, as: UTF8.self)) }
  }

  /// Returns the text before the next `>`, which quoted text must not contain.
  private mutating func tag() throws(ManifestError) -> ArraySlice<UInt8> {
    let content = try through(">")
    let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")].map { quote in content.count { $0 == quote } }
    guard !content.contains(UInt8(ascii: "<")), quotes.allSatisfy({ $0.isMultiple(of: 2) }) else {
      throw .notAPropertyList(.malformed)
    }
    return content
  }

  private mutating func skip(_ prefix: String) -> Bool {
    guard bytes[position...].starts(with: prefix.utf8) else { return false }
    position += prefix.utf8.count
    return true
  }

  /// Returns the text before the mark, and continues after it.
  private mutating func through(_ mark: String) throws(ManifestError) -> ArraySlice<UInt8> {
    let start = position
    let (last, length) = (mark.utf8.last, mark.utf8.count)
    while position < bytes.count {
      position += 1
      guard bytes[position - 1] == last, position - start >= length else { continue }
      if bytes[(position - length)..<position].elementsEqual(mark.utf8) { return bytes[start..<(position - length)] }
    }
    throw .notAPropertyList(.truncated)
  }
}

extension ArraySlice<UInt8> {
  fileprivate var lowercased: String { String(decoding: self, as: UTF8.self).lowercased() }
}
