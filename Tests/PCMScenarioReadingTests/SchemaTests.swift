import Foundation
import PCMCore
import PCMScenario
import PCMSimulatedSites
import Testing

@Suite struct SchemaTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

  @Test("The published schema matches the validation of files")
  func published() throws {
    let file = Self.root.appending(path: "Fixtures/scenario.schema.json")
    let schema = try Self.indented(ScenarioFormat.schema)
    if ProcessInfo.processInfo.environment["PCM_RECORD"] == "1" { try schema.write(to: file) }
    #expect(
      try Data(contentsOf: file) == schema,
      "if the format was meant to change: PCM_RECORD=1 swift test --filter SchemaTests, and tell it in Fixtures/scenarios/README.md"
    )
  }

  @Test("The schema's example is valid")
  func example() throws {
    let example = try #require(ScenarioFormat.schema.member("examples")?.items.first)
    let scenario = try ScenarioReader().read(example.bytes)
    #expect(scenario.steps.count == 1)
  }

  @Test(
    "A site has the members of the API",
    arguments: [
      ("site", "SiteBehavior"), ("answer", "SiteResponse"), ("signature", "SiteSignature"),
      ("signedPayload", "SiteSignedPayload"),
      ("webAd", "SiteWebAd"), ("webAdChanges", "SiteWebAdChanges"),
    ])
  func sites(_ definition: String, _ name: String) throws {
    let ours = try #require(ScenarioFormat.schema.member("$defs")?.member(definition))
    let theirs = try Self.component(name)
    let members = try #require(ours.member("properties")).members
    #expect(members.map(\.name).sorted() == theirs.member("properties")?.members.map(\.name).sorted())
    for member in members {
      let other = theirs.member("properties")?.member(member.name)
      #expect(other?.member("description") == member.value.member("description"), "\(member.name)")
    }
  }

  @Test(
    "A call's body has the members of the API",
    arguments: [
      ("event-attribution", "EventAttribution"), ("link-click", "LinkClick"), ("triggering-event", "TriggeringEvent"),
      ("load", "Load"), ("settings", "SettingsChange"), ("browser/settings", "SettingsChange"),
      ("triggering-event/redirect", "Redirect"), ("device", "DeviceChange"), ("install", "Install"),
      ("tracking-request", "TrackingRequest"), ("tracking-answer", "TrackingAnswer"),
      ("tracking-setting", "TrackingSettingChange"), ("sdk-event", "SDKEvent"),
    ])
  func bodies(_ place: String, _ name: String) throws {
    let (ours, theirs) = (try Self.shape(place), try Self.component(name))
    let types = try Self.types(ours)
    // The items of a list are checked by the API.
    #expect(types == (try Self.types(theirs)).mapValues { $0 == ["array"] ? [] : $0 }, "\(place)")
    #expect(types.count > 1)
    #expect(Set(ours.member("required")?.texts ?? []) == Set(theirs.member("required")?.texts ?? []), "\(place)")
  }

  @Test(
    "Expectations have the members of the API",
    arguments: [
      ("report", "Report", ["due", "failure"]), ("reportBody", "ReportBody", []), ("click", "Click", []),
      ("attribution", "Attribution", []), ("postback", "Postback", ["due", "failure", "payload", "signature"]),
    ])
  func expectations(_ name: String, _ component: String, _ additions: [String]) throws {
    let ours = try #require(ScenarioFormat.schema.member("$defs")?.member(name)?.member("properties"))
    let theirs = try #require(try Self.component(component).member("properties"))
    #expect(Set(ours.members.map(\.name)) == Set(theirs.members.map(\.name) + additions), "\(name)")
  }

  @Test("The words of choices are the API's")
  func choices() throws {
    let expectation = try #require(ScenarioFormat.schema.member("$defs")?.member("expectation")?.member("properties"))
    let report = try #require(ScenarioFormat.schema.member("$defs")?.member("report")?.member("properties"))
    func known(_ name: String) throws -> Set<String> {
      let component = try Self.component(name)
      return Set((component.member("enum") ?? component.member("x-extensible-enum"))?.texts ?? [])
    }
    #expect(
      Set(expectation.member("outcome")?.member("enum")?.texts ?? [])
        == (try known("ClickOutcomeKind").union(known("TriggerOutcomeKind"))
          .union(
            try [
              "ImpressionOutcome", "InstallOutcome", "ConversionValueOutcome", "CardOutcome", "TrackingRequestOutcome",
              "TrackingOutcome", "SDKEventOutcome",
            ].flatMap(outcomes))))
    #expect(Set(report.member("state")?.member("enum")?.texts ?? []) == (try known("ReportState")))
    #expect(Set(report.member("recipient")?.member("enum")?.texts ?? []) == (try known("Recipient")))
  }

  /// The outcomes of a call of the device.
  private func outcomes(_ name: String) throws -> [String] {
    let outcome = try #require(try Self.component(name).member("properties")?.member("outcome"))
    return (outcome.member("enum") ?? outcome.member("x-extensible-enum"))?.texts ?? []
  }

  @Test("The values of advance equal the API's")
  func moves() throws {
    let ours = try #require(try Self.shape("advance").member("anyOf")?.items.last?.member("properties"))
    let theirs = try #require(
      try Self.component("ClockAdvance").member("oneOf")?.items.map { Set(try Self.types($0).keys) })
    #expect(theirs.reduce([]) { $0.union($1) } == Set(ours.members.map(\.name)))
    #expect(theirs.count == 4)
  }

  /// Of a member of a step, or of another place when it has one.
  private static func shape(_ place: String) throws -> JSON {
    let schema = ScenarioFormat.schema
    let steps = place.split(separator: "/").map(String.init)
    let step = try #require(schema.member("$defs")?.member("step"))
    var shape = steps.first == "browser" ? schema : step
    for name in steps { shape = try resolved(try #require(shape.member("properties")?.member(name)), schema) }
    return shape
  }

  private static func resolved(_ shape: JSON, _ schema: JSON) throws -> JSON {
    // An optional member may be null.
    if let alternatives = shape.member("anyOf")?.items, alternatives.last?.member("type") == "null" { return alternatives[0] }
    guard let reference = shape.member("$ref")?.string?.split(separator: "/").last else { return shape }
    return try #require(schema.member("$defs")?.member(String(reference)))
  }

  /// The kinds of values that each member takes, null aside.
  private static func types(_ object: JSON) throws -> [String: Set<String>] {
    Dictionary(uniqueKeysWithValues: (object.member("properties")?.members ?? []).map { ($0.name, kinds($0.value)) })
  }

  private static func kinds(_ shape: JSON) -> Set<String> {
    if let reference = shape.member("$ref")?.string?.split(separator: "/").last {
      return (try? component(String(reference))).map(kinds) ?? []
    }
    let alternatives = shape.member("anyOf")?.items.map(kinds) ?? []
    let types = shape.member("type").map { $0.string.map { [$0] } ?? $0.texts } ?? []
    return alternatives.reduce(Set(types)) { $0.union($1) }.subtracting(["null"])
  }

  private static func component(_ name: String) throws -> JSON {
    let data = try Data(contentsOf: root.appending(path: "Sources/COpenAPI/openapi.json"))
    let document = try JSONDecoder().decode(LooseJSON.self, from: data).value
    return try #require(document.member("components")?.member("schemas")?.member(name), "\(name)")
  }

  private static func indented(_ value: JSON) throws -> Data {
    Data((lines(value, "") + "\n").utf8)
  }

  private static func lines(_ value: JSON, _ indentation: String) -> String {
    let inner = indentation + "  "
    switch value {
    case .object(let members) where value.text.utf8.count > 100:
      return "{\n" + members.map { "\(inner)\(JSON.string($0.name).text): \(lines($0.value, inner))" }.joined(separator: ",\n")
        + "\n\(indentation)}"
    case .array(let items) where value.text.utf8.count > 100:
      return "[\n" + items.map { inner + lines($0, inner) }.joined(separator: ",\n") + "\n\(indentation)]"
    default: return value.text
    }
  }
}

extension JSON {
  fileprivate func member(_ name: String) -> JSON? { members.first { $0.name == name }?.value }

  fileprivate var items: [JSON] {
    guard case .array(let items) = self else { return [] }
    return items
  }

  fileprivate var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  fileprivate var texts: [String] { items.compactMap(\.string) }
}

/// JSON with numbers of any kind, which here do not matter.
private struct LooseJSON: Decodable {
  let value: JSON

  init(from decoder: any Decoder) throws {
    if let members = try? [String: LooseJSON](from: decoder) {
      value = .object(members.map { JSON.Member($0.key, $0.value.value) })
    } else if let items = try? [LooseJSON](from: decoder) {
      value = .array(items.map(\.value))
    } else if let text = try? String(from: decoder) {
      value = .string(text)
    } else {
      value = .null
    }
  }
}
