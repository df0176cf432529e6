import PCMCore
import PCMScenario
import Testing

/// Expectations of members that the API's responses, events, and records never have.
@Suite struct ResponseMemberTests {
  private static let click =
    #"link-click: { pageURL: "https://a.example/", attributionSourceID: "1", attributionDestination: "https://b.example" }"#
  private static let trigger = #"triggering-event: { firstPartyURL: "https://b.example/", pixelOf: a.example, triggerData: 3 }"#
  private static let value = "conversion-value: { bundleIdentifier: com.example.game, fineValue: 1 }"

  private func errors(_ action: String, _ expectation: String) -> [ScenarioError] {
    PCMScenarioReadingTests.errors("scenario: a\nsteps:\n  - { \(action), expect: { \(expectation) } }\n")
  }

  static let unknown: [(String, String, String, String)] = [
    (click, "answer: { outcom: stored }", "answer/outcom", "outcome"),
    (click, "answer: { outcom: null }", "answer/outcom", "outcome"),
    (click, "answer: { click: { sourceSit: a.example } }", "answer/click/sourceSit", "sourceSite"),
    (click, "answer: { reasons: [{ code: a }, { detial: b }] }", "answer/reasons/1/detial", "detail"),
    (click, "status: 422, answer: { erors: [] }", "answer/erors", "errors"),
    (trigger, "answer: { atribution: null }", "answer/atribution", "attribution"),
    (
      #"load: { firstPartyURL: "https://b.example/", url: "https://a.example/" }"#, "answer: { hops: [{ stat: 200 }] }",
      "answer/hops/0/stat", "status"
    ),
    ("at: PT1H", "answer: { finishd: true }", "answer/finishd", "finished"),
    ("advance: PT1H", "answer: { evenCount: 1 }", "answer/evenCount", "eventCount"),
    ("settings: { debugMode: true }", "answer: { setings: {} }", "answer/setings", "settings"),
    (value, "answer: { convesions: [] }", "answer/convesions", "conversions"),
    ("install: { bundleIdentifier: com.example.game }", "answer: { outcom: attributed }", "answer/outcom", "outcome"),
    ("launch: { bundleIdentifier: com.example.game }", "answer: { x: 1 }", "answer/x", "first"),
    (click, "events: [{ kind: click-stored, detail: { sourceSit: a.example } }]", "events/0/detail/sourceSit", "sourceSite"),
    (
      click, "events: [click-stored, [{ kind: report-sent, detail: { reprtId: null } }]]", "events/1/0/detail/reprtId",
      "reportId"
    ),
    (
      click, "events: [{ kind: click-discarded, detail: { reasons: [{ cod: a }] } }]", "events/0/detail/reasons/0/cod", "code"
    ),
    (click, "reports: [{ attempts: [{ htttpStatus: 200 }] }]", "reports/0/attempts/0/htttpStatus", "httpStatus"),
    (click, "reports: [{ body: { sourceid: 1 } }]", "reports/0/body/sourceid", "source_id"),
    (value, "postbacks: [{ attempts: [{ statos: 200 }] }]", "postbacks/0/attempts/0/statos", "httpStatus"),
    (value, "postbacks: [{ body: { contry-code: null } }]", "postbacks/0/body/contry-code", "country-code"),
    (value, "postbacks: [{ payload: { did-wn: true } }]", "postbacks/0/payload/did-wn", "did-win"),
    (value, "installs: [{ conversions: [{ winnr: x }] }]", "installs/0/conversions/0/winnr", "winnerId"),
  ]

  @Test("An unknown member is an error with the members that exist, also with null", arguments: unknown)
  func unknownMembers(_ action: String, _ expectation: String, _ place: String, _ known: String) throws {
    let found = errors(action, expectation)
    #expect(found.map(\.pointer) == ["/steps/0/expect/\(place)"], "\(found)")
    let error = try #require(found.first)
    #expect(error.code == .unknownMember)
    let words = try #require(error.detail.firstMatch(of: /^expected (.*), found "/)?.1)
    #expect(words.split(separator: ", ").contains { $0 == known }, "\(error.detail)")
  }

  @Test(
    "Known members are no errors, also with null, which stands for an absent member",
    arguments: [
      (
        click,
        "answer: { outcome: stored, reasons: [], click: { sourceIdentifier: 1, sourceToken: null }, attributionId: null }"
      ),
      (click, "answer: { click: null }"), (click, "answer: null"),
      (click, "status: 422, answer: { code: invalid, errors: [{ pointer: /a }] }"),
      (trigger, "answer: { trigger: { data: 3 }, attribution: { triggerData: 3 } }"),
      (click, "events: [{ kind: data-cleared, detail: {} }, click-stored]"),
      (click, "events: [{ kind: token-requested, detail: { } }]"),
      (
        value,
        "postbacks: [{ body: { country-code: null, conversion-value: 1 }, attempts: [{ error: { code: http-status } }] }]"
      ),
      ("clear: {}", "answer: null"), ("restart: {}", "answer: { any: 1 }"),
      ("impression-end: {}", "answer: { outcome: recorded, openedURL: null }"),
    ])
  func knownMembers(_ action: String, _ expectation: String) {
    let found = errors(action, expectation).filter { !$0.detail.contains("storage to be durable") }
    #expect(found.isEmpty, "\(found)")
  }
}
