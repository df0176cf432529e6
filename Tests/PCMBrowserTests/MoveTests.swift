import BrowserSupport
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMNetwork
import PCMStore
import Testing

/// Moves of a manual clock: their limits, and the calls that arrive meanwhile.
@Suite struct MoveTests {
  /// A browser with conversions at several sites, each with a report to both parties.
  private static func scene(
    conversions: Int = 1, settings: SettingsChange = SettingsChange(), transport: ScriptedTransport = ScriptedTransport()
  ) async throws -> Scene {
    let scene = try await Scene(settings: settings, transport: transport)
    for number in 0..<conversions {
      try await scene.click(1, to: "shop\(number).example")
      try await scene.trigger("12", on: "shop\(number).example")
    }
    return scene
  }

  private static var failing: ScriptedTransport { ScriptedTransport { _, _ in Exchange(httpStatus: 500) } }

  @Test("A click during a move takes effect after it")
  func laterClick() async throws {
    let network = HeldNetwork()
    let scene = try await Self.scene(transport: network.transport)
    let moving = Task { try await scene.advance(.days(3)) }
    await network.untilRequest()
    let click = Task { try await scene.click(3) }
    for _ in 0..<100 { await Task.yield() }
    #expect(try await scene.measurements().unattributed.isEmpty)
    network.gate.open()
    _ = try await moving.value
    #expect(try await click.value.kind == .stored)
    let stored = try await scene.browser.events(after: 0, limit: 100).last
    #expect(stored?.kind == .clickStored)
    #expect(stored?.at == Scene.start + .days(3))
  }

  @Test("Retries end, so that a move to the end of time ends, and its reports stay small")
  func endOfRetries() async throws {
    let scene = try await Self.scene(settings: SettingsChange(deliveryPolicy: .reliable), transport: Self.failing)
    let moved = try await scene.browser.advance(.to(.latestOfClock))
    #expect(moved.isFinished && moved.isIdle)
    for report in try await scene.reports() {
      #expect(report.state == .failed)
      #expect((100...200).contains(report.attemptCount))
      #expect(report.attempts.count == OutgoingMessage.maximumKeptAttempts)
    }
  }

  @Test("A second move is refused while the clock moves")
  func secondMove() async throws {
    let network = HeldNetwork()
    let scene = try await Self.scene(transport: network.transport)
    let moving = Task { try await scene.advance(.days(3)) }
    await network.untilRequest()
    await #expect(throws: BrowserError.clockMoving) { try await scene.advance(.hours(1)) }
    network.gate.open()
    #expect(try await moving.value.now == Scene.start + .days(3))
    #expect(try await scene.advance(.hours(1)).now == Scene.start + .days(3) + .hours(1))
  }

  @Test("A move begins after the token exchange of a click")
  func moveAfterOperation() async throws {
    let network = HeldNetwork()
    let scene = try await Scene(transport: network.transport)
    let click = Task { try await scene.click(3, nonce: "ABCDEFabcdef0123456789") }
    await network.untilRequest()
    let moving = Task { try await scene.advance(.days(3)) }
    let canceled = Task { try await scene.advance(.days(3)) }
    canceled.cancel()
    for _ in 0..<100 { await Task.yield() }
    #expect(try await scene.browser.configuration().now == Scene.start)
    network.gate.open()
    _ = try await click.value
    // Depending on their order, a move was refused or canceled.
    _ = try? await canceled.value
    _ = try? await moving.value
    let events = try await scene.browser.events(after: 0, limit: 100)
    let failed = try #require(events.first { $0.kind == .tokenFailed })
    #expect(failed.at == Scene.start)
    #expect(events.filter { $0.sequence > failed.sequence }.allSatisfy { $0.kind == .clockAdvanced })
  }

  @Test("A change of settings and device is one operation, and a move follows it")
  func changeOfBoth() async throws {
    let store = HeldStore()
    let scene = try await Scene(store: store)
    var both = BrowserChange(settings: SettingsChange(debugMode: true))
    both.device.developerMode = true
    store.holdNextWrite()
    let change = Task { [both] in try await scene.browser.change(both) }
    await store.untilHeld()
    let moving = Task { try await scene.advance(.days(1)) }
    for _ in 0..<100 { await Task.yield() }
    store.release()
    _ = try await change.value
    _ = try await moving.value
    let events = try await scene.browser.events(after: 0, limit: 100)
    #expect(events.suffix(3).map(\.kind) == [.settingsChanged, .deviceChanged, .clockAdvanced])
  }

  @Test("A move that is canceled while it waits for other calls ends before them")
  func canceledWait() async throws {
    let network = HeldNetwork()
    let scene = try await Scene(transport: network.transport)
    let click = Task { try await scene.click(3, nonce: "ABCDEFabcdef0123456789") }
    await network.untilRequest()
    let moving = Task { try await scene.advance(.days(3)) }
    moving.cancel()
    await #expect(throws: CancellationError.self) { try await moving.value }
    network.gate.open()
    _ = try await click.value
    #expect(try await scene.advance(.days(3)).isFinished)
  }

  @Test("A canceled move stops after the report that is being sent, and continues with another call")
  func canceledMove() async throws {
    let network = HeldNetwork()
    let scene = try await Self.scene(conversions: 3, transport: network.transport)
    let due = try await scene.reports().map(\.dueAt).sorted()
    let moving = Task { try await scene.advance(.days(3)) }
    await network.untilRequest()
    moving.cancel()
    network.gate.open()
    let part = try await moving.value
    #expect(!part.isFinished && !part.isIdle)
    #expect(part.now == due[0])
    #expect(part.target == Scene.start + .days(3))
    #expect(await scene.sent().count == 1)
    let rest = try await scene.browser.advance(.to(Scene.start + .days(3)))
    #expect(rest.isFinished && rest.isIdle)
    #expect(rest.now == Scene.start + .days(3))
    #expect(await scene.sent().count == 6)
  }

  @Test("A report with many retries ends a move at its limit", arguments: [ClockAdvance.to(.latestOfClock), .untilIdle()])
  func attemptLimit(_ move: ClockAdvance) async throws {
    let scene = try await Self.scene(settings: SettingsChange(deliveryPolicy: .reliable), transport: Self.failing)
    let budget = AdvanceBudget(attempts: 20)
    var last = Scene.start
    for part in 1...3 {
      let advanced = try await scene.browser.advance(move, within: budget)
      #expect(!advanced.isFinished && !advanced.isIdle)
      #expect(advanced.now > last)
      #expect(await scene.sent().count == part * 20)
      last = advanced.now
    }
  }

  @Test("A move of many events stops at its limit, and continues without a gap")
  func eventLimit() async throws {
    let whole = try await Self.scene(conversions: 10)
    _ = try await whole.advance(.days(3))
    let parts = try await Self.scene(conversions: 10)
    var (count, isFinished) = (0, false)
    while !isFinished {
      isFinished = try await parts.browser.advance(.to(Scene.start + .days(3)), within: AdvanceBudget(events: 3)).isFinished
      count += 1
    }
    #expect(count > 5)
    func withoutMoves(_ scene: Scene) async throws -> [String] {
      try await scene.browser.events(after: 0, limit: 1_000).filter { $0.kind != .clockAdvanced }
        .map { "\($0.at.text) \($0.kind.rawValue)" }
    }
    #expect(try await withoutMoves(whole) == withoutMoves(parts))
  }

  @Test("A move that takes long on the machine's clock stops at its limit")
  func timeLimit() async throws {
    let wall = NIOLockedValueBox(Scene.start)
    let transport = ScriptedTransport { _, _ in
      wall.withLockedValue { $0 = $0 + .seconds(20) }
      return Exchange(httpStatus: 200)
    }
    let scene = try await Scene(transport: transport, wallClock: { wall.withLockedValue { $0 } })
    for number in 0..<4 {
      try await scene.click(1, to: "shop\(number).example")
      try await scene.trigger("12", on: "shop\(number).example")
    }
    #expect(try await !scene.advance(.days(3)).isFinished)
    #expect(await scene.sent().count == 2)
  }

  @Test("Until idle reaches a report that is due after months, unless within ends it before")
  func distantReport() async throws {
    let scene = try await Self.scene()
    try await scene.browser.change(SettingsChange(measurementEnabled: false))
    _ = try await scene.advance(.days(41))
    let idle = try await scene.browser.advance(.untilIdle())
    #expect(idle.isFinished && !idle.isIdle, "nothing is due while measurement is switched off")
    try await scene.browser.change(SettingsChange(measurementEnabled: true))
    let start = try await scene.browser.configuration().now
    let near = try await scene.browser.advance(.untilIdle(within: Interval(milliseconds: 1)))
    #expect(near.isFinished && !near.isIdle)
    #expect(near.target == start + Interval(milliseconds: 1))
    let far = try await scene.browser.advance(.untilIdle())
    #expect(far.isFinished && far.isIdle)
    #expect(far.target == nil)
    #expect(await scene.sent().count == 2)
  }

  @Test("The answer has the first thousand events, their count, and the position of the rest")
  func eventPages() async throws {
    let scene = try await Self.scene(conversions: 300)
    let end = try await scene.browser.logEnd()
    let advanced = try await scene.advance(.days(3))
    #expect(advanced.eventCount == (try await scene.browser.logEnd()) - end)
    #expect(advanced.eventCount > 1_000)
    #expect(advanced.events.map(\.sequence) == Array((end + 1)...(end + 1_000)))
    #expect(advanced.next == end + 1_000)
    #expect(try await scene.advance(.hours(1)).next == nil)
  }
}
