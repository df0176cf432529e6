import Foundation
import PCMClient
import Testing

/// Compares the client's words with the service's document. The client declares them without the service's modules.
@Suite struct VocabularyTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let document = root.appendingPathComponent("Sources/COpenAPI/openapi.json")
  private static let schemas = Result {
    try JSONDecoder().decode(JSONValue.self, from: try Data(contentsOf: document))["components"]?["schemas"]
  }

  /// The words of a schema: of its `enum`, or of an `enum` at a path in it.
  private func words(of schema: String) throws -> Set<String> {
    let value = schema.split(separator: "/").reduce(try Self.schemas.get()) { value, part in
      Int(part).map { value?.array?[$0] } ?? value?[String(part)]
    }
    return Set(try #require(value?["enum"]?.array, "\(schema)").compactMap(\.string))
  }

  /// The words of the constants in a file of the client: `static let stored = State("stored")` for `State`.
  private func constants(of type: String, in file: String) throws -> Set<String> {
    let path = Self.root.appendingPathComponent("clients/swift/Sources/PCMClient/\(file).swift")
    let start = "= \(type)(\""
    let words = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").compactMap { line in
      line.range(of: start).map { String(line[$0.upperBound...].prefix { $0 != "\"" }) }
    }
    return Set(words)
  }

  @Test(
    "the constants of a type are the words of its schema",
    arguments: [
      ("Event", "Self", "EventKind"), ("Report", "State", "ReportState"), ("Report", "Recipient", "Recipient"),
      ("BrowserState", "Storage", "StorageKind"), ("BrowserState", "DeliveryPolicy", "DeliveryPolicy"),
      ("BrowserState", "ReportURL", "ReportURLChoice"), ("EventAttribution", "Presentation", "Presentation"),
      ("Browser+Apps", "Signing", "AppRegistration/oneOf/0/properties/signing"),
      ("Browser+Apps", "Platform", "AppRegistration/oneOf/0/properties/platform"),
      ("Browser+Network", "Network", "NetworkMode"), ("Load", "Kind", "Load/properties/kind"),
      ("Load", "Method", "Load/properties/method"), ("Click", "State", "ClickState"),
      ("Attribution", "State", "AttributionState"), ("Attribution", "Outcome", "TriggerOutcomeFilter"),
      ("DeviceProperties", "ConversionWindowStart", "DeviceChange/properties/conversionWindowStart"),
      ("DeviceProperties", "SourceDomain", "DeviceChange/properties/sourceDomain"),
      ("DeviceProperties", "PostbackKeys", "DeviceChange/properties/postbackKeys"),
      ("AdDisplay", "AdPresentation", "AdDisplay/properties/presentation"),
      ("AdDisplay", "AdFramework", "ConversionValue/properties/framework"),
      ("AdAttribution", "InteractionType", "DevelopmentPostback/properties/interactionType"),
      ("Install", "Kind", "DevelopmentPostback/properties/conversionType"),
      ("ConversionValue", "Coarse", "ConversionValue/properties/coarseValue"),
      ("ConversionValue", "ConversionType", "ConversionValue/properties/conversionTypes/items"),
      ("Device+Tracking", "TrackingSetting", "TrackingSettingChange/properties/system"),
    ])
  func schema(file: String, type: String, schema: String) throws {
    #expect(try constants(of: type, in: file) == words(of: schema))
  }

  @Test("each strategy of a measurement SDK, and each language of cards, is in its schema")
  func enumerations() throws {
    #expect(try Set(URLStrategy.allCases.map(\.rawValue)) == words(of: "SDKEvent/properties/urlStrategy"))
    #expect(try Set(CardLanguage.allCases.map(\.rawValue)) == words(of: "CardFeed/properties/language"))
  }

  @Test("the document names each reason and each code of an error", arguments: ["Reason", "Reason+Device", "ServiceError"])
  func codes(file: String) throws {
    let text = try String(contentsOf: Self.document, encoding: .utf8)
    let codes = try constants(of: "Self", in: file)
    #expect(codes.count > 10)
    for code in codes { #expect(text.contains("`\(code)`"), "\(code)") }
  }
}
