import PCMBrowser
import PCMCore
import PCMHTTP
import PCMNetwork
import PCMScenario
import PCMSimulatedSites
import PCMStore
import Testing

@testable import PCMApp

/// The history of a browser, and its replay.
@Suite struct HistoryTests {
  /// A durable browser in a service that can be restarted.
  private struct Subject {
    let store = MemoryStore()
    let network = SimulatedSites(registrableDomain: { $0 })
    private(set) var api: InProcessAPI

    init() async throws {
      api = try await ReplayedBrowser.service(network, durable: store)
      let body = #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"s"}"#
      _ = try await call("PUT", "", body)
      _ = try await call("PUT", "/apps/com.example.news", #"{"reportEndpoint":"https://news.example"}"#)
    }

    mutating func restart() async throws { api = try await ReplayedBrowser.service(network, durable: store) }

    @discardableResult
    func call(_ method: String, _ path: String, _ body: String = "", browser: String = "session") async throws -> (
      status: Int, text: String
    ) {
      let type = body.hasPrefix("<") ? "application/x-plist" : "application/json"
      let answer = try await api.call(method, "/v1/browsers/\(browser)\(path)", body: Array(body.utf8), mediaType: type)
      #expect(answer.status < 500, "\(method) \(path): \(String(decoding: answer.body, as: UTF8.self))")
      return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    func scenario(of browser: String = "session") async throws -> String {
      let answer = try await call("GET", "/scenario", browser: browser)
      #expect(answer.status == 200, "\(answer.text)")
      return answer.text
    }

    func log(of browser: String = "session") async throws -> String { try await ReplayedBrowser.log(of: api, browser: browser) }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func randomCallsAreReplayedEventByEvent(_ seed: UInt64) async throws {
    var subject = try await Subject()
    var calls = RandomCalls(seed: seed)
    for number in 1...40 {
      if number == 25 { try await subject.restart() }
      let call = calls.next()
      try await subject.call(call.method, call.path, call.body)
    }
    let file = try await subject.scenario()
    #expect(try await ReplayedBrowser.log(ofReplaying: file) == subject.log(), "\(file)")
  }

  @Test func aCopyHasTheHistoryOfBoth() async throws {
    let subject = try await Subject()
    try await subject.call("POST", "/event-attributions", ReplayedBrowser.tap(""))
    try await subject.call("POST", "/forks", #"{"name":"copy"}"#)
    try await subject.call("POST", "/triggering-events", ReplayedBrowser.trigger, browser: "copy")
    try await subject.call("POST", "/clock/advance", #"{"untilIdle":true}"#, browser: "copy")
    for browser in ["session", "copy"] {
      let file = try await subject.scenario(of: browser)
      #expect(try await ReplayedBrowser.log(ofReplaying: file) == subject.log(of: browser), "\(file)")
    }
    #expect(try await subject.log(of: "copy").contains("report-delivered"))
  }

  /// A step keeps the behavior that it does not specify, but a PUT does not.
  @Test func aReplacedSiteIsReplacedInTheReplay() async throws {
    let subject = try await Subject()
    try await subject.call("PUT", "/network", #"{"mode":"simulated"}"#)
    try await subject.call("PUT", "/sites/www.shop.example", #"{"loads":{"/a":{"status":410}}}"#)
    let load = #"{"firstPartyURL":"https://shop.example/","url":"https://news.example/p"}"#
    let path = "https://news.example/.well-known/private-click-measurement/trigger-attribution/12"
    try await subject.call("PUT", "/sites/news.example", #"{"loads":{"/p":{"location":"\#(path)"}}}"#)
    try await subject.call("POST", "/loads", load)
    try await subject.call("PUT", "/sites/news.example", #"{"report":{"status":503}}"#)
    try await subject.call("POST", "/loads", load)
    try await subject.call("DELETE", "/sites/news.example")
    try await subject.call("POST", "/event-attributions", ReplayedBrowser.tap(""))
    try await subject.call("POST", "/triggering-events", ReplayedBrowser.trigger)
    try await subject.call("POST", "/clock/advance", #"{"untilIdle":true}"#)
    let log = try await subject.log()
    #expect(log.contains("report-delivered") && !log.contains("report-failed"), "\(log)")
    #expect(log.split(separator: "trigger-unmatched").count == 2, "\(log)")
    let file = try await subject.scenario()
    #expect(try await ReplayedBrowser.log(ofReplaying: file) == log, "\(file)")
  }

  @Test func aBrowserWithoutCallsHasAScenario() async throws {
    let subject = try await Subject()
    try await subject.call("PUT", "", #"{"clock":{"mode":"manual"}}"#, browser: "new")
    let file = try await subject.scenario(of: "new")
    #expect(try await ReplayedBrowser.log(ofReplaying: file) == subject.log(of: "new"), "\(file)")
  }

  @Test(arguments: [(10, true), (20, false)])
  func eventsBeyondTheSizeOfAFileAreNotExpected(_ count: Int, _ areExpected: Bool) throws {
    let transcript = Transcript(
      name: "long", seed: "s", isDurable: false, start: Instant(milliseconds: 0), settings: .object([]))
    let call = RecordedCall(
      action: .init("advance", ["by": "PT1H"]), response: .null, events: Array(repeating: .reportSent, count: 1_000))
    for isJSON in [false, true] {
      let file = try transcript.file(of: Array(repeating: call, count: count), isJSON: isJSON)
      #expect(try ScenarioReader().read(Array(file.utf8)).steps.count == count)
      #expect(file.contains("report-sent") == areExpected && file.utf8.count <= Transcript.sizeLimit)
    }
  }

  @Test(arguments: [0, 2_000])
  func callsBeyondTheLimitsOfAFileAreAnError(_ width: Int) throws {
    let transcript = Transcript(
      name: "long", seed: "s", isDurable: false, start: Instant(milliseconds: 0), settings: .object([]))
    let body: JSON = ["firstPartyURL": .string(String(repeating: "x", count: width)), "url": "https://news.example/"]
    let call = RecordedCall(action: .init("load", body), response: .null, events: [])
    let count = width == 0 ? 1_000 : 120
    let file = try transcript.file(of: Array(repeating: call, count: count), isJSON: false)
    #expect(try ScenarioReader().read(Array(file.utf8)).steps.count == count)
    #expect(throws: TranscriptEnd.full) {
      try transcript.file(of: Array(repeating: call, count: width == 0 ? 1_001 : 131), isJSON: false)
    }
  }
}

/// Random calls to a browser. Most are valid.
private struct RandomCalls {
  private var random: SplitMix64

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  private mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

  mutating func next() -> (method: String, path: String, body: String) {
    switch below(20) {
    case 0...3: ("POST", "/event-attributions", tap())
    case 4: ("POST", "/link-clicks", link())
    case 5...8: ("POST", "/triggering-events", trigger())
    case 9: ("POST", "/loads", load())
    case 10...13: ("POST", "/clock/advance", move())
    case 14: ("PATCH", "", settings())
    case 15: ("DELETE", one(of: ["/data?site=shop.example", "/data", "/apps/com.example.other"]), "")
    case 16: one(of: Self.apps)
    case 17: ("PUT", "/network", one(of: [#"{"mode":"simulated"}"#, #"{"mode":"real"}"#]))
    case 18: ("PUT", "/sites/\(one(of: Self.hosts))", site())
    default: ("DELETE", "/sites/\(one(of: Self.hosts))", "")
    }
  }

  private static let hosts = ["news.example", "shop.example", "www.news.example"]
  private static let apps = [
    ("PUT", "/apps", ReplayedBrowser.plist),
    ("PUT", "/apps/com.example.other", #"{"infoPlist":{"NSAdvertisingAttributionReportEndpoint":"http://a.example"}}"#),
    ("PUT", "/apps/com.example.other", #"{"reportEndpoint":"https://other.example","itemIdentifier":7}"#),
  ]

  private mutating func tap() -> String {
    let more = one(of: [
      "", "", #","sourceNonce":"ABEiM0RVZneImaq7zN3u_w""#, #","tapVerified":false"#, #","presentation":"safariViewController""#,
      #","sourceDescription":"ä: {*&"}"#,
    ])
    let app = one(of: ["news", "news", "other"])
    return """
      {"bundleIdentifier":"com.example.\(app)","sourceIdentifier":\(below(256)),\
      "destinationURL":"https://\(one(of: ["shop", "store"])).example/"\(more)}
      """
  }

  private mutating func link() -> String {
    """
    {"pageURL":"https://news.example/","attributionSourceID":"\(below(300))","attributionDestination":"https://shop.example",\
    "attributionSourceNonce":"\(one(of: ["ABEiM0RVZneImaq7zN3u_w", "x"]))"}
    """
  }

  private mutating func trigger() -> String {
    let page = #"{"firstPartyURL":"https://\#(one(of: ["shop", "store"])).example/","#
    let path = "https://news.example/.well-known/private-click-measurement/trigger-attribution/0\(below(10))/\(below(90))"
    return switch below(4) {
    case 0: page + #""pixelOf":"news.example","triggerData":\#(below(20)),"priority":\#(below(70))}"#
    case 1:
      page
        + #""redirect":{"from":"https://news.example/p","to":"\#(path)?attributionDestinationNonce=ABEiM0RVZneImaq7zN3u_w"}}"#
    case 2: page + #""redirect":{"from":"https://news.example/p","to":"\#(path)"},"bundleIdentifier":"com.example.news"}"#
    default: page + #""redirect":{"from":"https://news.example/p","to":"\#(path)"}}"#
    }
  }

  private mutating func load() -> String {
    #"{"firstPartyURL":"https://shop.example/","url":"https://\#(one(of: ["", "www."]))news.example/\#(one(of: ["p", "q"]))"}"#
  }

  private mutating func move() -> String {
    switch below(5) {
    case 0: #"{"toNextEvent":true}"#
    case 1: #"{"untilIdle":true,"within":"P9D"}"#
    case 2: #"{"by":"P3D"}"#
    default: #"{"by":"PT\#(below(40))H"}"#
    }
  }

  private mutating func settings() -> String {
    let change = one(of: [
      #""deliveryPolicy":"reliable""#, #""deliveryPolicy":"webkit""#, #""debugMode":true"#, #""debugMode":false"#,
      #""privateBrowsing":true"#, #""privateBrowsing":false"#, #""measurementEnabled":false"#, #""measurementEnabled":true"#,
      #""reportURL":"manifest""#,
    ])
    return #"{"settings":{\#(change)},"labels":{"a":"\#(below(9))"}}"#
  }

  private mutating func site() -> String { behavior.json.text }

  /// Failures, changed keys, and pages that cause triggering events.
  var behavior: SiteBehavior {
    mutating get {
      var (unavailable, forged, lost) = (SiteBehavior.Response.good, SiteBehavior.Response.good, SiteBehavior.Response.good)
      (unavailable.status, forged.forged, lost.failure) = (503, true, .timedOut)
      var redirect = SiteBehavior.Response.good
      redirect.location = "https://news.example/.well-known/private-click-measurement/trigger-attribution/1\(below(9))"
      return SiteBehavior(
        key: one(of: [nil, .first, .second]), report: one(of: [nil, [unavailable, .good], [lost, unavailable, .good]]),
        tokenKey: one(of: [nil, nil, [lost, .good]]), sign: one(of: [nil, nil, [forged, .good]]),
        loads: ["/p": [redirect, unavailable], "/q": [redirect]])
    }
  }
}
