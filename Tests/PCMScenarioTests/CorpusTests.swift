import Foundation
import PCMApp
import PCMCore
import PCMURL
import Testing

@testable import PCMScenario

/// The scenario files of the repository: each passes, and each can fail.
@Suite struct CorpusTests {
  @Test func thereAreEnoughScenarios() throws {
    #expect(try Corpus.files().count >= 350)
  }

  @Test(arguments: try Corpus.files())
  func eachScenarioPassesAndFailsWithAnAlteredExpectation(_ file: String) async throws {
    let bytes = try Corpus.bytes(of: file)
    let intact = try await Self.play(bytes)
    #expect(intact.failure == nil, "\(file): \(intact.json.text)")
    let altered = try #require(try Alteration.one(in: bytes, drawnFor: file), "\(file) has nothing that could be altered")
    let result = try await Self.play(altered.bytes)
    let failure = try #require(result.failure, "\(file) still holds with \(altered.pointer) altered:\n\(altered.text)")
    guard !failure.actual.isEmpty else { return }
    let pasted = try altered.pasting(failure.actual, into: failure.step)
    let again = try await Self.play(pasted.bytes)
    #expect(again.failure == nil, "\(file) with \(failure.actual) pasted: \(again.json.text)")
  }

  @Test(arguments: ["README.md", "Fixtures/scenarios/README.md"])
  func theExampleOfADocumentPasses(_ document: String) async throws {
    let text = try String(contentsOf: Corpus.folder.appending(path: "../../\(document)"), encoding: .utf8)
    let examples = text.components(separatedBy: "```yaml\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
    let scenario = try #require(examples.first { $0.contains("scenario:") })
    let result = try await Self.play(Array(scenario.utf8))
    #expect(result.failure == nil, "\(document): \(result.json.text)")
  }

  @Test func expectationsThatCannotFailAreFound() throws {
    let empty = "scenario: empty\nsteps:\n  - advance: PT1H\n"
    #expect(try Alteration.one(in: Array(empty.utf8), drawnFor: "x") == nil)
  }

  private static func play(_ file: [UInt8]) async throws -> ScenarioResult {
    try await ScenarioStages(sites: Corpus.sites).play(try Corpus.scenario(file))
  }
}

/// One value of an expectation changed to another of its kind.
private struct Alteration {
  let pointer: String
  let value: JSON

  var text: String { SourceWriting(isJSON: true).text(value) }
  var bytes: [UInt8] { Array(text.utf8) }

  /// Returns the scenario with lines of YAML in place of the members of a step's expectation.
  func pasting(_ lines: [String], into step: Int) throws -> Alteration {
    let pasted = try lines.reduce(value) { file, line in
      let member = try #require(try Self.json(Array(line.utf8)).members.first)
      return file.replacing(["steps", "\(step - 1)", "expect", member.name], with: member.value)
    }
    return Alteration(pointer: pointer, value: pasted)
  }

  private static func json(_ yaml: [UInt8]) throws -> JSON { try SourceNode.read(SourceText(yaml)).json }

  /// The value is chosen by the file's name: another file, another kind of expectation. Nil when nothing is expected.
  static func one(in bytes: [UInt8], drawnFor name: String) throws -> Alteration? {
    let file = try json(bytes)
    let places = candidates(file)
    guard !places.isEmpty else { return nil }
    let start = name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % places.count
    // Some values have no other that is well-formed: the next one is taken then.
    for offset in places.indices {
      let (pointer, value) = places[(start + offset) % places.count]
      let edited = Alteration(
        pointer: pointer, value: file.replacing((JSONPointer.names(of: pointer) ?? [])[...], with: value))
      if (try? ScenarioReader(readFile: { _ in [] }).read(edited.bytes)) != nil { return edited }
    }
    return nil
  }

  private static func candidates(_ file: JSON) -> [(String, JSON)] {
    (file["steps"]?.items ?? []).enumerated().flatMap { index, step in
      step["expect"].map { leaves($0, "/steps/\(index)/expect") } ?? []
    }
  }

  /// Returns the pointers of the scalar values, each with a different value.
  private static func leaves(_ value: JSON, _ pointer: String) -> [(String, JSON)] {
    switch value {
    case .object(let members):
      // A wider window holds as well, and `of` only asks.
      members.filter { !["due", "within", "of"].contains($0.name) }.flatMap { leaves($0.value, "\(pointer)/\($0.name)") }
    case .array(let items): items.enumerated().flatMap { leaves($1, "\(pointer)/\($0)") }
    case .number(let number): [(pointer, .number(number + 1))]
    case .bool: []
    case .null: [(pointer, "altered")]
    case .verbatim: []
    case .string(let text): alternatives(text).map { (pointer, .string($0)) }
    }
  }

  private static func alternatives(_ text: String) -> [String] {
    let families = [
      ["stored", "discarded"], ["ephemeral", "stored"], ["handed-over", "discarded"], ["attributed", "unmatched"],
      ["unmatched", "attributed"],
      ["rejected", "unmatched"], ["not-triggering", "rejected"], ["delivered", "failed"], ["failed", "delivered"],
      ["scheduled", "delivered"], ["superseded", "delivered"], ["cleared", "delivered"], ["verified", "rejected"],
      ["accepted", "rejected"], ["recorded", "rejected"], ["started", "rejected"], ["unattributed", "attributed"],
      ["reengaged", "opened"], ["opened", "rejected"], ["prompted", "answered"], ["answered", "rejected"],
      ["changed", "rejected"], ["terminated", "rejected"], ["held", "recorded"],
    ]
    return (families.first { $0.first == text }?.dropFirst().map { $0 } ?? []) + ["altered"]
  }
}

extension JSON {
  fileprivate func replacing(_ path: ArraySlice<String>, with value: JSON) -> JSON {
    guard let step = path.first else { return value }
    switch self {
    case .object(let members):
      return .object(
        members.map { $0.name == step ? Member($0.name, $0.value.replacing(path.dropFirst(), with: value)) : $0 })
    case .array(let items):
      return .array(
        items.enumerated().map { String($0.offset) == step ? $0.element.replacing(path.dropFirst(), with: value) : $0.element })
    default: return self
    }
  }
}
