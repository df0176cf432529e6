import BrowserSupport
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMStore
import Testing

/// The maximum numbers of browsers, and of a browser's apps.
@Suite(.timeLimit(.minutes(10))) struct BrowserCountTests {
  private static let ephemeral = BrowserSpecification(storage: .ephemeral, clockMode: .manual)

  private func isLimit(_ error: any Error) -> Bool {
    guard case BrowserError.limitReached(let detail) = error else { return false }
    return detail.contains("--max-browsers")
  }

  /// The maximum leaves room for `default` and two other browsers.
  private func browsers(_ store: any Store = MemoryStore()) async throws -> Browsers {
    let browsers = try await Scene().anew(store, maximumCount: 3)
    try await browsers.load()
    return browsers
  }

  @Test func noBrowserIsCreatedBeyondTheMaximum() async throws {
    let browsers = try await browsers()
    let (first, _) = try await browsers.put("first", Self.ephemeral)
    _ = try await browsers.put("second", Self.ephemeral)
    await #expect(performing: { try await browsers.put("third", Self.ephemeral) }, throws: isLimit)
    await #expect(performing: { try await browsers.create(Self.ephemeral) }, throws: isLimit)
    await #expect(performing: { try await browsers.fork(first, as: "fork") }, throws: isLimit)
    #expect(browsers.count == 3)

    #expect(try await browsers.put("first", Self.ephemeral).isNew == false)
    try await browsers.delete("second")
    _ = try await browsers.fork(first, as: "fork")
    await #expect(performing: { try await browsers.put("third", Self.ephemeral) }, throws: isLimit)
  }

  @Test func concurrentCreationsDoNotExceedTheMaximum() async throws {
    let browsers = try await browsers()
    let created = await withTaskGroup { group in
      for number in 0..<50 {
        group.addTask { (try? await browsers.put("browser-\(number)", Self.ephemeral)) != nil }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(created == 2)
    #expect(browsers.count == 3)
  }

  @Test func aFailedCreationLeavesRoom() async throws {
    let isBroken = NIOLockedValueBox(false)
    let observer = StoreObserver { name in
      if name.hasPrefix("create"), isBroken.withLockedValue({ $0 }) { throw StoreError.unavailable("broken") }
    }
    let browsers = try await browsers(ObservedStore(MemoryStore(), observer))
    isBroken.withLockedValue { $0 = true }
    for _ in 0..<3 {
      await #expect(throws: StoreError.unavailable("broken")) {
        try await browsers.put("first", BrowserSpecification(clockMode: .manual))
      }
    }
    isBroken.withLockedValue { $0 = false }
    for name in ["first", "second"] { _ = try await browsers.put(name, BrowserSpecification(clockMode: .manual)) }
  }

  @Test func storedBrowsersBeyondTheMaximumAreRestored() async throws {
    let store = MemoryStore()
    let before = try await Scene().anew(store, maximumCount: 100)
    try await before.load()
    for number in 0..<9 { _ = try await before.put("browser-\(number)", BrowserSpecification(clockMode: .manual)) }
    let after = try await browsers(store)
    #expect(after.count == 10)
    await #expect(performing: { try await after.put("new", Self.ephemeral) }, throws: isLimit)
  }

  @Test func aBrowserHasAMaximumOfApps() async throws {
    let scene = try await Scene()
    func register(_ number: Int) async throws {
      let manifest = try Scene.manifest(
        of: "com.example.app\(number)", endpoint: "https://news.example", sites: scene.environment.sites)
      _ = try await scene.browser.register(manifest)
    }
    for number in 1..<Browser.maximumAppCount { try await register(number) }
    await #expect(throws: BrowserError.limitReached("the browser has 1000 apps, the maximum; delete one first")) {
      try await register(0)
    }
    try await register(1)
    try await scene.browser.remove(app: "com.example.app1")
    try await register(0)
  }
}
