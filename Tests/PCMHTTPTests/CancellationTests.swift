import BrowserSupport
import Foundation
import HTTPSupport
import Logging
import NIOConcurrencyHelpers
import PCMCore
import PCMHTTP
import PCMNetwork
import Testing

@testable import PCMBrowser

/// Calls whose caller disconnects.
@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
  private static let clock = #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"},"seed":"seed"}"#
  static let click = """
    {"pageURL":"https://news.example/","attributionSourceID":"4","attributionDestination":"https://shop.example"}
    """
  private static let twoDays = #"{"by":"PT48H"}"#
  private static let path = "/v1/browsers/test"
  private static let move = "/v1/browsers/test/clock/advance"

  private let network = HeldNetwork()

  private var gate: Gate { network.gate }
  private var transport: ScriptedTransport { network.transport }

  @Test("an advance that is canceled while it waits returns 503 and changes nothing")
  func canceledTask() async throws {
    let log = NIOLockedValueBox<[String]>([])
    let logger = Logger(label: "test") { _ in RecordingLog(log) }
    let api = InProcessAPI(try await API.metered(transport: transport), logger: logger)
    @Sendable func call(_ method: String, _ path: String, _ body: String = "") async throws -> InProcessAPI.Response {
      try await api.call(method, path, body: Array(body.utf8), mediaType: "application/json")
    }
    #expect(try await call("PUT", Self.path, Self.clock).status == 201)
    // The click requests a token, and an advance waits until it has one.
    let nonce = #","attributionSourceNonce":"ABCDEFabcdef0123456789"}"#
    let click = Task { try await call("POST", Self.path + "/link-clicks", Self.click.replacing("}", with: nonce)) }
    await network.untilRequest()
    let advance = Task { try await call("POST", Self.move, Self.twoDays) }
    advance.cancel()
    gate.open()
    #expect(try await click.value.status == 201)
    let answer = try await advance.value
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(answer.status == 503)
    #expect(text.contains(#""type":"urn:pcm-browser:problem:cancelled""#), "\(text)")
    let browser = try await call("GET", Self.path)
    #expect(String(decoding: browser.body, as: UTF8.self).contains(#""now":"2026-11-20T10:00:00.000Z""#))
    #expect(log.withLockedValue { $0 } == [], "a caller who goes away is no fault of the service")
  }

  @Test("an advance whose caller closes the connection stops after the report that is being sent")
  func closedConnection() async throws {
    try await LiveServer.run(.patient, transport: transport) { server in
      try await Self.prepare(server)
      try await server.connect(endsInReset: true) { line in
        try await line.send(Self.request("POST", Self.move, Self.twoDays, keepAlive: true))
        await network.untilRequest()
        let second = try await server.exchange(Self.request("POST", Self.move, Self.twoDays, keepAlive: false))
        #expect(second.hasPrefix("HTTP/1.1 409 ") && second.contains(#""code":"clock-moving""#), "\(second)")
        #expect(second.contains(#""retryable":true"#))
      }
      await server.untilConnections(0)
      gate.open()
      // A change waits for the end of the advance.
      let browser = try await server.exchange(Self.request("PATCH", Self.path, "{}", keepAlive: false))
      #expect(browser.hasPrefix("HTTP/1.1 200 "), "\(browser)")
      #expect(!browser.contains(#""now":"2026-11-22T10:00:00.000Z""#), "\(browser)")
      let reports = try await server.exchange(Self.request("GET", Self.path + "/reports?state=delivered", "", keepAlive: false))
      #expect(reports.components(separatedBy: #""state":"delivered""#).count == 2, "\(reports)")
    }
  }

  @Test("a shutdown ends an advance after the report that is being sent, and waits at once")
  func shutdown() async throws {
    try await LiveServer.run(.patient, transport: transport) { server in
      try await Self.prepare(server)
      async let advance = server.exchange(Self.request("POST", Self.move, Self.twoDays, keepAlive: false))
      await network.untilRequest()
      let events = Self.path + "/events?kind=report-failed&wait=PT5M"
      async let wait = server.exchange(Self.request("GET", events, "", keepAlive: false))
      let expectation = #"{"noReport":{"triggerData":9},"wait":"PT5M"}"#
      async let check = server.exchange(Self.request("POST", Self.path + "/expectations", expectation, keepAlive: false))
      await server.untilConnections(3)
      await server.shutDown()
      #expect(try await wait.contains(#""timedOut":true"#))
      #expect(try await check.contains(#""code":"cancelled""#), "an interrupted wait does not prove that there is no report")
      gate.open()
      let answer = try await advance
      #expect(answer.contains(#""finished":false"#), "\(answer)")
    }
  }

  @Test("an expectation during an advance does not wait for the advance")
  func expectationDuringAdvance() async throws {
    try await LiveServer.run(.patient, transport: transport) { server in
      try await Self.prepare(server)
      try await server.connect { line in
        try await line.send(Self.request("POST", Self.move, Self.twoDays, keepAlive: true))
        await network.untilRequest()
        let expectation = #"{"report":{"recipient":"source","state":"delivered"}}"#
        let answer = try await server.exchange(
          Self.request("POST", Self.path + "/expectations", expectation, keepAlive: false))
        #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains(#""met":false"#), "\(answer)")
        gate.open()
        _ = try await line.read(to: "\"next\":null}\n")
      }
    }
  }

  /// Sites that do not respond. A request to them ends when it is canceled.
  private struct SilentNetwork {
    let requests = AsyncStream.makeStream(of: Void.self)
    let canceled = AsyncStream.makeStream(of: Void.self)

    var transport: ScriptedTransport {
      ScriptedTransport { [requests = requests.continuation, canceled = canceled.continuation] _, _ in
        requests.yield()
        for await _ in AsyncStream.makeStream(of: Never.self).stream {}
        canceled.yield()
        return Exchange(failure: TransportFailure(.transportClosed, "the request was canceled"))
      }
    }
  }

  @Test("a click whose caller closes the connection ends its request for a web ad")
  func webAd() async throws {
    let network = SilentNetwork()
    let click = Self.click.replacing(
      "}", with: #","attributionSourceNonce":"ABCDEFabcdef0123456789","href":"https://apps.apple.com/app/id525463029"}"#)
    try await LiveServer.run(.patient, transport: network.transport) { server in
      _ = try await server.exchange(Self.request("PUT", Self.path, Self.clock, keepAlive: false))
      try await server.connect(endsInReset: true) { line in
        try await line.send(Self.request("POST", Self.path + "/link-clicks", click, keepAlive: true))
        for await _ in network.requests.stream { break }
      }
      for await _ in network.canceled.stream { break }
      // An advance waits for the end of the click.
      let advanced = try await server.exchange(Self.request("POST", Self.move, Self.twoDays, keepAlive: false))
      #expect(advanced.hasPrefix("HTTP/1.1 200 "), "\(advanced)")
      let events = try await server.exchange(
        Self.request("GET", Self.path + "/events?kind=impression-rejected", "", keepAlive: false))
      #expect(events.contains(#""code":"transport-closed""#), "\(events)")
    }
  }

  @Test("a load whose caller closes the connection ends")
  func load() async throws {
    let network = SilentNetwork()
    let load = #"{"firstPartyURL":"https://shop.example/","url":"https://news.example/"}"#
    try await LiveServer.run(.patient, transport: network.transport) { server in
      _ = try await server.exchange(Self.request("PUT", Self.path, Self.clock, keepAlive: false))
      try await server.connect(endsInReset: true) { line in
        try await line.send(Self.request("POST", Self.path + "/loads", load, keepAlive: true))
        for await _ in network.requests.stream { break }
      }
      for await _ in network.canceled.stream { break }
    }
  }

  @Test("a scenario beyond the number at a time is refused until one ends")
  func busyScenarios() async throws {
    let (began, canceled) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
    let scenarios = ScenarioPlaying(most: 2) { _ in
      began.continuation.yield()
      for await _ in AsyncStream.makeStream(of: Never.self).stream {}
      canceled.continuation.yield()
      throw CancellationError()
    }
    let text = API.scenario
    let request =
      "POST /v1/scenarios HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/yaml\r\nConnection: close\r\n"
      + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
    try await LiveServer.run(.patient, scenarios: scenarios) { server in
      try await server.connect(endsInReset: true) { first in
        try await first.send(request)
        for await _ in began.stream { break }
        try await server.connect(endsInReset: true) { second in
          try await second.send(request)
          for await _ in began.stream { break }
          let third = try await server.exchange(request)
          #expect(third.hasPrefix("HTTP/1.1 503 ") && third.contains(#""code":"busy""#), "\(third)")
        }
        for await _ in canceled.stream { break }
        try await server.connect(endsInReset: true) { third in
          try await third.send(request)
          for await _ in began.stream { break }
        }
        for await _ in canceled.stream { break }
      }
      for await _ in canceled.stream { break }
    }
  }

  @Test("a scenario whose caller closes the connection is canceled")
  func scenario() async throws {
    let (began, canceled) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
    let scenarios = ScenarioPlaying { _ in
      began.continuation.yield()
      for await _ in AsyncStream.makeStream(of: Never.self).stream {}
      canceled.continuation.yield()
      throw CancellationError()
    }
    let text = API.scenario
    try await LiveServer.run(.patient, scenarios: scenarios) { server in
      try await server.connect(endsInReset: true) { line in
        try await line.send(
          "POST /v1/scenarios HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/yaml\r\n"
            + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
        for await _ in began.stream { break }
      }
      for await _ in canceled.stream { break }
    }
  }

  /// A call that waits for an event or a report.
  enum WaitingCall: CaseIterable, Sendable {
    case events, expectation

    fileprivate var request: String {
      switch self {
      case .events: CancellationTests.request("GET", "/v1/browsers/default/events?after=9&wait=PT5M", "", keepAlive: true)
      case .expectation:
        CancellationTests.request("POST", "/v1/browsers/default/expectations", #"{"report":{},"wait":"PT5M"}"#, keepAlive: true)
      }
    }
  }

  @Test("a wait whose caller closes the connection ends", arguments: WaitingCall.allCases)
  func departedWait(_ wait: WaitingCall) async throws {
    try await LiveServer.run(.patient) { server in
      try await server.connect { line in try await line.send(wait.request) }
      await server.untilConnections(0)
    }
  }

  @Test("callers that leave within a request keep nothing", arguments: [false, true])
  func departedWithinRequest(_ endsInReset: Bool) async throws {
    let chunked = "PUT /v1/browsers/default/apps HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
    let click = Self.request("POST", "/v1/browsers/default/link-clicks", Self.click, keepAlive: true)
    try await LiveServer.run(.patient) { server in
      for request in [click, chunked, "nonsense\r\n\r\n"] {
        for size in stride(from: 1, to: request.utf8.count, by: 7) {
          try await server.connect(endsInReset: endsInReset) {
            try await $0.send(String(decoding: request.utf8.prefix(size), as: UTF8.self))
          }
        }
      }
      await server.untilConnections(0)
      let metrics = try await server.exchange(Self.request("GET", "/metrics", "", keepAlive: false))
      #expect(!metrics.contains(#"status="5xx""#), "\(metrics)")
      let clicks = try await server.exchange(Self.request("GET", "/v1/browsers/default/clicks", "", keepAlive: false))
      #expect(clicks.contains(#""items":[]"#), "\(clicks)")
    }
  }

  @Test("a connection stays open after an advance")
  func keptConnection() async throws {
    gate.open()
    try await LiveServer.run(.patient, transport: transport) { server in
      _ = try await server.exchange(Self.request("PUT", Self.path, Self.clock, keepAlive: false))
      try await server.connect { line in
        for day in 22...25 {
          try await line.send(Self.request("POST", Self.move, Self.twoDays, keepAlive: true))
          let answer = try await line.read(to: "\"next\":null}\n")
          #expect(answer.hasPrefix("HTTP/1.1 200 "), "day \(day): \(answer)")
        }
      }
    }
  }

  /// A call that waits for a move of the clock.
  private struct Call: Sendable {
    let method: String
    let path: String
    let body: String

    init(_ method: String, _ path: String, _ body: String = "") {
      (self.method, self.path, self.body) = (method, path, body)
    }

    func request(keepAlive: Bool) -> String { CancellationTests.request(method, path, body, keepAlive: keepAlive) }
  }

  private static let device = "/v1/devices/test"

  private static let waitingCalls: [Call] = [
    Call("POST", "\(path)/link-clicks", click), Call("POST", "\(path)/event-attributions", API.eventAttribution),
    Call("POST", "\(path)/triggering-events", API.trigger), Call("POST", "\(path)/loads", IdempotencyTests.load),
    Call("POST", "\(path)/forks"), Call("DELETE", "\(path)/data"),
    Call("PATCH", path, #"{"settings":{"debugMode":true},"device":{"developerMode":true}}"#),
    Call("PUT", "\(path)/apps/com.example.other", #"{"reportEndpoint":"https://news.example"}"#),
    Call("DELETE", "\(path)/apps/com.example.other"), Call("PUT", "\(path)/network", #"{"mode":"simulated"}"#),
    Call("PUT", "\(path)/sites/news.example", "{}"), Call("DELETE", "\(path)/sites/news.example"),
    Call("DELETE", "\(device)/ad-networks/\(DeviceAds.network)"), Call("POST", "\(device)/impressions/impression-1/end"),
    Call("POST", "\(device)/impressions/impression-1/tap"), Call("POST", "\(device)/installs", DeviceAds.install),
    Call("POST", "\(device)/launches", DeviceAds.install), Call("POST", "\(device)/conversion-values", DeviceAds.value()),
    Call("POST", "\(device)/development-postbacks", DeviceAds.install),
    Call("POST", "\(device)/development-postbacks/send"), Call("POST", "\(device)/development-postbacks/clear"),
    Call("POST", "\(device)/tracking-requests", DeviceAds.install),
    Call("POST", "\(device)/sdk-events", #"{"bundleIdentifier":"com.example.shop","event":"open"}"#),
    Call("DELETE", path),
  ]

  @Test("calls that wait for a moving clock end when their callers leave, and change nothing", arguments: [false, true])
  func departedDuringMove(_ endsInReset: Bool) async throws {
    try await duringMove { server, browser in
      let (lock, end) = (browser.lock, try await browser.logEnd())
      await Self.whileWaiting(Self.waitingCalls, at: server, endsInReset: endsInReset, lock)
      // The connection of the advance stays open.
      await server.untilConnections(1)
      let metrics = try await server.exchange(Self.request("GET", "/metrics", "", keepAlive: false))
      #expect(!metrics.contains(#"status="5xx""#), "\(metrics)")
      #expect(try await browser.logEnd() == end, "nothing happened while the clock moves")
      async let click = server.exchange(Self.waitingCalls[0].request(keepAlive: false))
      await Self.until(1, lock)
      network.gate.open()
      #expect(try await click.hasPrefix("HTTP/1.1 201 "))
      let later = try await browser.events(after: end, limit: 1_000).map(\.kind)
      let ofMove: Set<EventKind> = [.reportSent, .reportDelivered, .clockAdvanced]
      #expect(later.filter { !ofMove.contains($0) } == [.clickStored])
    }
  }

  /// Moves the clock of a browser until the network's gate opens, and performs `body` meanwhile.
  private func duringMove(_ body: @Sendable (LiveServer, Browser) async throws -> Void) async throws {
    let known = NIOLockedValueBox<Browsers?>(nil)
    let keep: (Browsers) -> Void = { browsers in known.withLockedValue { $0 = browsers } }
    try await LiveServer.run(.patient, transport: transport, onLoad: keep) { server in
      try await Self.prepare(server)
      let browsers = try #require(known.withLockedValue { $0 })
      let browser = try await browsers.browser("test")
      try await server.connect { line in
        try await line.send(Self.request("POST", Self.move, Self.twoDays, keepAlive: true))
        await network.untilRequest()
        try await body(server, browser)
        gate.open()
        _ = try await line.read(to: "\"next\":null}\n")
      }
    }
  }

  /// Sends calls that wait, one after the other. Then their callers leave. Returns when no call waits.
  private static func whileWaiting(
    _ calls: [Call], at server: LiveServer, endsInReset: Bool = false, _ lock: OperationLock
  ) async {
    let leave = Gate()
    await withThrowingTaskGroup(of: Void.self) { group in
      defer { leave.open() }
      for (index, call) in calls.enumerated() {
        group.addTask {
          try await server.connect(endsInReset: endsInReset) { line in
            try await line.send(call.request(keepAlive: true))
            await leave.wait()
          }
        }
        await until(index + 1, lock)
      }
    }
    await until(0, lock)
  }

  private static func until(_ count: Int, _ lock: OperationLock) async {
    while lock.waitingCount != count { await Task.yield() }
  }

  /// Creates a browser with two reports.
  private static func prepare(_ server: LiveServer) async throws {
    for call in [
      Call("PUT", path, clock), Call("POST", "\(path)/link-clicks", click),
      Call("POST", "\(path)/triggering-events", API.trigger),
    ] {
      let answer = try await server.exchange(call.request(keepAlive: false))
      #expect(answer.hasPrefix("HTTP/1.1 20"), "\(answer)")
    }
  }

  static func request(_ method: String, _ path: String, _ body: String, keepAlive: Bool) -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n" + (keepAlive ? "" : "Connection: close\r\n")
      + (body.isEmpty ? "\r\n" : "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }
}

/// Keeps warnings and errors of the log.
private struct RecordingLog: LogHandler {
  var logLevel = Logger.Level.warning
  var metadata: Logger.Metadata = [:]
  private let lines: NIOLockedValueBox<[String]>

  init(_ lines: NIOLockedValueBox<[String]>) {
    self.lines = lines
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: Logging.LogEvent) {
    lines.withLockedValue { $0.append("\(event.message)") }
  }
}
