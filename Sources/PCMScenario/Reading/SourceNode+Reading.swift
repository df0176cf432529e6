import PCMCore
import Yams

extension SourceNode {
  /// The maximum nesting depth of lists and objects.
  static let depthLimit = 32

  /// Parses YAML, of which JSON is a subset: one document without anchors, aliases, tags, and merge keys, with strings as
  /// names. A plain scalar is null (`null`, `~`, or empty), `true`, `false`, a decimal integer, or otherwise a string.
  ///
  /// This function is safe for untrusted text on small stacks.
  static func read(_ source: SourceText) throws(ScenarioFaults) -> SourceNode {
    if let offset = NestingBound.breach(in: source.bytes) {
      throw ScenarioFaults(
        "expected at most \(NestingBound.flowLimit) open brackets and \(NestingBound.indentationLimit) columns of indentation; "
          + "brackets in a string without quotes can count, too",
        at: source.place(of: offset))
    }
    if let alias = AliasSearch.alias(in: source.bytes) {
      throw ScenarioFaults(
        "expected no anchors and aliases, found &\(alias.name) and *\(alias.name)", at: source.place(of: alias.offset))
    }
    // The parser would read beyond the end of a shorter text.
    let joined = SurrogateEscapes.joined(in: source)
    let text = joined.utf8.count < 32 ? joined + String(repeating: "\n", count: 32) : joined
    let root: Node?
    do {
      root = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
    } catch {
      throw ScenarioFaults([source.fault(error)])
    }
    guard let root else { throw ScenarioFaults("expected an object, found nothing", at: SourcePlace(line: 1, column: 1)) }
    do {
      return try SourceNode(root, of: source, depth: 1)
    } catch {
      throw ScenarioFaults([error])
    }
  }

  private init(_ node: Node, of source: SourceText, depth: Int) throws(ScenarioFault) {
    let place = source.place(of: node)
    guard depth <= Self.depthLimit else {
      throw ScenarioFault("expected at most \(Self.depthLimit) nested lists and objects", at: place)
    }
    try source.refuseProperties(of: node, at: place)
    switch node {
    case .scalar(let scalar): self.init(try Self.value(of: scalar, at: place), at: place)
    case .sequence(let items):
      var list: [SourceNode] = []
      for item in items { list.append(try SourceNode(item, of: source, depth: depth + 1)) }
      self.init(.list(list), at: place)
    case .mapping(let pairs):
      var members: [SourceMember] = []
      for pair in pairs {
        let name = try SourceNode(pair.key, of: source, depth: depth + 1)
        guard case .text(let text) = name.value else {
          throw ScenarioFault("expected a string as a member's name; enclose it in quotes", at: name.place)
        }
        guard text != "<<" else { throw ScenarioFault("expected no merge keys, found <<", at: name.place) }
        members.append(SourceMember(text, at: name.place, try SourceNode(pair.value, of: source, depth: depth + 1)))
      }
      self.init(.object(members), at: place)
    case .alias: throw ScenarioFault("expected no aliases", at: place)
    }
  }

  private static func value(of scalar: Node.Scalar, at place: SourcePlace) throws(ScenarioFault) -> Value {
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
    guard isInteger else { return .text(text) }
    guard let number = Int64(text) else {
      throw ScenarioFault("expected an integer of at most 64 bits, or a string in quotes, found \(text.prefix(40))", at: place)
    }
    return .number(number)
  }
}

extension SourceText {
  fileprivate func place(of node: Node) -> SourcePlace {
    clamped(node.mark.map { SourcePlace(line: $0.line, column: $0.column) } ?? SourcePlace(line: 1, column: 1))
  }

  /// Rejects anchors and tags by the first character of a value, which no value without properties begins with.
  fileprivate func refuseProperties(of node: Node, at place: SourcePlace) throws(ScenarioFault) {
    let offset = offset(of: place)
    guard bytes.indices.contains(offset) else { return }
    switch bytes[offset] {
    case UInt8(ascii: "&"):
      throw ScenarioFault("expected no anchors; enclose a string that begins with & in quotes", at: place)
    case UInt8(ascii: "!"): throw ScenarioFault("expected no tags; enclose a string that begins with ! in quotes", at: place)
    default: break
    }
  }

  fileprivate func fault(_ error: any Error) -> ScenarioFault {
    let first = SourcePlace(line: 1, column: 1)
    guard let error = error as? YamlError else { return ScenarioFault("expected YAML or JSON", at: first) }
    if let tab = tab(before: error) { return tab }
    switch error {
    case .composer(.some, _, let mark, _):
      return ScenarioFault(
        "expected one document, found another one", at: clamped(SourcePlace(line: mark.line, column: mark.column)))
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let circumstance = context.map { " \($0.text)" } ?? ""
      return ScenarioFault(
        "expected YAML or JSON; it \(problem)\(circumstance)", at: clamped(SourcePlace(line: mark.line, column: mark.column)))
    case .duplicatedKeysInMapping(let names, let context):
      let names = names.map { "\"\($0.prefix(40))\"" }.prefix(10).joined(separator: ", ")
      return ScenarioFault(
        "expected each member once, found \(names) again",
        at: clamped(SourcePlace(line: context.mark.line, column: context.mark.column)))
    case .reader(let problem, _, _, _): return ScenarioFault("expected YAML or JSON; \(problem)", at: first)
    default: return ScenarioFault("expected YAML or JSON", at: first)
    }
  }

  /// Finds a tab in the indentation of the line at which the YAML parser stopped. The parser treats the tab as text and
  /// reports something else. Tabs are allowed between brackets.
  private func tab(before error: YamlError) -> ScenarioFault? {
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
    return ScenarioFault("line \(number) is indented with a tab; YAML allows only spaces", at: place(of: tab))
  }
}
