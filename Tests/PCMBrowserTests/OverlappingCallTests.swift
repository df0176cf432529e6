import BrowserSupport
import PCMCore
import PCMNetwork
import PCMStore
import Testing

@testable import PCMBrowser

/// The journal of calls that wait for the network while others take effect.
@Suite struct OverlappingCallTests {
  private static let page = "https://shop.example/"

  @Test("A call during the exchange of a released click has its own events, and the exchange belongs to no call")
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
    #expect(calls.map { $0.events == nil } == [false, false, true, false])
    #expect(calls.last?.events == [.clickStored])
  }

  @Test("A load keeps the session in which it began")
  func session() async throws {
    let store = HeldStore()
    let cookie = Cookie(domain: "shop.example", isSecure: true, name: "a", value: "b")
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
}
