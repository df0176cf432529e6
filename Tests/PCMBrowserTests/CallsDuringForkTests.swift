import BrowserSupport
import PCMCore
import PCMNetwork
import PCMSimulatedSites
import PCMStore
import Testing

@testable import PCMBrowser

/// Calls of a browser while the store copies it.
@Suite(.timeLimit(.minutes(10))) struct CallsDuringForkTests {
  private static let page = "https://shop.example/"

  /// The changes of a load: the position of a simulated site, and the history.
  private struct Rows: Equatable, Sendable {
    let site: SiteRecord?
    let journal: [String]

    init(of browser: Browser, in store: any Store) async throws {
      (site, journal) = try await store.read(browser.record.id) { reader in
        (try reader.row(SiteRecord.self, "shop.example"), try reader.journal().map(\.text))
      }
    }
  }

  @Test(
    "A load that is under way changes neither the original nor the copy until the copy is complete")
  func load() async throws {
    let store = HeldStore()
    let scene = try await Scene(store: store)
    let browser = scene.browser
    try await browser.use(.simulated)
    let responses = [SiteBehavior.Response](repeating: .good, count: 3)
    _ = try await browser.put(SiteBehavior(loads: ["/a": responses]), at: "shop.example")
    store.holdNextWrite()
    let load = Task { try await browser.load(LoadInput(firstPartyURL: Self.page, url: Self.page + "a")) }
    await store.untilHeld()
    let fork = Task { try await scene.browsers.fork(browser, as: "fork").browser }
    while browser.lock.waitingCount < 1 { await Task.yield() }
    store.holdNextFork()
    store.release()
    await store.untilHeld()
    // The load waits with its request.
    while browser.lock.waitingCount < 1 { await Task.yield() }
    let rows = try await Rows(of: browser, in: store)
    for _ in 0..<100 { await Task.yield() }
    #expect(try await Rows(of: browser, in: store) == rows)
    store.release()
    let copy = try await fork.value
    _ = try await load.value
    #expect(try await Rows(of: copy, in: store) == rows)
    let moved = try await Rows(of: browser, in: store)
    #expect(moved != rows)
    #expect(moved.site == browser.sites.scripts["shop.example"].map { SiteRecord($0, host: "shop.example") })
  }

  @Test("A call that waits for a copy ends when it is canceled, and otherwise follows the copy")
  func click() async throws {
    let store = HeldStore()
    let scene = try await Scene(store: store)
    store.holdNextFork()
    let fork = Task { try await scene.browsers.fork(scene.browser, as: "fork").browser }
    await store.untilHeld()
    let clicks = [4, 5].map { source in Task { try await scene.click(source) } }
    while scene.browser.lock.waitingCount < 2 { await Task.yield() }
    clicks[0].cancel()
    await #expect(throws: CancellationError.self) { _ = try await clicks[0].value }
    #expect(scene.browser.lock.waitingCount == 1)
    store.release()
    let copy = try await fork.value
    _ = try await clicks[1].value
    #expect(try await copy.events(after: 0, limit: 10).allSatisfy { $0.kind != .clickStored })
    #expect(try await scene.browser.events(after: 0, limit: 10).count { $0.kind == .clickStored } == 1)
  }
}
