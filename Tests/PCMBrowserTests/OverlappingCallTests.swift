import BrowserSupport
import PCMCore
import PCMNetwork
import PCMStore
import Testing

@testable import PCMBrowser

/// The journal of calls that wait for the network while others take effect.
@Suite struct OverlappingCallTests {
  private static let page = "https://shop.example/"

  @Test("A call during the exchange of a released click overlaps")
  func releasedClick() async throws {
    let network = HeldNetwork()
    let scene = try await Scene(transport: network.transport)
    let tap = EventAttributionInput(
      bundleIdentifier: Scene.app, sourceIdentifier: 1, destinationURL: Self.page, sourceNonce: TokenTests.nonce,
      presentation: "safariViewController")
    #expect(try await scene.browser.perform(tap).kind == .ephemeral)
    let event = Task { try await scene.trigger("12", app: Scene.app) }
    await network.untilRequest()
    try await scene.click(4)
    network.gate.open()
    #expect(try await event.value.kind == .attributed)
    let calls = try await scene.browser.history()
    #expect(calls.map(\.action.name) == ["app", "event-attribution", "triggering-event", "link-click"])
    #expect(calls.map { $0.events == nil } == [false, false, true, true])
    try await scene.click(5, to: "other.example")
    #expect(try await scene.browser.history().last?.events == [.clickStored])
  }

  @Test("A call that was received before another one took effect, and takes effect after it, overlaps")
  func delayedCall() async throws {
    let (store, network, caller) = (HeldStore(), HeldNetwork(), Caller())
    let scene = try await Scene(store: store, transport: network.transport)
    store.holdNextWrite()
    let change = Task { try await scene.browser.change(SettingsChange(debugMode: true)) }
    await store.untilHeld()
    let waiting = await caller.click(4, nonce: TokenTests.nonce, in: scene)
    let click = await caller.click(5, to: "other.example", in: scene)
    await caller.settle()
    store.release()
    try await change.value
    _ = try await click.value
    network.gate.open()
    _ = try await waiting.value
    let calls = try await scene.browser.history()
    #expect(calls.map(\.action.name) == ["app", "settings", "link-click", "link-click"])
    #expect(calls.map { $0.events == nil } == [false, false, true, true])
  }

  @Test("Each of two parallel loads has the responses to its requests")
  func parallelLoads() async throws {
    let (arrival, gate) = (Gate(), Gate())
    let scene = try await Scene(
      transport: ScriptedTransport { request, _ in
        if request.url == Self.page + "a" { return Exchange(httpStatus: 302, location: "/b") }
        guard request.url == Self.page + "b" else { return Exchange(httpStatus: 404) }
        arrival.open()
        await gate.wait()
        return Exchange(httpStatus: 200)
      })
    let load = Task { try await scene.browser.load(LoadInput(firstPartyURL: Self.page, url: Self.page + "a")) }
    await arrival.wait()
    _ = try await scene.browser.load(LoadInput(firstPartyURL: Self.page, url: Self.page + "c"))
    gate.open()
    _ = try await load.value
    let exchanges = try await scene.browser.history().suffix(2).map { $0.exchanges.map(\.list) }
    #expect(exchanges == [["/a", "/b"], ["/c"]])
  }

  @Test("A load keeps the session in which it began")
  func session() async throws {
    let store = HeldStore()
    let cookie = "shop.example\tFALSE\t/\tTRUE\t0\ta\tb"
    let scene = try await Scene(
      store: store, transport: ScriptedTransport { _, _ in Exchange(httpStatus: 200, cookies: [cookie]) })
    let input = LoadInput(firstPartyURL: Self.page, url: Self.page)
    _ = try await scene.browser.load(input)
    store.holdNextWrite()
    let load = Task { try await scene.browser.load(input) }
    await store.untilHeld()
    let change = Task { try await scene.browser.change(SettingsChange(privateBrowsing: true)) }
    while scene.browser.lock.waitingCount == 0 { await Task.yield() }
    store.release()
    _ = try await (load.value, change.value)
    #expect(await scene.transport.requests.map(\.kind) == [.pageLoad(cookies: []), .pageLoad(cookies: [cookie])])
    #expect(try await scene.browser.history().map(\.action.name) == ["app", "load", "load", "settings"])
  }

  @Test("Responses beyond the limit of a journal are not kept")
  func manyResponses() async throws {
    let journaling = Journaling(isOpen: true)
    let call = try #require(journaling.call(LoadInput.name, .null))
    func collect(_ number: Int, belongsToMove: Bool = false) {
      journaling.collect(
        Exchange(httpStatus: 302, location: String(repeating: "\(number)", count: 100_000)),
        to: BrowserRequest.pageLoad(method: .get, url: Self.page, cookies: []), belongsToMove: belongsToMove)
    }
    collect(1)
    #expect(!journaling.isFull && call.exchanges.exchanges.isEmpty, "no call sent the request")
    await journaling.collecting(for: call) { for number in 1...2 { collect(number) } }
    #expect(!journaling.isFull && call.exchanges.exchanges.count == 2)
    collect(3, belongsToMove: true)
    #expect(journaling.isFull && journaling.moveExchanges.exchanges.isEmpty)
    await journaling.collecting(for: call) { collect(4) }
    #expect(call.exchanges.exchanges.count == 2)
  }

  @Test("A journal ends when the responses to a call exceed its limit, with the call", arguments: [1, 2])
  func longResponses(_ count: Int) async throws {
    let body = Array(repeating: UInt8(ascii: "a"), count: Journaling.limits.maximumBytes)
    let scene = try await Scene(
      transport: ScriptedTransport { _, _ in Exchange(httpStatus: 200, contentType: "text/plain", body: body) })
    for number in 1...count { try await scene.click(number, nonce: TokenTests.nonce) }
    await #expect(throws: BrowserError.noHistory(.tooLong)) { try await scene.browser.history() }
    #expect(scene.browser.journaling.call(LoadInput.name, .null) == nil)
  }
}

/// Starts calls without waiting for them, in order.
private actor Caller {
  private var started = 0

  func click(
    _ id: Int, to destination: String = Scene.destination, nonce: String? = nil, in scene: Scene
  ) -> Task<ClickRecord, any Error> {
    Task {
      // Isolated to this actor, which runs its tasks in the order of their creation.
      started += 1
      return try await scene.click(id, to: destination, nonce: nonce)
    }
  }

  /// Returns when the calls wait or have ended.
  func settle() async {
    await Task { started += 1 }.value
  }
}
