import PCMApp
import PCMCore
import PCMScenario
import PCMURL
import Testing

/// Rejected calls are reported in terms of the scenario file, at the places of its values.
@Suite struct FailedCallTests {
  private static let app = "com.example.news: { reportEndpoint: 'https://news.example' }"

  private func failure(_ file: String) async throws -> ScenarioResult.Failure {
    let scenario = try ScenarioReader().read(Array(file.utf8))
    let stages = ScenarioStages(sites: SiteParser(publicSuffixList: .builtIn()))
    return try #require(try await stages.play(scenario).failure)
  }

  @Test func theErrorOfAnUnknownAppSuggestsApps() async throws {
    let failure = try await failure(
      """
      scenario: a
      apps: { \(Self.app) }
      steps:
        - event-attribution:
            bundleIdentifier: com.example.nwes
            sourceIdentifier: 256
            destinationURL: https://shop.example/
      """)
    #expect(failure.step == 1)
    #expect(failure.mismatches.map(\.place) == [SourcePlace(line: 5, column: 25), SourcePlace(line: 6, column: 25)])
    #expect(
      failure.mismatches.map(\.pointer) == [
        "/steps/0/event-attribution/bundleIdentifier", "/steps/0/event-attribution/sourceIdentifier",
      ])
    #expect(
      failure.mismatches.first?.detail
        == "expected the call to be accepted, but it returned 422: bundleIdentifier: no app \"com.example.nwes\" is registered; "
        + "add it under `apps:`, or register it in an earlier step with `app:`")
    for mismatch in failure.mismatches {
      for word in ["PUT", "…/apps", "/sourceIdentifier:"] {
        #expect(!mismatch.detail.contains(word) && !mismatch.actual.text.contains(word), "\(mismatch.detail)")
      }
    }
  }

  @Test(
    arguments: [
      (
        "triggering-event: { firstPartyURL: 'https://shop.example/', redirect: { from: shop, to: 'https://a.example/' } }",
        SourcePlace(line: 4, column: 83), "/triggering-event/redirect/from", "redirect.from: The URL has no scheme"
      ),
      ("advance: { by: soon }", SourcePlace(line: 4, column: 20), "/advance/by", "by: "),
      ("settings: { deliveryPolicy: never }", SourcePlace(line: 4, column: 33), "/settings/deliveryPolicy", "deliveryPolicy: "),
      (
        "cards: { bundleIdentifier: com.example.news, cards: [{ id: a }, 5] }",
        SourcePlace(line: 4, column: 69), "/cards/cards/1", "cards.1: "
      ),
      ("remove-app: com.example.none", SourcePlace(line: 4, column: 5), "", "returned 404: no app \"com.example.none\""),
    ])
  func aRejectedValueHasItsPlaceInTheFile(
    _ step: String, _ place: SourcePlace, _ pointer: String, _ words: String
  ) async throws {
    let failure = try await failure("scenario: a\napps: { \(Self.app) }\nsteps:\n  - \(step)\n")
    let mismatch = try #require(failure.mismatches.first)
    #expect(failure.mismatches.count == 1)
    #expect(mismatch.place == place, "\(step)")
    #expect(mismatch.pointer == "/steps/0" + pointer)
    #expect(mismatch.detail.contains(words), "\(mismatch.detail)")
  }

  @Test func errorsOfThePreparationHaveTheirPlace() async throws {
    let app = try await failure("scenario: a\napps:\n  com.example.a: {}\n  not good: {}\nsteps:\n  - at: PT1H\n")
    #expect(app.step == 0)
    #expect(app.mismatches.map(\.place) == [SourcePlace(line: 4, column: 3)])
    #expect(app.mismatches.map(\.pointer) == ["/apps/not good"])
    let setting = try await failure(
      "scenario: a\nbrowser:\n  settings:\n    deliveryPolicy: never\nsteps:\n  - at: PT1H\n")
    #expect(setting.step == 0)
    #expect(setting.mismatches.map(\.place) == [SourcePlace(line: 4, column: 21)])
    #expect(setting.mismatches.map(\.pointer) == ["/browser/settings/deliveryPolicy"])
  }
}
