import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMNetwork
import PCMStore
import Testing

@testable import PCMBrowser

/// Moves of a manual clock by one of two instances over one store.
@Suite struct MoveOverInstancesTests {
  private let stage = InstanceStage()
  private var store: InstanceStore { stage.store }
  private var otherStore: InstanceStore { stage.otherStore }
  private var pauses: InstanceStage.Pauses { stage.pauses }
  private static let target = Scene.start + .days(3)
  private static let late = LinkClickInput(
    pageURL: "https://late.example/", attributionSourceID: "5", attributionDestination: "https://shop.example")

  @Test("A call during a move of another instance waits for the end of the move, and a second move is rejected after a while")
  func waiting() async throws {
    let network = HeldNetwork()
    let (one, other) = try await stage.browsers(holding: network)
    let moving = Task { try await one.advance(.to(Self.target)) }
    await network.untilRequest()
    try await expectRejection(by: other)
    let click = Task { try await other.perform(Self.late) }
    // It looks again, and then waits again.
    await pauses.next()?.resume()
    let sleeper = await pauses.next()
    network.gate.open()
    #expect(try await moving.value.isFinished)
    sleeper?.resume()
    #expect(try await click.value.at == Self.target)
    try await other.change(SettingsChange(debugMode: true))
    #expect(try await claim(of: one) == nil)
    #expect(try await other.advance(.by(.hours(1))).now == Self.target + .hours(1))
    #expect(try await one.history().count == 6)
  }

  @Test("Two instances that move a clock take turns")
  func turns() async throws {
    let network = HeldNetwork()
    let (one, other) = try await stage.browsers(holding: network)
    let moving = Task { try await one.advance(.to(Self.target)) }
    await network.untilRequest()
    let waiting = Task { try await other.advance(.by(.hours(1))) }
    let first = await pauses.next()
    network.gate.open()
    #expect(try await moving.value.isFinished)
    let next = Task { try await one.advance(.by(.hours(1))) }
    // It leaves the other instance its turn.
    let second = await pauses.next()
    first?.resume()
    #expect(try await waiting.value.now == Self.target + .hours(1))
    second?.resume()
    #expect(try await next.value.now == Self.target + .hours(2))
    #expect(try await other.advance(.by(.hours(1))).now == Self.target + .hours(3))
  }

  @Test("An instance whose caller left has no turn: the other one goes on after a pause")
  func abandonedTurn() async throws {
    let network = HeldNetwork()
    let (one, other) = try await stage.browsers(holding: network)
    let moving = Task { try await one.advance(.to(Self.target)) }
    await network.untilRequest()
    let waiting = Task { try await other.advance(.by(.hours(1))) }
    let sleeper = await pauses.next()
    waiting.cancel()
    sleeper?.resume()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    network.gate.open()
    #expect(try await moving.value.isFinished)
    let next = Task { try await one.advance(.by(.hours(1))) }
    await pauses.next()?.resume()
    #expect(try await next.value.now == Self.target + .hours(1))
    #expect(try await one.advance(.by(.hours(1))).now == Self.target + .hours(2))
  }

  @Test("A call that waits for too long is rejected, and changes nothing")
  func busy() async throws {
    let network = HeldNetwork()
    let (one, other) = try await stage.browsers(holding: network)
    let moving = Task { try await one.advance(.to(Self.target)) }
    await network.untilRequest()
    let click = Task { try await other.perform(Self.late) }
    for _ in 0..<BrowserEnvironment.mostPauses { await pauses.next()?.resume() }
    await #expect(throws: BrowserError.busy) { try await click.value }
    network.gate.open()
    #expect(try await moving.value.isFinished)
    #expect(try await other.events(after: 0, limit: 100).count { $0.kind == .clickStored } == 1)
  }

  @Test("A call during a move of an instance that ends waits until another one takes over")
  func abandonedMove() async throws {
    let network = HeldNetwork()
    let (one, other) = try await stage.browsers(holding: network)
    let moving = Task { try await one.advance(.to(Self.target)) }
    await network.untilRequest()
    let click = Task { try await other.perform(Self.late) }
    let sleeper = await pauses.next()
    store.end()
    try await takeOver(by: other)
    sleeper?.resume()
    #expect(try await click.value.at == other.configuration().now)
    network.gate.open()
    await #expect(throws: (any Error).self) { try await moving.value }
    #expect(try await other.configuration().now < Self.target)
  }

  @Test("A move whose instance ends at any of its requests is continued, and sends nothing twice", arguments: 1...4)
  func continuation(_ end: Int) async throws {
    let (ends, ended) = AsyncStream.makeStream(of: Void.self)
    let (gate, paused, network) = (Gate(), store, ScriptedTransport())
    let transport = ScriptedTransport { _, number in
      guard number == end else { return Exchange(httpStatus: 200) }
      paused.end()
      ended.yield()
      await gate.wait()
      return Exchange(httpStatus: 200)
    }
    let (one, other) = (try await stage.browser(store, transport), try await stage.browser(otherStore, network))
    for site in ["a", "b"] { try await InstanceStage.attribute(in: one, from: "\(site).example", on: "\(site)-shop.example") }
    let moving = Task { try await one.advance(.to(Self.target)) }
    for await _ in ends { break }
    try await expectRejection(by: other)
    try await takeOver(by: other)
    // The paused instance goes on before the move is continued, or afterward.
    if end.isMultiple(of: 2) {
      gate.open()
      await #expect(throws: (any Error).self) { try await moving.value }
    }
    let result = try await other.advance(.to(Self.target))
    #expect(result.now == Self.target && result.isIdle)
    if !end.isMultiple(of: 2) {
      gate.open()
      let error = BrowserError.requestInterrupted(key: nil, since: stage.machine.now, clock: Self.target)
      await #expect(throws: error) { try await moving.value }
    }
    #expect(await transport.requests.count == end)
    let requests = await transport.requests + network.requests
    let sent = requests.map { String(decoding: $0.body ?? [], as: UTF8.self) + $0.url }
    #expect(sent.count == 4 && Set(sent).count == 4)
    #expect(try await other.reports(in: [.failed]).count == 1)
    #expect(try await other.reports(in: [.delivered]).count == 3)
    let log = try await other.events(after: 0, limit: 100)
    #expect(log.map(\.sequence) == Array(1...Int64(log.count)))
    #expect(log.count { $0.kind == .clockAdvanced } == 1)
  }

  @Test("A move that fails releases the browser for the other instance")
  func failedMove() async throws {
    let isFailing = NIOLockedValueBox(false)
    let observer = StoreObserver(willCall: { call in
      guard call == "append(_:at:)", isFailing.withLockedValue({ $0 }) else { return }
      throw StoreError.unavailable("the test refuses this event")
    })
    let (one, other) = (try await stage.browser(ObservedStore(store, observer)), try await stage.browser(otherStore))
    isFailing.withLockedValue { $0 = true }
    await #expect(throws: StoreError.self) { try await one.advance(.to(Self.target)) }
    #expect(try await claim(of: one) == nil)
    #expect(try await other.advance(.to(Self.target)).now == Self.target)
  }

  @Test("A move whose last result could not be stored is released when it is, without another request")
  func unsavedResult() async throws {
    let isFailing = NIOLockedValueBox(false)
    let observer = StoreObserver(willCall: { call in
      guard call == "submit(_:_:)", isFailing.withLockedValue({ $0 }) else { return }
      throw StoreError.unavailable("the test refuses this transaction")
    })
    let network = HeldNetwork()
    let one = try await stage.browser(ObservedStore(store, observer), network.transport)
    let other = try await stage.browser(otherStore)
    try await InstanceStage.attribute(in: one)
    let moving = Task { try await one.advance(.to(Self.target)) }
    await network.untilRequest()
    isFailing.withLockedValue { $0 = true }
    network.gate.open()
    await #expect(throws: StoreError.self) { try await moving.value }
    #expect(try await claim(of: one) != nil)
    await pauses.next()?.resume()
    // It fails again.
    let sleeper = await pauses.next()
    isFailing.withLockedValue { $0 = false }
    sleeper?.resume()
    while try await claim(of: one) != nil { await Task.yield() }
    #expect(try await other.reports(in: [.delivered]).count == 1)
    #expect(try await other.advance(.to(Self.target)).isIdle)
    #expect(try await other.reports(in: [.delivered]).count == 2)
  }

  // MARK: Copies

  @Test("A copy waits for the move of another instance")
  func copyDuringMove() async throws {
    let network = HeldNetwork()
    let (one, others) = (try await stage.browser(store, network.transport), try await stage.browsers(otherStore))
    try await InstanceStage.attribute(in: one)
    let moving = Task { try await one.advance(.to(Self.target)) }
    await network.untilRequest()
    let copying = Task { try await others.fork(others.browser("manual"), as: "copy").browser }
    let sleeper = await pauses.next()
    network.gate.open()
    #expect(try await moving.value.isFinished)
    sleeper?.resume()
    let copy = try await copying.value
    #expect(try await copy.configuration().now == Self.target)
    #expect(try await copy.reports(in: [.delivered]).count == 2)
    for browser in [one, copy] { #expect(try await claim(of: browser) == nil) }
  }

  @Test("A copy waits for the report that another instance sends")
  func copyDuringReport() async throws {
    let network = HeldNetwork()
    let one = try await stage.browsers(store, network.transport).browser(Browsers.defaultName)
    let others = try await stage.browsers(otherStore)
    try await InstanceStage.attribute(in: one)
    stage.machine.set(try #require(try await one.reports().map(\.dueAt).min()))
    let sending = Task { try await one.runDueWork() }
    await network.untilRequest()
    let copying = Task { try await others.fork(others.browser(Browsers.defaultName), as: "copy").browser }
    let sleeper = await pauses.next()
    network.gate.open()
    try await sending.value
    sleeper?.resume()
    let copy = try await copying.value
    #expect(try await copy.reports().map(\.state) == one.reports().map(\.state))
    #expect(try await copy.reports(in: [.delivered]).count == 1)
    for browser in [one, copy] { #expect(try await claim(of: browser) == nil) }
    #expect(try await otherStore.nextDueTime() != nil)
  }

  /// Expects that a move is rejected when it has waited for its turn.
  private func expectRejection(by browser: Browser) async throws {
    let moving = Task { try await browser.advance(.to(Self.target)) }
    for _ in 1...2 { await pauses.next()?.resume() }
    await #expect(throws: BrowserError.clockMoving) { try await moving.value }
  }

  /// Takes over the first instance's claims.
  private func takeOver(by browser: Browser) async throws {
    #expect(try await otherStore.claimAbandoned(limit: 9) == [browser.record])
    try await browser.recover()
  }

  private func claim(of browser: Browser) async throws -> Int64? {
    try await otherStore.read(browser.record.id) { try $0.state().claim.instance }
  }
}
