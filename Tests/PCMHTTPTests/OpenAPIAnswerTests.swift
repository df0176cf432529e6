import BrowserSupport
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOConcurrencyHelpers
import NIOCore
import PCMCore
import PCMHTTP
import PCMNetwork
import PCMStore
import Testing

/// What the service answers is what the document says: nothing more in any answer, and nothing in the document that
/// never comes.
@Suite struct OpenAPIAnswerTests {
  /// What the document may say although no answer here has it: it comes in the middle of a sending.
  private static let unseen: Set<String> = [
    #"ReportStateValue: "sending""#, #"SDKRequest/properties/state: "sending""#,
    // More events than one answer has: `MoveTests.eventPages` has them.
    "ClockAdvanced/properties/next: value",
    // Every attribution has these. The log stores them as values that an attribution may lack.
    "AttributedDetail/properties/sourceReportId: null", "AttributedDetail/properties/destinationReportId: null",
    "AttributedDetail/properties/triggeringEventId: null",
    // A device has a country.
    "AppInstalledDetail/properties/country: null",
    // Every window without a postback has a change that leads to one.
    "PostbackDroppedDetail/properties/change: null",
    // Only a tap on a complete ad opens an app, which receives no error.
    "ImpressionTappedDetail/properties/adNetworkIdentifier: null",
    "ImpressionTappedDetail/properties/advertisedAppStoreItemIdentifier: null",
    "ImpressionTappedDetail/properties/appleError: value", "ImpressionTappedDetail/properties/bundleIdentifier: null",
    "ImpressionTappedDetail/properties/interaction: null",
    // Later versions have such events.
    "OtherEvent/properties/kind: value", "OtherEvent/properties/sequence: value", "OtherEvent/properties/at: value",
    "OtherEvent/properties/detail: value", "OtherEvent/properties/decision: value",
  ]

  /// A body that breaks off takes a socket to see.
  private static let unheard = ["PUT /v1/browsers/{browser}/apps 400", "PUT /v1/devices/{device}/apps 400"]

  @Test func everyResponseMatchesTheDocumentAndEveryDescriptionOccurs() async throws {
    let store = MemoryStore()
    try await API.test(store: store, transport: ScriptedTransport(answer: Self.answer)) { api in
      let witness = OpenAPIWitness(try await OpenAPIDocument(api))
      let story = Story(api: api, witness: witness)
      try await story.exerciseBrowsersAndApps()
      try await story.exerciseClicks()
      try await story.exerciseTriggers()
      try await story.exerciseReports()
      try await story.exerciseTokens()
      try await story.exerciseLateTriggers()
      try await story.exerciseAttachments()
      try await story.exerciseExplanations()
      try await Self.fillLog(in: store)
      try await story.exerciseALongLog()
      try await story.exerciseTheService()
      try await story.exerciseExpectationsAndForks()
      try await story.exerciseSimulatedSites()
      try await story.exerciseScenarios()
      try await story.exerciseDevices()
      try await Self.exerciseManyScenarios(witness)
      try await story.exerciseProblems()
      try await story.exerciseRepetitions()
      try await Self.exerciseAccess(witness)
      try await Self.exerciseASetClock(witness)
      try await Self.exerciseAnUnreadableBrowser(witness)
      try await Self.exerciseManyBrowsers(witness)
      try await store.close()
      try await story.exerciseAStoreThatIsGone()
      let unseen = try await witness.unseen
      #expect(unseen.filter { !Self.unseen.contains($0) } == [])
      #expect(Self.unseen.subtracting(unseen) == [], "these are seen now")
      let unheard = await witness.unheard
      #expect(unheard == Self.unheard)
    }
  }

  /// The first report is delivered, the second finds no endpoint, the third is refused, and the rest are delivered. Loads are
  /// distinguished by their URLs.
  private static let answer: @Sendable (OutgoingRequest, Int) -> Exchange = { request, number in
    switch (request.url, number) {
    case ("https://news.example/pixel", _): return Exchange(httpStatus: 302, location: "\(TriggerURL.pathPrefix)12/03")
    case (let url, _) where url.hasPrefix("https://signs.example/"):
      return (try? TokenSigner())?.answer(request) ?? Exchange(httpStatus: 500)
    case (let url, _) where url.hasSuffix("/get-signed-payload"):
      let body = try? DeviceAds.signedPayload()
      return Exchange(httpStatus: 200, contentType: "application/json", body: body ?? [])
    case ("https://analytics.adjust.com/event", _), ("https://analytics.adjust.world/event", _):
      return Exchange(failure: TransportFailure(.addressRefused, "the host is not mapped"))
    case ("https://gone.example/", _), (_, 2):
      return Exchange(failure: TransportFailure(.nameNotResolved, "there is no such host"))
    case (_, 3): return Exchange(httpStatus: 503, body: Array("later".utf8), insecure: true)
    default:
      let timings = Exchange.Timings(dns: 1, connect: 2, tls: 3, firstByte: 4, total: 5)
      return Exchange(
        httpStatus: 200, httpVersion: "2", remoteAddress: "127.0.0.1", timings: timings, contentType: "text/plain",
        body: Array("thanks".utf8))
    }
  }

  /// So that some more events make the log so long that old ones are removed.
  private static func fillLog(in store: MemoryStore) async throws {
    let browser = try #require(try await store.browsers().first { $0.name == "test" })
    try await store.write(browser.id) { writer in
      let event = ClickExpired(click: 1, expiredAt: Scene.start)
      while try writer.nextSequence() < 2 * LogBlock.size - 5 { try writer.append(event, at: writer.state().now) }
    }
  }

  /// A service that plays as many scenarios as it may.
  private static func exerciseManyScenarios(_ witness: OpenAPIWitness) async throws {
    try await Application(router: try await API.router(scenariosAtATime: 0)).test(.router) { client in
      let answer = try await API(client: client).call(
        .post, "/v1/scenarios", ScenarioRouteTests.good, type: "application/yaml")
      #expect(answer.status == 503)
      try await witness.hear(answer, to: .post, "/v1/scenarios")
    }
  }

  /// A service on a machine whose clock was ahead at the last click.
  private static func exerciseASetClock(_ witness: OpenAPIWitness) async throws {
    let now = NIOLockedValueBox(Scene.start + .days(1_000))
    let router = try await API.router(wallClock: { now.withLockedValue { $0 } })
    try await Application(router: router).test(.router) { client in
      let (api, path) = (API(client: client), "/v1/browsers/default")
      let click =
        #"{"pageURL":"https://news.example/","attributionSourceID":"4","attributionDestination":"https://shop.example"}"#
      #expect(try await api.call(.post, "\(path)/link-clicks", click).status == 201)
      now.withLockedValue { $0 = Scene.start }
      let answer = try await api.call(.get, path)
      let clock: [String: String] = try answer.member("clock")
      #expect(clock["ahead"] == "PT24000H")
      #expect(clock["now"] == (Scene.start + .days(1_000)).text)
      try await witness.hear(answer, to: .get, path)
      #expect(try await api.call(.post, "\(path)/link-clicks", click).status == 201)
      let events = try await api.call(.get, "\(path)/events?kind=clock-set-back")
      #expect(events.text.contains("{\"machineTime\":\"\(Scene.start.text)\"}"))
      try await witness.hear(events, to: .get, "\(path)/events?kind=clock-set-back")
    }
  }

  private static func exerciseAnUnreadableBrowser(_ witness: OpenAPIWitness) async throws {
    try await Application(router: try await API.router(store: DamagedStore("test"))).test(.router) { client in
      for (method, path) in Story.everyCall
      where path.contains("/test") && !(method == .delete && path.hasSuffix("/test")) {
        let answer = try await API(client: client).call(method, path)
        #expect(answer.status == 503, "\(path)")
        try await witness.hear(answer, to: method, path)
      }
    }
  }

  /// A service with as many browsers as it may have.
  private static func exerciseManyBrowsers(_ witness: OpenAPIWitness) async throws {
    try await Application(router: try await API.router(maximumBrowserCount: 1)).test(.router) { client in
      let api = API(client: client)
      let calls: [(HTTPRequest.Method, String)] = [
        (.post, "/v1/browsers"), (.put, "/v1/browsers/test"), (.put, "/v1/devices/test"),
        (.post, "/v1/browsers/default/forks"),
      ]
      for (method, path) in calls {
        let answer = try await api.call(method, path)
        #expect(answer.status == 409, "\(path)")
        #expect(try answer.member("code") == "limit-reached")
        try await witness.hear(answer, to: method, path)
      }
    }
  }

  /// The same resources, asked for without the token, under another name, and by another site's page.
  private static func exerciseAccess(_ witness: OpenAPIWitness) async throws {
    let needNoToken = ["/", "/healthz", "/readyz", "/metrics"]
    let cases: [(AccessRules, HTTPFields, Int)] = [
      (AccessRules(hosts: nil, token: "secret"), [:], 401), (AccessRules(hosts: ["other"], token: nil), [:], 421),
      (.open, [.origin: "https://evil.example"], 403),
    ]
    for (rules, headers, status) in cases {
      let router = try await API.router(access: rules)
      try await Application(router: router).test(.router) { client in
        let api = API(client: client)
        for (method, path) in Story.everyCall {
          let answer = try await api.call(method, path, headers: headers)
          let isOpen = needNoToken.contains(path) && status == 401
          #expect(answer.status == (isOpen ? 200 : status), "\(path)")
          try await witness.hear(answer, to: method, path)
        }
      }
    }
  }
}
