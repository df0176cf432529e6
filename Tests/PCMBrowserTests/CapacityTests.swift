import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMNetwork
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

  /// Waits until a number of requests are stuck, and others of a kind wait.
  private func wait(for stuck: Int, in network: Network, waiting: Int, of kind: RequestKind, in scene: Scene) async throws {
    let semaphore = scene.browser.environment.semaphore(of: kind)
    while network.stuck.withLockedValue({ $0 }) < stuck || semaphore.queueLength != waiting { await Task.yield() }
    #expect(network.stuck.withLockedValue { $0 } == stuck)
  }

  private func browsers(_ count: Int, in scene: Scene) async throws -> [Browser] {
    var browsers: [Browser] = []
    for number in 1...count {
      browsers.append(try await scene.browsers.put("other-\(number)", BrowserSpecification(clockMode: .manual)).0)
    }
    return browsers
  }

  private static func storeClick(in browser: Browser) async throws {
    let outcome = try await browser.perform(
      LinkClickInput(
        pageURL: "https://stuck.example/", attributionSourceID: "4", attributionDestination: "https://shop.example",
        attributionSourceNonce: TokenTests.nonce))
    #expect(outcome.kind == .stored)
  }

  @Test("Loads and token exchanges are limited, and neither delays the other, or reports")
  func kinds() async throws {
    let network = Network()
    let scene = try await Scene(transport: network.transport)
    try await scene.click(3)
    try await scene.trigger("12")
    let other = try await browsers(1, in: scene)[0]
    let (loads, tokens) = (RequestKind.loads.capacity, RequestKind.tokens.capacity)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<(loads + 8) { group.addTask { _ = try await other.load(Self.load) } }
      try await wait(for: loads, in: network, waiting: 8, of: .loads, in: scene)
      for _ in 0..<(tokens + 8) { group.addTask { try await Self.storeClick(in: other) } }
      try await wait(for: loads + tokens, in: network, waiting: 8, of: .tokens, in: scene)
      try await scene.advance(.days(3))
      #expect(try await scene.reports(.delivered).count == 2)
      network.gate.open()
      try await group.waitForAll()
    }
  }

  @Test("A load that would exceed the queue fails, and a token exchange does, too, but its click is stored")
  func fullQueues() async throws {
    let network = Network()
    let scene = try await Scene(transport: network.transport)
    let (loads, tokens) = (RequestKind.loads, RequestKind.tokens)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<(loads.capacity + loads.maximumQueue) { group.addTask { _ = try await scene.browser.load(Self.load) } }
      try await wait(
        for: loads.capacity, in: network, waiting: loads.maximumQueue, of: .loads, in: scene)
      let outcome = try await scene.browser.load(Self.load)
      #expect(outcome.error?.code == "transport-closed")
      #expect(outcome.error?.detail.hasPrefix("too many requests of this kind wait") == true)
      for _ in 0..<(tokens.capacity + tokens.maximumQueue) {
        group.addTask { try await Self.storeClick(in: scene.browser) }
      }
      try await wait(
        for: loads.capacity + tokens.capacity, in: network, waiting: tokens.maximumQueue,
        of: .tokens, in: scene)
      try await Self.storeClick(in: scene.browser)
      let failure = try #require(try await scene.browser.events(after: 0, limit: 10_000).last { $0.kind == .tokenFailed })
      #expect(failure.detail.text.contains("too many requests of this kind wait"))
      network.gate.open()
      try await group.waitForAll()
    }
  }

  /// Adds an attribution with reports to a source and to `shop.example`.
  private static func attribute(_ source: String, in browser: Browser) async throws {
    _ = try await browser.perform(
      LinkClickInput(
        pageURL: "https://\(source)/", attributionSourceID: "4", attributionDestination: "https://shop.example"))
    _ = try await browser.perform(
      TriggeringEventInput(firstPartyURL: "https://shop.example/thanks", pixelOf: source, triggerData: 12))
  }

  @Test("A report that waits for others is sent after them, and delays no load")
  func waitingReports() async throws {
    let network = Network()
    let scene = try await Scene(transport: network.transport)
    let others = try await browsers(RequestKind.reports.capacity + 8, in: scene)
    for browser in others { try await Self.attribute("stuck.example", in: browser) }
    try await withThrowingTaskGroup { group in
      for browser in others { group.addTask { try await browser.advance(.by(.days(3))) } }
      try await wait(for: RequestKind.reports.capacity, in: network, waiting: 8, of: .reports, in: scene)
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
    let browser = try await scene.browsers.browser(Browsers.defaultName)
    for source in Self.sources { try await Self.attribute(source, in: browser) }
    machine.set(Scene.start + .days(3))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await browser.runDueWork() }
      await network.untilRequest(1)
      // Longer than the gap between two reports.
      machine.set(machine.now + .hours(1))
      for _ in 2...network.gates.count { group.addTask { try await browser.runDueWork() } }
      while browser.sending.waitingCount < network.gates.count - 1, network.begun == 1 { await Task.yield() }
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

  @Test("A load whose task is canceled ends, and its request is canceled", arguments: [1, 140])
  func canceledLoad(_ count: Int) async throws {
    let (begun, canceled) = (NIOLockedValueBox(0), NIOLockedValueBox(0))
    let (requests, request) = AsyncStream.makeStream(of: Void.self)
    let transport = ScriptedTransport { _, _ in
      begun.withLockedValue { $0 += 1 }
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
    #expect(begun.withLockedValue { $0 } >= 1)
    #expect(canceled.withLockedValue { $0 } == begun.withLockedValue { $0 })
  }
}
