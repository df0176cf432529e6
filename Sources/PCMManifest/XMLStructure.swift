import PCMCore

/// A single pass over the markup of an XML property list, which checks nesting, balance, and entities, but not values.
///
/// Foundation's scanner is less strict than XML, so the check must never find fewer open elements than that scanner. Text
/// that the two could parse differently (a `>` in an attribute, a comment that begins with `>`) is rejected.
struct XMLStructure {
  private let bytes: [UInt8]
  /// The text of the file before `bytes`.
  private let omitted: [UInt8]
  private let depthLimit: Int
  private var position = 0
  /// The open elements, outermost first.
  private var open: [Element] = []
  private var hasRoot = false
  /// The keys of the outermost dictionary in order, including duplicates.
  private(set) var keys: [String] = []
  /// The text so far of an element that contains text; nil outside of one.
  private var content: [UInt8]?
  /// Where a key or a string begins with `$null`.
  private var nulls: [Int] = []

  private struct Element {
    let name: String
    /// The position of its tag.
    let start: Int
    /// The key of a dictionary whose value follows.
    var key: String?
  }

  init(_ text: XMLText, depthLimit: Int) {
    bytes = text.bytes
    omitted = text.omitted
    self.depthLimit = depthLimit
  }

  mutating func check() throws(ManifestError) {
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "<") { try markup() } else { try text() }
    }
    guard let last = open.last else {
      guard hasRoot else { throw problem(.endOfFile(inside: "the text before <plist>"), at: bytes.count) }
      return
    }
    throw cut(last) ?? problem(.endOfFile(inside: "<\(last.name)>, which begins in line \(line(of: last))"), at: bytes.count)
  }

  private func problem(_ cause: XMLProblem.Cause, at position: Int) -> ManifestError {
    let place = TextPlace(of: omitted.count + position, in: omitted + bytes)
    return .malformedXML(XMLProblem(line: place.line, column: place.column, cause))
  }

  private func line(of element: Element) -> Int { TextPlace(of: omitted.count + element.start, in: omitted + bytes).line }

  /// Returns the error for an element whose text ends after the scheme of a URL, as a preprocessor leaves it.
  private func cut(_ element: Element) -> ManifestError? {
    guard Self.textElements.contains(element.name), let content else { return nil }
    let text = content.reversed().drop(while: XMLText.isSpace).reversed()
    let scheme = ["http", "https"].first { String(decoding: text.suffix(6), as: UTF8.self).hasSuffix("\($0):") }
    guard let scheme, let end = bytes[element.start...].firstRange(of: "\(scheme):".utf8)?.upperBound else { return nil }
    return problem(.cutAtSlashes(scheme: scheme), at: end)
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
    if content == nil, let start = text.firstIndex(where: { !XMLText.isSpace($0) }) {
      throw stray(bytes[start...], isAfterEnd: open.isEmpty && hasRoot)
    }
    var rest = text
    while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
      let name = rest[(ampersand + 1)...].prefix { $0 != UInt8(ascii: ";") && !XMLText.isSpace($0) && $0 != UInt8(ascii: "&") }
      guard name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: ";"), !name.isEmpty else {
        throw problem(.ampersand, at: ampersand)
      }
      let scalar = try reference(String(decoding: name, as: UTF8.self), at: ampersand)
      content? += rest[..<ampersand] + Array(String(scalar).utf8)
      rest = rest[(name.endIndex + 1)...]
    }
    content? += rest
    position = end
  }

  /// Returns the error for text where only elements can be.
  private func stray(_ text: ArraySlice<UInt8>, isAfterEnd: Bool) -> ManifestError {
    if let cause = XMLProblem.Cause(strayText: text) { return problem(cause, at: text.startIndex) }
    let line = text.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "<") }
    let shown = String(decoding: line.prefix(200), as: UTF8.self).asShown(upTo: 40)
    return problem(isAfterEnd ? .contentAfterEnd : .text(shown), at: text.startIndex)
  }

  private static let entities: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

  private func reference(_ name: String, at position: Int) throws(ManifestError) -> Unicode.Scalar {
    guard name.hasPrefix("#") else {
      if let scalar = Self.entities[name] { return scalar }
      // A query contains & and no entities.
      let isName = name.count <= 32 && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      throw problem(isName ? .unknownEntity(name) : .ampersand, at: position)
    }
    let isHexadecimal = name.hasPrefix("#x")
    let number = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
    guard let number, number > 0, let scalar = Unicode.Scalar(number) else {
      throw problem(.invalidCharacterReference(name.asShown(upTo: 20)), at: position)
    }
    return scalar
  }

  private mutating func markup() throws(ManifestError) {
    let start = position
    if skip("<!--") {
      let content = bytes[position...]
      guard !content.starts(with: ">".utf8), !content.starts(with: "->".utf8) else { throw problem(.markup, at: start) }
      _ = try through("-->", of: "a comment", from: start)
    } else if skip("<![CDATA[") {
      guard content != nil else { throw problem(.markup, at: start) }
      let text = try through("]]>", of: "a CDATA section", from: start)
      content? += text
    } else if skip("<?") {
      guard !bytes[position...].starts(with: "xml".utf8) else { throw problem(.markup, at: start) }
      let text = try through("?>", of: "an instruction", from: start)
      guard !text.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") }) else {
        throw problem(.markup, at: start)
      }
    } else if skip("<!") {
      try declaration(at: start)
    } else if bytes[start...].starts(with: "<<<<<<<".utf8) {
      throw problem(.mergeConflict, at: start)
    } else if skip("</") {
      try close(try tag(from: start), at: start)
    } else {
      position += 1
      try element(try tag(from: start), at: start)
    }
  }

  /// Accepts the DOCTYPE of property lists. Rejects one with declarations.
  private mutating func declaration(at start: Int) throws(ManifestError) {
    let rest = bytes[position...]
    guard rest.starts(with: "DOCTYPE".utf8) else {
      let isDeclaration = ["ENTITY", "ELEMENT", "ATTLIST", "NOTATION"].contains { rest.starts(with: $0.utf8) }
      if isDeclaration { throw .entitiesNotAllowed }
      // HTML pages may write the word in lowercase.
      if rest.prefix(7).lowercased == "doctype" { throw .notAPropertyList(.html) }
      throw problem(rest.count < 7 ? .endOfFile(inside: "a declaration") : .markup, at: rest.count < 7 ? bytes.count : start)
    }
    let end = rest.firstIndex(of: UInt8(ascii: ">")) ?? bytes.count
    guard !rest[..<end].contains(UInt8(ascii: "[")) else { throw .entitiesNotAllowed }
    let content = try tag(from: start)
    let name = content.dropFirst(7).drop(while: XMLText.isSpace).prefix { !XMLText.isSpace($0) }
    guard name.lowercased != "html" else { throw .notAPropertyList(.html) }
    guard !hasRoot else { throw problem(.markup, at: start) }
  }

  private static let textElements: Set<String> = ["key", "string", "integer", "real", "date", "data"]
  private static let elements: Set<String> = textElements.union(["plist", "dict", "array", "true", "false"])

  private mutating func element(_ tag: ArraySlice<UInt8>, at start: Int) throws(ManifestError) {
    let isEmpty = tag.last == UInt8(ascii: "/")
    let name = String(decoding: (isEmpty ? tag.dropLast() : tag).prefix { !XMLText.isSpace($0) }, as: UTF8.self)
    try checkPlace(of: name, at: start)
    let element = Element(name: name, start: start)
    if isEmpty { return try end(element, text: []) }
    open.append(element)
    if Self.textElements.contains(name) { content = [] }
    let hasText = name == "key" || name == "string"
    if hasText, bytes[position...].starts(with: PropertyListValue.null.utf8) { nulls.append(position) }
    // The element plist is not a level.
    guard open.count <= depthLimit + 1 else { throw .tooDeep(limit: depthLimit) }
  }

  /// Throws unless an element may begin here.
  private mutating func checkPlace(of name: String, at start: Int) throws(ManifestError) {
    let shown = name.asShown(upTo: 40)
    guard let parent = open.last else {
      guard !hasRoot else { throw problem(.contentAfterEnd, at: start) }
      hasRoot = true
      guard name != "plist" else { return }
      throw name.lowercased() == "html"
        ? .notAPropertyList(.html)
        : FileKind(rootElement: name, in: bytes).map { .otherFile($0) } ?? .notAPropertyList(.otherXML)
    }
    guard !Self.textElements.contains(parent.name) else {
      throw cut(parent) ?? problem(.tagInText(tag: shown, element: parent.name, openedAt: line(of: parent)), at: start)
    }
    guard open.count > 1 || name == "dict" else { throw .notADictionary }
    guard Self.elements.contains(name), name != "plist" else { throw problem(.unknownElement(shown), at: start) }
    guard parent.name == "dict" else { return }
    if name == "key", let key = parent.key { throw problem(.keyWithoutValue(key), at: start) }
    if name != "key", parent.key == nil { throw problem(.valueWithoutKey(element: name), at: start) }
    if name != "key" { open[open.count - 1].key = nil }
  }

  private mutating func close(_ tag: ArraySlice<UInt8>, at start: Int) throws(ManifestError) {
    let name = String(decoding: tag.prefix { !XMLText.isSpace($0) }, as: UTF8.self)
    let shown = name.asShown(upTo: 40)
    guard let element = open.last else { throw problem(.closingTagWithoutElement(shown), at: start) }
    guard element.name == name else {
      throw cut(element)
        ?? problem(.wrongClosingTag(found: shown, element: element.name, openedAt: line(of: element)), at: start)
    }
    if element.name == "dict", let key = element.key { throw problem(.keyWithoutValue(key), at: start) }
    open.removeLast()
    let text = content ?? []
    content = nil
    try end(element, text: text)
  }

  /// Ends an element that is no longer open.
  private mutating func end(_ element: Element, text: [UInt8]) throws(ManifestError) {
    guard element.name == "key" else {
      guard let value = Self.invalidValue(text, of: element.name) else { return }
      throw problem(.invalidValue(value, element: element.name), at: element.start)
    }
    guard !text.elementsEqual(PropertyListValue.null.utf8) else { throw .notAPropertyList(.containsNullKey) }
    let key = String(decoding: text, as: UTF8.self)
    if open.count == 2 { keys.append(key) }
    if open.last?.name == "dict" { open[open.count - 1].key = key.asShown(upTo: 80) }
  }

  /// Returns the text of a number or a date that has characters of no such value. Foundation checks the rest.
  private static func invalidValue(_ text: [UInt8], of element: String) -> String? {
    let allowed: String
    switch element {
    case "integer": allowed = "0123456789abcdefABCDEFxX+-"
    case "date": allowed = "0123456789-:TZ"
    default: return nil
    }
    let isValid = text.allSatisfy { XMLText.isSpace($0) || allowed.utf8.contains($0) }
    return isValid ? nil : String(decoding: text.prefix(200), as: UTF8.self).asShown(upTo: 40)
  }

  /// Returns the text before the next `>`, which quoted text must not contain.
  private mutating func tag(from start: Int) throws(ManifestError) -> ArraySlice<UInt8> {
    let content = try through(">", of: "a tag", from: start)
    let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")].map { quote in content.count { $0 == quote } }
    guard !content.contains(UInt8(ascii: "<")), quotes.allSatisfy({ $0.isMultiple(of: 2) }) else {
      throw problem(.markup, at: start)
    }
    return content
  }

  private mutating func skip(_ prefix: String) -> Bool {
    guard bytes[position...].starts(with: prefix.utf8) else { return false }
    position += prefix.utf8.count
    return true
  }

  /// Returns the text before the mark, and continues after it.
  private mutating func through(
    _ mark: String, of name: String, from beginning: Int
  ) throws(ManifestError) -> ArraySlice<UInt8> {
    let start = position
    let (last, length) = (mark.utf8.last, mark.utf8.count)
    while position < bytes.count {
      position += 1
      guard bytes[position - 1] == last, position - start >= length else { continue }
      if bytes[(position - length)..<position].elementsEqual(mark.utf8) { return bytes[start..<(position - length)] }
    }
    let line = TextPlace(of: omitted.count + beginning, in: omitted + bytes).line
    for scheme in ["https", "http"] where mark == "-->" {
      // A preprocessor also removes the end of a comment with a URL.
      let cut = bytes[start...].firstRange(of: "\(scheme):\n".utf8) ?? bytes[start...].firstRange(of: "\(scheme):\r".utf8)
      if let cut { throw problem(.cutAtSlashes(scheme: scheme), at: cut.upperBound - 1) }
    }
    throw problem(.endOfFile(inside: "\(name), which begins in line \(line)"), at: bytes.count)
  }
}

extension ArraySlice<UInt8> {
  fileprivate var lowercased: String { String(decoding: self, as: UTF8.self).lowercased() }
}
