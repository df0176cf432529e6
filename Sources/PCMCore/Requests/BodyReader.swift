/// A reader that parses a body in one pass, sets the properties of a value directly, and collects the errors.
///
/// ```swift
/// var reader = BodyReader(Array(#""shop.example""#.utf8))
/// if let text = try reader.text() {
///   let host: String? = text.contains(".") ? text : reader.addError("use a host with a dot")
///   assert(host == "shop.example")
/// }
/// ```
package struct BodyReader {
  private var scanner: JSONScanner
  private var errors: [InputError] = []
  /// The reason for which a value of the expected type was not accepted; nil for a value of another type.
  private var rejection: InputError.Code?
  /// The name of the current member.
  private(set) var member = ""

  init(_ bytes: [UInt8]) {
    scanner = JSONScanner(bytes)
  }

  /// Adds an error about the current value, and returns nil, so callers can return it.
  mutating func addError<Value>(_ detail: String, _ code: InputError.Code = .invalidValue) -> Value? {
    add(InputError([], detail, code))
  }

  /// Adds an error within the current value, and returns nil, so callers can return it.
  mutating func add<Value>(_ error: InputError) -> Value? {
    errors.append(error)
    return nil
  }

  /// Rejects the current value of the expected type, and returns nil, so callers can return it. The detail of the error is the
  /// expected value.
  mutating func reject<Value>(_ code: InputError.Code) -> Value? {
    rejection = code
    return nil
  }

  /// Adds the error of a value that was not accepted.
  private mutating func addExpectation(_ detail: String) {
    errors.append(InputError([], detail, rejection ?? .wrongType))
    rejection = nil
  }

  /// Returns the next value if it is a string, or skips it and returns nil.
  mutating func text() throws(MalformedJSON) -> String? {
    guard scanner.peek() == UInt8(ascii: "\"") else { return try skip() }
    return try scanner.text().decoded()
  }

  mutating func flag() throws(MalformedJSON) -> Bool? {
    switch scanner.peek() {
    case UInt8(ascii: "t"):
      try scanner.word("true")
      return true
    case UInt8(ascii: "f"):
      try scanner.word("false")
      return false
    default: return try skip()
    }
  }

  mutating func number() throws(MalformedJSON) -> JSONNumber? {
    guard let next = scanner.peek(), next == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next)
    else { return try skip() }
    return try scanner.number()
  }

  mutating func list<Item: Sendable>(of item: BodyValue<Item>) throws(MalformedJSON) -> [Item]? {
    guard scanner.skip("[") else { return try skip() }
    var (items, index, isFirst): ([Item], Int, Bool) = ([], 0, true)
    while try scanner.advance(until: "]", isFirst: &isFirst) {
      let before = errors.count
      if let value = try item.read(&self) {
        items.append(value)
      } else if errors.count == before {
        addExpectation("each item must be \(item.description.expected)")
      }
      for number in errors.indices[before...] { errors[number] = errors[number].within("\(index)") }
      index += 1
    }
    return items
  }

  /// Reads an object with any members, duplicates included, up to the maximum nesting depth of `JSON`. An unpaired surrogate,
  /// which JSON can contain and a string cannot, is an error in the current value.
  mutating func anyObject() throws(MalformedJSON) -> JSON? {
    guard scanner.peek() == UInt8(ascii: "{") else { return try skip() }
    let start = scanner
    do throws(MalformedJSON) {
      return try JSON.value(&scanner, JSON.Form(keepsNumbers: true, keepsDuplicates: true))
    } catch {
      guard error.isUnpairedSurrogate else { throw error }
      scanner = start
      try scanner.skipValue()
      return addError(
        "\(member) has an escape such as \\ud800 without the other half of its pair; write both halves, or neither")
    }
  }

  /// Reads an object with any names.
  ///
  /// - Parameter error: Returns the error in a name; nil for a valid name.
  mutating func dictionary<Item: Sendable>(
    of item: BodyValue<Item>, error: (String) -> InputError?
  ) throws(MalformedJSON) -> [String: Item]? {
    guard scanner.skip("{") else { return try skip() }
    var (items, isFirst): ([String: Item], Bool) = ([:], true)
    var names = NameList()
    while try scanner.advance(until: "}", isFirst: &isFirst) {
      let text = try scanner.name()
      let name = try text.decoded() ?? String(decoding: text.bytes, as: UTF8.self)
      let isRepeated = InputError([], "\(name) is given twice; give it once", .duplicateMember)
      guard let error = names.insert(name) ? error(name) : isRepeated else {
        if let value = try self.value(of: item, named: name) { items[name] = value }
        continue
      }
      errors.append(error.within(name))
      try scanner.skipValue()
    }
    return items
  }

  private mutating func value<Item: Sendable>(
    of item: BodyValue<Item>, named name: String
  ) throws(MalformedJSON) -> Item? {
    let before = errors.count
    let value = try item.read(&self)
    if value == nil, errors.count == before { addExpectation("\(name) must be \(item.description.expected)") }
    for number in errors.indices[before...] { errors[number] = errors[number].within(name) }
    return value
  }

  mutating func object<Body: JSONBody>(_ type: Body.Type) throws(MalformedJSON) -> Body? {
    guard scanner.skip("{") else { return try skip() }
    let definition = Body.definition
    var object = ObjectReading(definition)
    var body = Body()
    var isFirst = true
    while try scanner.advance(until: "}", isFirst: &isFirst) {
      let name = try scanner.name()
      guard let index = object.index(of: name) else {
        object.addUnknown(try name.decoded() ?? String(decoding: name.bytes, as: UTF8.self))
        try scanner.skipValue()
        continue
      }
      try read(definition.members[index], at: index, into: &body, of: &object)
    }
    errors += object.finish(body)
    return body
  }

  private mutating func read<Body>(
    _ member: BodyMember<Body>, at index: Int, into body: inout Body, of object: inout ObjectReading<Body>
  ) throws(MalformedJSON) {
    guard object.begin(index) else {
      object.noteRepeated(index)
      return try scanner.skipValue()
    }
    guard scanner.peek() != UInt8(ascii: "n") else {
      try scanner.word("null")
      return object.addNull(index)
    }
    let (outer, before) = (self.member, errors.count)
    self.member = member.name
    let isOfKind = try member.read(&self, &body)
    self.member = outer
    if !isOfKind, errors.count == before {
      addExpectation("\(member.name) must be \(member.description.value.expected)")
    }
    object.given.insert(index)
    guard errors.count > before else { return }
    object.add(errors[before...], at: index)
    errors.removeSubrange(before...)
  }

  private mutating func skip<Value>() throws(MalformedJSON) -> Value? {
    try scanner.skipValue()
    return nil
  }

  /// Reads a body from `bytes`, which must contain nothing else.
  static func body<Body: JSONBody>(_ bytes: [UInt8]) throws(BodyError) -> Body {
    var reader = BodyReader(bytes)
    let body: Body?
    do {
      body = try reader.object(Body.self)
      try reader.scanner.finish()
    } catch {
      throw .malformed
    }
    guard let body else {
      let form = Body.definition.description.formOfSingleList.map { ", such as \($0)" } ?? ""
      throw .invalid([InputError([], "the body must be a JSON object\(form)", .wrongType)])
    }
    guard reader.errors.isEmpty else { throw .invalid(Array(reader.errors.prefix(BodyError.limit))) }
    return body
  }
}

extension BodyDescription {
  /// How a body is written that needs only a list, because a caller may send the list alone; nil for another body.
  fileprivate var formOfSingleList: String? {
    let required = members.filter(\.isRequired)
    guard required.count == 1, case .list = required[0].value.kind else { return nil }
    return "{\"\(required[0].name)\": [...]}"
  }
}

/// An error in a body.
package enum BodyError: Error, Hashable, Sendable {
  /// The body is not JSON in UTF-8.
  case malformed
  /// The body is JSON with errors in these members.
  case invalid([InputError])

  /// The maximum number of errors. A small body can have thousands.
  static let limit = 100
}

extension JSONBody {
  /// Reads a body strictly: unknown and duplicate members and values of another kind are errors. The thrown error contains the first 100 errors.
  package init(json bytes: [UInt8]) throws(BodyError) {
    self = try BodyReader.body(bytes)
  }
}
