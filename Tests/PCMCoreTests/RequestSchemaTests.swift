import PCMCore
import Testing

/// The request bodies in `openapi.json` are recorded from their descriptions.
@Suite struct RequestSchemaTests {
  private static let bodies: [(name: String, body: BodyDescription)] = [
    ("EventAttribution", EventAttributionInput.definition.description), ("LinkClick", LinkClickInput.definition.description),
    ("TriggeringEvent", TriggeringEventInput.definition.description),
    ("Redirect", TriggeringEventInput.Redirect.definition.description), ("Provenance", Provenance.definition.description),
    ("Load", LoadInput.definition.description), ("PageEvent", PageEventInput.definition.description),
    ("AttachmentSpecification", AttachmentInput.definition.description),
    ("SettlementWait", SettleInput.definition.description),
    ("BrowserSpecification", BrowserSpecification.definition.description),
    ("BrowserChange", BrowserChange.definition.description), ("SettingsChange", SettingsChange.definition.description),
    ("NetworkSpecification", NetworkSpecification.definition.description),
    ("Expectation", ExpectationInput.definition.description), ("ExpectedReport", ExpectedReport.definition.description),
    ("ForkSpecification", ForkSpecification.definition.description),
    ("DeviceChange", DeviceChange.definition.description), ("AdNetworkSpecification", AdNetworkInput.definition.description),
    ("AdDisplay", ImpressionInput.definition.description),
    ("SignedAdSpecification", SignedAdInput.definition.description), ("AdTap", ImpressionTapInput.definition.description),
    ("CrowdTiers", CrowdTiers.definition.description), ("Install", InstallInput.definition.description),
    ("Launch", LaunchInput.definition.description), ("ConversionValue", ConversionValueInput.definition.description),
    ("DevelopmentPostback", DevelopmentPostbackInput.definition.description),
    ("CardFeed", CardFeedInput.definition.description), ("CardClick", CardClickInput.definition.description),
    ("TrackingRequest", TrackingRequestInput.definition.description),
    ("TrackingAnswer", TrackingAnswerInput.definition.description),
    ("TrackingSettingChange", TrackingSettingInput.definition.description), ("SDKEvent", SDKEventInput.definition.description),
  ]

  static var schemas: [(name: String, schema: JSON)] { bodies.map { ($0.name, schema($0.body)) } }

  /// Their variants are written by hand; the members are compared.
  @Test(
    "The variants of a body have the described members",
    arguments: [
      ("ClockAdvance", ClockAdvance.definition.description), ("ClockSpecification", ClockSpecification.definition.description),
    ])
  func variants(_ name: String, _ body: BodyDescription) throws {
    let schema = try #require(try RecordedSchemas.schemas([name])[name])
    #expect(schema.member("description") == .string(body.text))
    let variants = try #require(schema.member("oneOf")?.items)
    for variant in variants {
      for member in try #require(variant.member("properties")?.members) {
        let described = try #require(body.members.first { $0.name == member.name })
        #expect(member.value.member("type") == described.value.type, "\(name) \(member.name)")
      }
    }
    for member in body.members {
      let isDescribed = variants.contains { $0.member("properties")?.member(member.name) != nil }
      #expect(isDescribed, "\(name) has \(member.name) in some variant")
    }
  }

  private static func schema(_ body: BodyDescription) -> JSON {
    let required = body.members.filter(\.isRequired).map { JSON.string($0.name) }
    let properties = body.members.map { JSON.Member($0.name, schema($0)) }
    return .object(
      [.init("type", "object"), .init("description", .string(body.text))]
        + (required.isEmpty ? [] : [.init("required", .array(required))])
        + [.init("properties", .object(properties)), .init("additionalProperties", .bool(false))])
  }

  private static func schema(_ member: BodyDescription.Member) -> JSON {
    let description = JSON.Member("description", .string(member.text + "."))
    if let component = member.value.component {
      let reference = JSON.Member("$ref", .string("#/components/schemas/\(component)"))
      return .object([reference, description])
    }
    return .object([.init("type", member.value.type), description] + member.value.keywords)
  }
}

extension ValueDescription {
  fileprivate var type: JSON {
    switch kind {
    case .text: "string"
    case .flag: "boolean"
    case .integer: "integer"
    case .number: "number"
    case .list: "array"
    case .object: "object"
    }
  }
}

extension JSON {
  fileprivate func member(_ name: String) -> JSON? { members.first { $0.name == name }?.value }

  fileprivate var items: [JSON] {
    guard case .array(let items) = self else { return [] }
    return items
  }
}
