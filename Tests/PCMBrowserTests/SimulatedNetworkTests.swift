import BrowserSupport
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMNetwork
import PCMSimulatedSites
import PCMStore
import Testing

/// A live browser on simulated sites.
@Suite struct SimulatedNetworkTests {
  private static func response(_ change: (inout SiteBehavior.Response) -> Void) -> SiteBehavior.Response {
    var response = SiteBehavior.Response.good
    change(&response)
    return response
  }

  private static let failing = response { $0.failure = .timedOut }
  private static let unavailable = response { $0.status = 503 }

  private func convert(in scene: Scene, nonce: String? = nil) async throws {
    try await scene.click(4, nonce: nonce)
    try await scene.trigger("12/03")
  }

  private func messages(_ scene: Scene, to hosts: Set<String> = []) -> [SiteMessage] {
    scene.browser.messages(to: hosts, after: 0, limit: 1_000).items
  }

  @Test("Reports, keys, token requests, and loads go to the simulated sites, and nothing leaves the process")
  func nothingLeaves() async throws {
    let scene = try await Scene()
    try await scene.browser.use(.simulated)
    let pixel = Self.response { $0.location = "https://news.example\(TriggerURL.pathPrefix)12/03" }
    _ = try await scene.browser.put(SiteBehavior(loads: ["/pixel?a=b": [pixel]]), at: "news.example")
    try await scene.click(4, nonce: TokenTests.nonce)
    let load = try await scene.browser.load(
      LoadInput(firstPartyURL: "https://shop.example/thanks", url: "https://news.example/pixel?a=b"))
    #expect(load.triggeringEvents.map(\.kind) == [.attributed])
    try await scene.advance(.hours(49))
    #expect(try await scene.reports().map(\.state) == [.delivered, .delivered])
    #expect(await scene.transport.requests.isEmpty)
    let kinds = messages(scene).map(\.target.kind)
    #expect(kinds == [.tokenKey, .sign, .load, .load, .tokenKey, .report, .tokenKey, .report])
    #expect(messages(scene, to: ["shop.example"]).map(\.target.kind) == [.report])
    let report = try #require(messages(scene, to: ["shop.example"]).first)
    #expect(report.request.method == .post)
    #expect(report.request.url == "https://shop.example/.well-known/private-click-measurement/report-attribution/")
    let body = try await scene.reports().first { $0.recipient == .destination }?.body
    #expect(report.request.body.map { String(decoding: $0, as: UTF8.self) } == body)
    #expect(report.httpStatus == 200)
    #expect(report.at == Instant(text: "2026-11-20T10:00:00.000Z").map { $0 + (report.at - $0) })
  }

  @Test("A browser sends to the real network until its mode is changed, and again after it is changed back")
  func modes() async throws {
    let scene = try await Scene()
    try await convert(in: scene)
    try await scene.advance(.hours(49))
    #expect(await scene.transport.requests.count == 2)
    try await scene.browser.use(.simulated)
    try await convert(in: scene)
    try await scene.advance(.hours(49))
    #expect(await scene.transport.requests.count == 2)
    try await scene.browser.use(.real)
    try await convert(in: scene)
    try await scene.advance(.hours(49))
    #expect(await scene.transport.requests.count == 4)
    #expect(messages(scene).count == 2)
  }

  @Test(
    "On the real network, an unresolved host that has a simulated site names the mode",
    arguments: [("https://www.news.example/p", true), ("https://other.example/p", false)])
  func siteOnTheRealNetwork(_ url: String, _ hasSite: Bool) async throws {
    let scene = try await Scene(
      transport: ScriptedTransport { _, _ in Exchange(failure: TransportFailure(.nameNotResolved, "Could not resolve host")) })
    _ = try await scene.browser.put(SiteBehavior(), at: "news.example")
    let load = try await scene.browser.load(LoadInput(firstPartyURL: "https://shop.example/", url: url))
    #expect(load.reason?.code == "name-not-resolved")
    #expect(load.reason?.detail.contains("simulated site") == hasSite, "\(load)")
  }

  @Test("A change of the network waits for the move of the clock")
  func changeDuringAMove() async throws {
    let changes = NIOLockedValueBox<Task<Void, any Error>?>(nil)
    let begin = NIOLockedValueBox<(@Sendable () -> Task<Void, any Error>)?>(nil)
    let scene = try await Scene(
      transport: ScriptedTransport { _, number in
        if number == 1 { changes.withLockedValue { $0 = begin.withLockedValue { $0 }?() } }
        return Exchange(httpStatus: 200)
      })
    // A detached task does not belong to the move.
    begin.withLockedValue { $0 = { Task.detached { try await scene.browser.use(.simulated) } } }
    try await convert(in: scene)
    try await scene.advance(.hours(49))
    try await #require(changes.withLockedValue { $0 }).value
    #expect(await scene.transport.requests.count == 2)
    #expect(try await scene.browser.networkMode() == .simulated && messages(scene).isEmpty)
  }

  @Test("Scripted responses come in order, and a replaced site starts from its beginning")
  func scripts() async throws {
    let scene = try await Scene(settings: SettingsChange(deliveryPolicy: .reliable))
    try await scene.browser.use(.simulated)
    let script = SiteBehavior(report: [Self.failing, Self.unavailable, .good])
    #expect(try await scene.browser.put(script, at: "shop.example"))
    try await convert(in: scene)
    try await scene.advance(.days(9))
    let received = messages(scene, to: ["shop.example"])
    #expect(received.map(\.httpStatus) == [nil, 503, 200])
    #expect(received.map(\.failure) == [.timedOut, nil, nil])
    #expect(try await scene.browser.put(script, at: "shop.example") == false)
    try await convert(in: scene)
    try await scene.advance(.days(9))
    #expect(messages(scene, to: ["shop.example"]).count == 6)
    try await scene.browser.removeSite("shop.example")
    try await convert(in: scene)
    try await scene.advance(.days(9))
    #expect(messages(scene, to: ["shop.example"]).last?.httpStatus == 200)
    #expect(messages(scene, to: ["shop.example"]).count == 7)
    await #expect(throws: BrowserError.unknownSite(host: "shop.example")) {
      try await scene.browser.removeSite("shop.example")
    }
  }

  @Test("A site does not receive a request that fails before it is sent", arguments: TransportFailure.Code.allCases)
  func unsentRequests(code: TransportFailure.Code) async throws {
    let scene = try await Scene()
    try await scene.browser.use(.simulated)
    _ = try await scene.browser.put(SiteBehavior(report: [Self.response { $0.failure = code }]), at: "shop.example")
    try await convert(in: scene)
    try await scene.advance(.hours(49))
    let isReceived = [.timedOut, .connectionLost, .protocolError].contains(code)
    #expect(messages(scene, to: ["shop.example"]).count == (isReceived ? 1 : 0))
    #expect(try await scene.reports(.failed).map(\.recipient) == [.destination])
  }

  @Test("The mode, the sites, and the positions in their lists survive a restart; the messages do not")
  func restart() async throws {
    let store = MemoryStore()
    var scene = try await Scene(settings: SettingsChange(deliveryPolicy: .reliable), store: store)
    try await scene.browser.use(.simulated)
    let script = SiteBehavior(
      key: .second, report: [Self.unavailable, Self.failing, .good], loads: ["/a": [Self.unavailable, .good]])
    _ = try await scene.browser.put(script, at: "shop.example")
    _ = try await scene.browser.load(LoadInput(firstPartyURL: "https://shop.example/", url: "https://shop.example/a"))
    try await convert(in: scene)
    _ = try await scene.browser.advance(.toNextEvent)
    _ = try await scene.browser.advance(.toNextEvent)
    let received = messages(scene, to: ["shop.example"]).count { $0.target.kind == .report }
    scene = try await Scene(restarting: store)
    #expect(try await scene.browser.networkMode() == .simulated)
    #expect(try await scene.browser.siteBehavior("shop.example") == script)
    #expect(messages(scene).isEmpty)
    try await scene.advance(.days(9))
    let statuses = messages(scene, to: ["shop.example"]).map(\.httpStatus)
    #expect(statuses == Array([503, nil, 200].dropFirst(received)))
    let load = try await scene.browser.load(
      LoadInput(firstPartyURL: "https://shop.example/", url: "https://shop.example/a"))
    #expect(load.hops.map(\.status) == [200])
    #expect(await scene.transport.requests.isEmpty)
  }

  @Test("A browser has a limited number of sites")
  func maximumSites() async throws {
    let scene = try await Scene()
    for number in 1...Browser.maximumSites { _ = try await scene.browser.put(SiteBehavior(), at: "site\(number).example") }
    await #expect(
      throws: BrowserError.limitReached("the browser has 100 simulated sites, the maximum; delete one first")
    ) {
      try await scene.browser.put(SiteBehavior(), at: "another.example")
    }
    _ = try await scene.browser.put(SiteBehavior(key: .second), at: "site1.example")
    try await scene.browser.removeSite("site2.example")
    #expect(try await scene.browser.put(SiteBehavior(), at: "another.example"))
  }

  @Test("The oldest messages are dropped and counted, by number and by size")
  func messageLimits() {
    var log = MessageLog()
    for number in 1...(MessageLog.most + 3) {
      log.add(
        BrowserRequest.report(url: "https://a.example/\(number)", body: "{}"), at: Scene.start, httpStatus: 200, failure: nil)
    }
    #expect(log.droppedCount == 3)
    let all = log.messages(to: [], after: 0, limit: .max)
    #expect(all.map(\.number) == Array(4...Int64(MessageLog.most + 3)))
    #expect(log.messages(to: ["a.example"], after: 10, limit: 2).map(\.number) == [11, 12])
    #expect(log.messages(to: ["b.example"], after: 0, limit: 2).isEmpty)
    let large = String(repeating: "x", count: MessageLog.maximumBytes / 2)
    for _ in 1...2 {
      log.add(BrowserRequest.report(url: "https://a.example/", body: large), at: Scene.start, httpStatus: 200, failure: nil)
    }
    #expect(log.messages(to: [], after: 0, limit: .max).count == 1)
    #expect(log.droppedCount == Int64(MessageLog.most) + 4)
  }
}
