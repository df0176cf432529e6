import PCMCore
import Yams

extension SourceNode {
  /// The maximum nesting depth of lists and objects.
  static let depthLimit = 32

  /// Parses YAML, which includes JSON: one document without anchors, aliases, tags, and merge keys, with strings as
  /// names. A plain scalar is null (`null`, `~`, or empty), `true`, `false`, a decimal integer, or otherwise a string. In a feed of
  /// cards, a time, and in JSON any number, may have a fraction.
  ///
  /// This function is safe for untrusted text on small stacks.
  ///
  /// - Parameter hasFractions: Whether any number may have a fraction, and a plain scalar that is no string may be a name.
  static func read(_ source: SourceText, hasFractions: Bool = false) throws(ScenarioErrors) -> SourceNode {
    if let offset = NestingBound.breach(in: source.bytes) {
      throw ScenarioErrors(
        "expected at most \(NestingBound.flowLimit) open brackets and \(NestingBound.indentationLimit) columns of indentation; "
          + "brackets in a string without quotes can count, too",
        at: source.place(of: offset))
    }
    if let alias = AliasSearch.alias(in: source.bytes) {
      throw ScenarioErrors(
        "expected no anchors and aliases, found &\(alias.name) and *\(alias.name)", at: source.place(of: alias.offset))
    }
    // The parser would read beyond the end of a shorter text.
    let joined = SurrogateEscapes.joined(in: source)
    let text = joined.utf8.count < 32 ? joined + String(repeating: "\n", count: 32) : joined
    let root: Node?
    do {
      root = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
    } catch {
      throw ScenarioErrors([source.error(error)])
    }
    guard let root else { throw ScenarioErrors("expected an object, found nothing", at: SourcePlace(line: 1, column: 1)) }
    do {
      return try SourceNode(root, of: source, depth: 1, in: hasFractions ? .numbers : .outside)
    } catch {
      throw ScenarioErrors([error])
    }
  }

  /// The part of a feed of cards in which a value is, or a file in which all numbers may have a fraction.
  private enum FeedPart {
    case outside, feed, time, numbers

    /// Returns the part in which a member is.
    func part(ofMember name: String) -> FeedPart {
      switch self {
      case .numbers: .numbers
      case .outside: name == "cards" ? .feed : .outside
      case .feed, .time: CardFeedInput.timeNames.contains(name) ? .time : .feed
      }
    }

    /// Returns the name that a plain scalar is; nil if only strings are names.
    func name(of key: Node) -> String? {
      guard self == .numbers, let text = key.scalar?.string, !text.isEmpty else { return nil }
      return text
    }

    func mayHaveFraction(in format: SourceFormat) -> Bool {
      self == .time || self == .numbers || self == .feed && format == .json
    }
  }

  private init(
    _ node: Node, of source: SourceText, depth: Int, in part: FeedPart = .outside
  ) throws(ScenarioError) {
    let place = source.place(of: node)
    guard depth <= Self.depthLimit else {
      throw ScenarioError("expected at most \(Self.depthLimit) nested lists and objects", at: place)
    }
    try source.rejectProperties(of: node, at: place)
    switch node {
    case .scalar(let scalar):
      if part.mayHaveFraction(in: source.format), scalar.style == .plain, let number = Self.decimal(scalar.string) {
        self.init(number, at: place)
      } else {
        self.init(try Self.value(of: scalar, in: source.format, at: place), at: place)
      }
    case .sequence(let items):
      var list: [SourceNode] = []
      for item in items { list.append(try SourceNode(item, of: source, depth: depth + 1, in: part)) }
      self.init(.list(list), at: place)
    case .mapping(let pairs):
      var members: [SourceMember] = []
      for pair in pairs {
        let name = try SourceNode(pair.key, of: source, depth: depth + 1, in: part == .numbers ? .numbers : .outside)
        guard let text = name.text ?? part.name(of: pair.key) else {
          throw ScenarioError("expected a string as a member's name; enclose it in quotes", at: name.place)
        }
        guard text != "<<" else { throw ScenarioError("expected no merge keys, found <<", at: name.place) }
        let value = try SourceNode(pair.value, of: source, depth: depth + 1, in: part.part(ofMember: text))
        members.append(SourceMember(text, at: name.place, value))
      }
      self.init(.object(members), at: place)
    case .alias: throw ScenarioError("expected no aliases", at: place)
    }
  }

  /// Returns the value of a JSON number, which may have a fraction or an exponent; nil for other text.
  private static func decimal(_ text: String) -> Value? {
    switch JSON(parsing: Array(text.utf8), keepingNumbers: true) {
    case .number(let number)?: .number(number)
    case .verbatim(let text)?: .decimal(text)
    default: nil
    }
  }

  private static func value(
    of scalar: Node.Scalar, in format: SourceFormat, at place: SourcePlace
  ) throws(ScenarioError) -> Value {
    let text = scalar.string
    guard scalar.style == .plain || scalar.style == .any else { return .text(text) }
    switch text {
    case "", "~", "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: break
    }
    let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
    let isInteger =
      text.utf8.count - digits.count <= 1 && !digits.isEmpty && digits.allSatisfy { (48...57).contains($0) }
      && (digits.count == 1 || digits.first != UInt8(ascii: "0"))
    guard isInteger || format == .json else { return .text(text) }
    guard let number = format == .json ? JSON.integer(text) : Int64(text) else {
      throw ScenarioError("expected an integer of at most 64 bits, or a string in quotes, found \(text.prefix(40))", at: place)
    }
    return .number(number)
  }
}

extension SourceText {
  fileprivate func place(of node: Node) -> SourcePlace {
    clamped(node.mark.map { SourcePlace(line: $0.line, column: $0.column) } ?? SourcePlace(line: 1, column: 1))
  }

  /// Rejects anchors and tags by the first character of a value, which no value without properties begins with.
  fileprivate func rejectProperties(of node: Node, at place: SourcePlace) throws(ScenarioError) {
    let offset = offset(of: place)
    guard bytes.indices.contains(offset) else { return }
    switch bytes[offset] {
    case UInt8(ascii: "&"):
      throw ScenarioError("expected no anchors; enclose a string that begins with & in quotes", at: place)
    case UInt8(ascii: "!"): throw ScenarioError("expected no tags; enclose a string that begins with ! in quotes", at: place)
    default: break
    }
  }

  fileprivate func error(_ error: any Error) -> ScenarioError {
    let first = SourcePlace(line: 1, column: 1)
    guard let error = error as? YamlError else { return ScenarioError("expected YAML or JSON", at: first, code: .malformed) }
    if let tab = tab(before: error) { return tab }
    switch error {
    case .composer(.some, _, let mark, _):
      return ScenarioError(
        "expected one document, found another one", at: clamped(SourcePlace(line: mark.line, column: mark.column)))
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let circumstance = context.map { " \($0.text)" } ?? ""
      return ScenarioError(
        "expected YAML or JSON; it \(problem)\(circumstance)", at: clamped(SourcePlace(line: mark.line, column: mark.column)),
        code: .malformed)
    case .duplicatedKeysInMapping(let names, let context):
      let names = names.map { "\"\($0.prefix(40))\"" }.prefix(10).joined(separator: ", ")
      return ScenarioError(
        "expected each member once, found \(names) again",
        at: clamped(SourcePlace(line: context.mark.line, column: context.mark.column)), code: .duplicateMember)
    case .reader(let problem, _, _, _): return ScenarioError("expected YAML or JSON; \(problem)", at: first, code: .malformed)
    default: return ScenarioError("expected YAML or JSON", at: first, code: .malformed)
    }
  }

  /// Finds a tab in the indentation of the line at which the YAML parser stopped. The parser treats the tab as text and
  /// reports something else. Tabs are allowed between brackets.
  private func tab(before error: YamlError) -> ScenarioError? {
    let number: Int
    switch error {
    case .scanner(_, _, let mark, _), .parser(_, _, let mark, _): number = clamped(SourcePlace(line: mark.line, column: 1)).line
    default: return nil
    }
    let line = line(number)
    guard
      let tab = line.prefix(while: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }).firstIndex(of: UInt8(ascii: "\t")),
      !NestingBound.isInBrackets(bytes[..<line.startIndex])
    else { return nil }
    return ScenarioError("line \(number) is indented with a tab; YAML allows only spaces", at: place(of: tab), code: .malformed)
  }
}

/// Finds a name that a file may anchor and refer to, before the YAML parser reads the file: comparing aliases of aliases
/// takes exponential time. The search ignores quotes and comments, so that nothing is hidden. A file with both ` &name` and
/// ` *name` is invalid, regardless of their meaning.
enum AliasSearch {
  static func alias(in bytes: [UInt8]) -> (name: String, offset: Int)? {
    var anchors: Set<String> = []
    var aliases: [(name: String, offset: Int)] = []
    for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: "&") || byte == UInt8(ascii: "*") {
      let name = String(decoding: bytes[(offset + 1)...].prefix(while: isOfName), as: UTF8.self)
      guard !name.isEmpty else { continue }
      if byte == UInt8(ascii: "&") { anchors.insert(name) } else { aliases.append((name, offset)) }
    }
    return aliases.first { anchors.contains($0.name) }
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
