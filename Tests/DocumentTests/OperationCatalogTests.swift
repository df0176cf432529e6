import HTTPSupport
import HTTPTypes
import Hummingbird
import PCMBrowser
import PCMCore
import PCMPages
import PCMScenario
import Testing

@testable import PCMHTTP

/// Each operation has everything that is read from the catalog.
@Suite struct OperationCatalogTests {
  @Test func everyOperationHasARoute() async throws {
    let routes = Set(try await API.router().routes.map { "\($0.method.rawValue) \($0.path)" })
    for input in OperationCatalog.all {
      #expect(input is any Operation.Type, "\(input.name) has no decision")
      #expect(routes.contains("\(input.method) \(Self.path(input) { "{\($0)}" })"), "\(input.name)")
    }
    #expect(Set(OperationCatalog.all.map { $0.name }).count == OperationCatalog.all.count)
    #expect(Set(OperationCatalog.all.map { $0.path }).count == OperationCatalog.all.count)
  }

  @Test func aStepNamesTheParametersOfThePath() {
    #expect(ImpressionEndInput().action(on: "impression-4").text == #"{"impressionId":"impression-4"}"#)
    #expect(CardDismissalInput().action(on: "a.b/c/d").text == #"{"bundleIdentifier":"a.b","idString":"c/d"}"#)
  }

  @Test func everyOperationIsInTheDocument() async throws {
    try await API.test { api in
      let operations = Set(try await OpenAPIDocument(api).operations.map(\.name))
      for input in OperationCatalog.all {
        #expect(operations.contains("\(input.method) \(Self.path(input) { "{\($0)}" })"), "\(input.name)")
      }
    }
  }

  @Test func everyOperationIsAStepOfAScenario() throws {
    let steps = try #require(ScenarioFormat.schema["$defs"]?["step"]?["properties"]).members
    for input in OperationCatalog.all {
      let step = steps.first { $0.name == input.name }?.value
      #expect(step?["description"]?.string == input.summary + ".", "\(input.name)")
    }
  }

  @Test func everyOperationOfUsersAndAppsHasAForm() {
    let page = BrowserPage(name: "checkout").html
    // A button of the settings has no members, and only an observer of a browser notes events of its pages.
    let others = ["send-development-postbacks", "clear-development-postbacks", "page-event"]
    for input in OperationCatalog.all {
      let path = Self.path(input) { ["browser", "device"].contains($0) ? "checkout" : "{\($0)}" }
      let isOffered = page.contains("data-method=\"\(input.method)\" data-path=\"\(path)\"")
      #expect(isOffered != others.contains(input.name), "\(input.name)")
    }
  }

  @Test func thePathOfACallHasItsNamesEncoded() {
    #expect(LaunchInput.path(in: "a/b c") == "/v1/devices/a%2Fb%20c/launches")
    #expect(ImpressionEndInput.path(in: "a", on: "impression-4/") == "/v1/devices/a/impressions/impression-4%2F/end")
    #expect(CardClickInput.path(in: "a", on: "a.b/c/d") == "/v1/devices/a/apps/a.b/cards/c%2Fd/clicks")
  }

  /// The path with other texts for its parameters.
  private static func path(_ input: any OperationInput.Type, _ text: (String) -> String) -> String {
    let parts = input.path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.map { $0.hasPrefix(":") ? text(String($0.dropFirst())) : String($0) }.joined(separator: "/")
  }
}
