import PCMBrowser

/// Reads the members of one JSON object, collects everything that is wrong with them and refuses what it does not know,
/// so that a misspelt member is an error and not a silent default.
struct MemberReader {
  private let container: KeyedDecodingContainer<MemberName>
  private var problems: [InputProblem] = []
  private var known: [String] = []
  private var present = 0

  init(_ decoder: any Decoder) throws {
    container = try decoder.container(keyedBy: MemberName.self)
  }

  /// A member that must be there.
  mutating func required<Value: Decodable>(_ name: String, _ kind: MemberKind<Value>) -> Value? {
    let before = problems.count
    let value = optional(name, kind)
    if value == nil, problems.count == before {
      problems.append(InputProblem([name], "\(name) is missing; it is \(kind.description)"))
    }
    return value
  }

  /// A member that may be absent or null.
  mutating func optional<Value: Decodable>(_ name: String, _ kind: MemberKind<Value>) -> Value? {
    known.append(name)
    let key = MemberName(name)
    if container.contains(key) { present += 1 }
    do {
      return try container.decodeIfPresent(Value.self, forKey: key)
    } catch BrowserError.invalidInput(let inner) {
      problems += inner.map { InputProblem([name] + $0.path, $0.detail, code: $0.code) }
    } catch {
      problems.append(InputProblem([name], "\(name) is \(kind.description)"))
    }
    return nil
  }

  mutating func note(_ problem: InputProblem) {
    problems.append(problem)
  }

  /// Throws what was found, unknown members included.
  mutating func finish() throws {
    let keys = container.allKeys
    if keys.count > present {
      let unknown = keys.map(\.stringValue).filter { !known.contains($0) }.sorted()
      let names = known.sorted().joined(separator: ", ")
      problems += unknown.map { InputProblem([$0], "\($0) is not a member here; known are \(names)") }
    }
    guard problems.isEmpty else { throw BrowserError.invalidInput(problems) }
  }

  /// For a member whose absence `finish` has already reported.
  func found<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw BrowserError.invalidInput(problems) }
    return value
  }
}

/// What a member is, in the words of an error message.
struct MemberKind<Value: Decodable> {
  let description: String
}

extension MemberKind<String> {
  static var text: MemberKind { MemberKind(description: "a string") }
  static var url: MemberKind { MemberKind(description: "a string with an absolute URL") }
}

extension MemberKind<Bool> {
  static var flag: MemberKind { MemberKind(description: "true or false") }
}

extension MemberKind {
  static func object(_ description: String) -> MemberKind { MemberKind(description: description) }
}

struct MemberName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) {
    stringValue = name
  }

  init?(stringValue: String) {
    self.init(stringValue)
  }

  init?(intValue: Int) {
    return nil
  }
}
