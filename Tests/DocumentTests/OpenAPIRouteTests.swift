import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import PCMBrowser
import PCMCore
import PCMManifest
import PCMNetwork
import PCMRules
import PCMStore
import Testing

/// The document has exactly the routes, methods, and enumerations of the service.
@Suite struct OpenAPIRouteTests {
  @Test func theDocumentHasTheRoutesOfTheService() async throws {
    // Pages, their files, and their parts are no API.
    let routes = try await API.router().routes.map { "\($0.method.rawValue) \($0.path)" }
      .filter {
        !$0.hasPrefix("GET /browsers") && !$0.hasPrefix("GET /assets") && !$0.hasPrefix("GET /doc") && $0 != "GET /rules"
      }
    try await API.test { api in
      let operations = try await OpenAPIDocument(api).operations.map(\.name)
      #expect(routes.sorted() == operations)
    }
  }

  @Test(arguments: [.options, .trace, .connect, .init("QUERY") ?? .trace] as [HTTPRequest.Method])
  func everyPathReturnsItsAllowedMethods(_ method: HTTPRequest.Method) async throws {
    try await API.test { api in
      let document = try await OpenAPIDocument(api)
      for (path, operations) in Dictionary(grouping: document.operations, by: \.path) {
        let methods = Set(operations.map(\.method))
        let answer = try await api.call(method, path.replacing("{", with: "").replacing("}", with: ""))
        #expect(answer.status == 405, "\(path)")
        let allowed = answer.headers[.allow].map { Set($0.split(separator: ", ").map(String.init)) }
        #expect(allowed == methods.union(methods.contains("GET") ? ["HEAD"] : []), "\(path)")
      }
    }
  }

  @Test func theDocumentHasTheQueryParametersOfTheService() async throws {
    try await API.test { api in
      let document = try await OpenAPIDocument(api)
      for (operation, (method, path)) in zip(document.operations, document.calls) where path.hasPrefix("/v1") {
        let parameters = try (operation.value["parameters"]?.array ?? []).map(document.resolved)
        let query = parameters.filter { $0["in"] == .string("query") }
        let names = query.compactMap { $0["name"]?.string }
        let path = path.prefix { $0 != "?" }
        let answer = try await api.call(method, path + "?no-such-parameter=1")
        #expect(answer.status == 422, "\(operation.name)")
        let known = answer.text.split(separator: "use one of ").dropFirst().first?.prefix { $0 != "\"" } ?? ""
        #expect(Set(known.split(separator: ", ").map(String.init)) == Set(names), "\(operation.name)")
        for parameter in query {
          let name = try #require(parameter["name"]?.string)
          let isRepeatable = parameter["schema"]?["type"] == .string("array")
          let repeated = try await api.call(method, path + "?\(name)=delivered&\(name)=failed")
          #expect(repeated.text.contains("the parameter occurs 2 times") == !isRepeatable, "\(operation.name) \(name)")
        }
      }
    }
  }

  @Test func theDocumentHasTheEnumerationsOfTheService() async throws {
    try await API.test { api in
      let document = try await OpenAPIDocument(api)
      func compare<Value: RawRepresentable<String> & CaseIterable>(_ name: String, _ type: Value.Type) throws {
        #expect(try document.enumeration(name) == Value.allCases.map(\.rawValue), "\(name)")
      }
      try compare("EventKind", EventKind.self)
      try compare("ReportState", Report.State.self)
      try compare("ReportPart", ReportPart.self)
      try compare("StorageKind", StorageKind.self)
      try compare("ClockMode", ClockMode.self)
      try compare("DeliveryPolicy", DeliveryPolicy.self)
      try compare("ReportURLChoice", ReportURLChoice.self)
      try compare("Recipient", Recipient.self)
      try compare("Presentation", AppTap.Presentation.self)
      try compare("NetworkMode", NetworkMode.self)
      try compare("SiteFailureCode", TransportFailure.Code.self)
      try compare("Severity", ManifestFinding.Severity.self)
      try compare("RuleOriginKind", RuleOrigin.Kind.self)
      // A message has the states of a report and of a postback.
      try compare("ReportState", Postback.State.self)
      try compare("AdFramework", AdFramework.self)
      try compare("AdInteractionType", InteractionType.self)
      try compare("PostbackRecipient", Postback.Recipient.self)
    }
  }

  @Test func theDocumentHasTheReasonCodesOfTheService() async throws {
    try await API.test { api in
      let document = try await OpenAPIDocument(api)
      #expect(try document.codes(of: "ManifestFinding") == Set(ManifestFinding.Code.allCases.map(\.rawValue)))
      // The invalid registration of an ad network is a problem and no reason.
      let problems: Set<String> = ["ad-network-key-wrong-curve", "postback-url-not-https"]
      let codes = try ReasonCodes.inSources()
      #expect(try document.codes(of: "Reason") == codes.subtracting(problems))
      #expect(Set(RuleCatalog.decisions.flatMap { $0.rules.flatMap { $0.title.reasons.compactMap(\.code) } }) == codes)
    }
  }
}

extension OpenAPIDocument {
  /// The codes that the description of a schema's `code` names, each between backquotes.
  func codes(of name: String) throws -> Set<String> {
    let text = try #require(schema(name)["properties"]?["code"]?["description"]?.string)
    return Set(
      text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
        .map { String($0.element) })
  }
}

/// The names of rules in the sources of the browser and the device.
enum RuleNames {
  static func inSources() throws -> Set<String> {
    let sources = API.fixtures.deletingLastPathComponent().appendingPathComponent("Sources")
    var names: Set<String> = []
    for target in ["PCMCore", "PCMNetwork", "PCMDevice", "PCMBrowser"] {
      let folder = sources.appendingPathComponent(target)
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where name.hasSuffix(".swift") {
        let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        names.formUnion(text.matches(of: /[Rr]ule(?:Title|<\w+>)?\(\s*(?:reason:\s*)?"([a-z0-9-]+)"/).map { String($0.1) })
      }
    }
    return names
  }
}
