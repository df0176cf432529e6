import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMDelivery
import PCMStore
import Testing

@testable import PCMBrowser

/// Requests of one purpose, or of one browser, that take up the network.
@Suite(.timeLimit(.minutes(10))) struct CapacityTests {
  /// A network that never answers `stuck.example`, and counts its requests.
  private struct Network: Sendable {
    let gate = Gate()
    let stuck = NIOLockedValueBox(0)

    var transport: ScriptedTransport {
      ScriptedTransport { [gate, stuck] request, _ in
        guard request.url.contains("stuck.example") else { return Exchange(httpStatus: 200) }
        stuck.withLockedValue { $0 += 1 }
        await gate.wait()
        return Exchange(httpStatus: 204)
      }
    }
  }

  private static let load = LoadInput(firstPartyURL: "https://shop.example/", url: "https://stuck.example/")

  /// Waits until a number of requests are stuck, and others wait for each limit.
  private func wait(
    for stuck: Int, in network: Network, waiting: [Int], of transport: any Transport
  ) async throws {
    let limits = try #require(transport as? LimitedTransport).limits
    while network.stuck.withLockedValue({ $0 }) < stuck || limits.map(\.queueLength) != waiting { await Task.yield() }
    #expect(network.stuck.withLockedValue { $0 } == stuck)
  }

  private func browsers(_ count: Int, in scene: Scene) async throws -> [Browser] {
    var browsers: [Browser] = []
    for number in 1...count {
      browsers.append(try await scene.browsers.put("other-\(number)", BrowserSpecification(clockMode: .manual)).0)
    }
    return browsers
  }

  private static func click(in browser: Browser) async throws -> ClickOutcome {
    try await browser.follow(
      LinkClickInput(
        pageURL: "https://stuck.example/", attributionSourceID: "4", attributionDestination: "https://shop.example",
        attributionSourceNonce: TokenTests.nonce))
  }

  @Test("Loads of one browser are limited, and the others wait")
  func loads() async throws {
    let network = Network()
    let scene = try await Scene(transport: network.transport)
    let other = try await browsers(1, in: scene)[0]
    try await withThrowingTaskGroup { group in
      for _ in 0..<200 { group.addTask { try await scene.browser.load(Self.load) } }
      try await wait(for: 32, in: network, waiting: [168, 0], of: scene.browser.world.loadTransport)
      group.addTask { try await other.load(Self.load) }
      try await wait(for: 33, in: network, waiting: [168, 0], of: scene.browser.world.loadTransport)
      network.gate.open()
      for try await outcome in group { #expect(outcome.hops.first?.status == 204) }
    }
  }

  @Test("Token exchanges of one browser are limited, and the others wait")
  func tokens() async throws {
    let network = Network()
    let scene = try await Scene(transport: network.transport)
    try await withThrowingTaskGroup { group in
      for _ in 0..<40 { group.addTask { try await Self.click(in: scene.browser) } }
      try await wait(for: 32, in: network, waiting: [8, 0], of: scene.browser.world.tokenTransport)
      network.gate.open()
      for try await outcome in group { #expect(outcome.kind == .stored) }
    }
    #expect(try await scene.kinds().count { $0 == .tokenFailed } == 40)
  }

  @Test("Loads and token exchanges of all browsers are limited, and reports are sent meanwhile")
  func total() async throws {
    let network = Network()
    let scene = try await Scene(transport: network.transport)
    try await scene.click(3)
    try await scene.trigger("12")
    let others = try await browsers(4, in: scene)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for browser in others {
        for _ in 0..<32 { group.addTask { _ = try await browser.load(Self.load) } }
      }
      try await wait(for: 96, in: network, waiting: [0, 32], of: scene.browser.world.loadTransport)
      for browser in others {
        for _ in 0..<32 { group.addTask { _ = try await Self.click(in: browser) } }
      }
      try await wait(for: 192, in: network, waiting: [0, 32], of: scene.browser.world.tokenTransport)
      try await scene.advance(.days(3))
      #expect(try await scene.reports(.delivered).count == 2)
      network.gate.open()
      try await group.waitForAll()
    }
  }

  @Test("A request that would exceed the queue of all browsers fails in each of them, and those that wait are sent")
  func fullQueueOfAllBrowsers() async throws {
    let network = Network()
    let limits = RequestLimits(total: .init(running: 2, waiting: 3), perBrowser: .init(running: 4, waiting: 0))
    let transports = (0..<2).map { _ in limits.transport(over: network.transport) }
    let request = OutgoingRequest(method: .get, url: "https://stuck.example/", headers: [], body: nil)
    try await withThrowingTaskGroup(of: Exchange.self) { group in
      for index in [0, 0, 0, 1, 1] { group.addTask { await transports[index].send(request, route: NetworkRoute()) } }
      try await wait(for: 2, in: network, waiting: [0, 3], of: transports[0])
      for transport in transports {
        let failure = await transport.send(request, route: NetworkRoute()).failure
        #expect(failure?.code == .transportClosed)
        #expect(failure?.detail == "too many requests of this kind wait, so the request was not sent; try again later")
      }
      network.gate.open()
      for try await exchange in group { #expect(exchange.httpStatus == 204) }
    }
    #expect(network.stuck.withLockedValue { $0 } == 5)
  }

  @Test("A load that would wait as the 225th of its browser fails")
  func fullQueueOfLoads() async throws {
    let network = Network()
    let scene = try await Scene(transport: network.transport)
    try await withThrowingTaskGroup { group in
      for _ in 0..<256 { group.addTask { try await scene.browser.load(Self.load) } }
      try await wait(for: 32, in: network, waiting: [224, 0], of: scene.browser.world.loadTransport)
      let outcome = try await scene.browser.load(Self.load)
      #expect(outcome.error?.code == "transport-closed")
      #expect(outcome.error?.detail.hasPrefix("too many requests of this kind wait") == true)
      network.gate.open()
      for try await outcome in group { #expect(outcome.hops.first?.status == 204) }
    }
  }

  @Test("A token exchange that would wait as the 97th of its browser fails, and the click is stored")
  func fullQueueOfTokens() async throws {
    let network = Network()
    let scene = try await Scene(transport: network.transport)
    try await withThrowingTaskGroup { group in
      for _ in 0..<128 { group.addTask { try await Self.click(in: scene.browser) } }
      try await wait(for: 32, in: network, waiting: [96, 0], of: scene.browser.world.tokenTransport)
      #expect(try await Self.click(in: scene.browser).kind == .stored)
      let failure = try #require(try await scene.browser.events(after: 0, limit: 1_000).last { $0.kind == .tokenFailed })
      #expect(failure.detail.text.contains("too many requests of this kind wait"))
      network.gate.open()
      for try await outcome in group { #expect(outcome.kind == .stored) }
    }
  }

  /// Waits until a number of reports are stuck, and others wait.
  private func wait(forReports stuck: Int, in network: Network, waiting: Int, of browser: Browser) async throws {
    let capacity = try #require(browser.world.transport as? ReportTransport).capacity
    while network.stuck.withLockedValue({ $0 }) < stuck || capacity.waitingCount != waiting { await Task.yield() }
    #expect(network.stuck.withLockedValue { $0 } == stuck)
  }

  /// Adds an attribution with reports to a source and to `shop.example`.
  private static func attribute(_ source: String, in browser: Browser) async throws {
    _ = try await browser.follow(
      LinkClickInput(
        pageURL: "https://\(source)/", attributionSourceID: "4", attributionDestination: "https://shop.example"))
    _ = try await browser.observe(
      TriggeringEventInput(firstPartyURL: "https://shop.example/thanks", pixelOf: source, triggerData: 12))
  }

  @Test("An endpoint that does not respond takes its share of the reports, and delays neither others nor loads")
  func silentEndpoint() async throws {
    let network = Network()
    let scene = try await Scene(transport: network.transport)
    let others = try await browsers(ReportCapacity.perTarget + 8, in: scene)
    for browser in others { try await Self.attribute("stuck.example", in: browser) }
    try await Self.attribute("news.example", in: scene.browser)
    try await withThrowingTaskGroup { group in
      for browser in others { group.addTask { try await browser.advance(.by(.days(3))) } }
      try await wait(forReports: ReportCapacity.perTarget, in: network, waiting: 8, of: scene.browser)
      try await scene.advance(.days(3))
      #expect(try await scene.reports(.delivered).count == 2)
      let load = LoadInput(firstPartyURL: "https://shop.example/", url: "https://shop.example/")
      #expect(try await scene.browser.load(load).hops.first?.status == 200)
      network.gate.open()
      for try await advanced in group { #expect(advanced.isFinished) }
    }
    for browser in others { #expect(try await browser.reports(in: [.delivered]).count == 2) }
  }

  /// A network that answers six requests, each after its gate opens.
  private struct SteppedNetwork: Sendable {
    let gates = (1...6).map { _ in Gate() }
    private let numbers = NIOLockedValueBox((begun: 0, ended: 0))

    var begun: Int { numbers.withLockedValue { $0.begun } }
    var underWay: Int { numbers.withLockedValue { $0.begun - $0.ended } }

    var transport: ScriptedTransport {
      ScriptedTransport { [gates, numbers] _, number in
        numbers.withLockedValue { $0.begun += 1 }
        await gates[number - 1].wait()
        numbers.withLockedValue { $0.ended += 1 }
        return Exchange(httpStatus: 200)
      }
    }

    func untilRequest(_ number: Int) async {
      while begun < number { await Task.yield() }
    }
  }

  private static let sources = ["a.example", "b.example", "c.example"]

  @Test("A browser on the real clock sends one report at a time to silent hosts, while others are due")
  func oneReportOnTheRealClock() async throws {
    let (network, machine) = (SteppedNetwork(), SetClock())
    let scene = try await Scene(transport: network.transport, wallClock: machine.wallClock)
    let browser = try scene.browsers.browser(Browsers.defaultName)
    for source in Self.sources { try await Self.attribute(source, in: browser) }
    machine.set(Scene.start + .days(3))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await browser.runDue() }
      await network.untilRequest(1)
      // Longer than the gap between two reports.
      machine.set(machine.now + .hours(1))
      for _ in 2...network.gates.count { group.addTask { try await browser.runDue() } }
      while browser.sending.queueLength < network.gates.count - 1, network.begun == 1 { await Task.yield() }
      for (number, gate) in zip(1..., network.gates) {
        await network.untilRequest(number)
        #expect(network.underWay == 1)
        machine.set(machine.now + .hours(1))
        gate.open()
      }
      try await group.waitForAll()
    }
    #expect(try await browser.reports(in: [.delivered]).count == network.gates.count)
  }

  @Test("A move of a manual clock sends one report at a time to silent hosts")
  func oneReportOfAMove() async throws {
    let network = SteppedNetwork()
    let scene = try await Scene(transport: network.transport)
    for source in Self.sources { try await Self.attribute(source, in: scene.browser) }
    let move = Task { try await scene.advance(.days(7)) }
    for (number, gate) in zip(1..., network.gates) {
      await network.untilRequest(number)
      #expect(network.underWay == 1)
      gate.open()
    }
    #expect(try await move.value.isFinished)
    #expect(try await scene.reports(.delivered).count == network.gates.count)
  }

  private static func webAd(in browser: Browser) async throws -> ClickOutcome {
    try await browser.follow(
      LinkClickInput(
        pageURL: "https://news.example/", attributionSourceID: nil, attributionDestination: "https://stuck.example",
        attributionSourceNonce: TokenTests.nonce, href: "https://apps.apple.com/app/id525463029"))
  }

  @Test("A web ad that would wait as the 17th of its browser is rejected at once, and token exchanges have their own limit")
  func fullQueueOfWebAds() async throws {
    let network = Network()
    let scene = try await Scene(transport: network.transport)
    try await withThrowingTaskGroup { group in
      for _ in 0..<32 { group.addTask { try await Self.webAd(in: scene.browser) } }
      try await wait(for: 16, in: network, waiting: [16, 0], of: scene.browser.world.webAdTransport)
      #expect(try await Self.webAd(in: scene.browser).kind == .discarded)
      let event = try #require(try await scene.browser.events(after: 0, limit: 1_000).last)
      #expect(event.kind == .impressionRejected)
      #expect(event.detail.text.contains("too many requests of this kind wait"))
      group.addTask { try await Self.click(in: scene.browser) }
      try await wait(for: 17, in: network, waiting: [0, 0], of: scene.browser.world.tokenTransport)
      network.gate.open()
      for try await outcome in group { #expect([ClickOutcome.Kind.discarded, .stored].contains(outcome.kind)) }
    }
  }

  @Test("A load whose task is canceled ends, and its request is canceled", arguments: [1, 40])
  func canceledLoad(_ count: Int) async throws {
    let canceled = NIOLockedValueBox(0)
    let (requests, request) = AsyncStream.makeStream(of: Void.self)
    let transport = ScriptedTransport { _, _ in
      request.yield()
      await withTaskCancellationHandler {
        for await _ in AsyncStream.makeStream(of: Never.self).stream {}
      } onCancel: {
        canceled.withLockedValue { $0 += 1 }
      }
      return Exchange(failure: TransportFailure(.transportClosed, "canceled"))
    }
    let scene = try await Scene(transport: transport)
    let loads = (0..<count).map { _ in Task { try await scene.browser.load(Self.load) } }
    for await _ in requests { break }
    for load in loads { load.cancel() }
    for load in loads {
      guard case .success(let outcome) = await load.result else { continue }
      #expect(outcome.error?.code == "transport-closed")
    }
    #expect((1...min(count, 32)).contains(canceled.withLockedValue { $0 }))
  }
}
