import NIOConcurrencyHelpers
package import PCMCore
import PCMDevice
package import PCMStore

/// All browsers of the process, by name.
///
/// A lock, not an actor, protects them: every request looks up a browser.
package final class Browsers: Sendable {
  package let world: World
  private let stores: [StorageKind: any Store]
  private let realTime: RealTime
  private let newSeed: @Sendable () -> String
  private let maximumCount: Int
  /// The number of browsers that are being created.
  private let newCount = NIOLockedValueBox(0)
  private let browsers = NIOLockedValueBox<[BrowserName: Browser]>([:])
  private let unreadable = NIOLockedValueBox<[BrowserName: (browser: UnreadableBrowser, storage: StorageKind)]>([:])
  private let idleNames = NIOLockedValueBox(IdleNames())
  /// Serializes creation and deletion per name.
  private let names = NamedLocks()
  package let keyLocks = NamedLocks()

  /// - Parameters:
  ///   - durable: The store of `durable` browsers.
  ///   - ephemeral: The store of `ephemeral` browsers.
  ///   - newSeed: Returns random text: a seed, the name of a browser that is created without one, or an incarnation.
  ///   - maximumCount: The maximum number of browsers. Stored browsers beyond it are restored, and none is created then.
  package init(
    world: World, durable: any Store, ephemeral: any Store, realTime: RealTime, newSeed: @escaping @Sendable () -> String,
    maximumCount: Int = Browsers.standardMaximumCount
  ) {
    self.world = world
    stores = [.durable: durable, .ephemeral: ephemeral]
    self.realTime = realTime
    self.newSeed = newSeed
    self.maximumCount = maximumCount
  }

  /// Restores the browsers from the stores, recovers interrupted reports, and creates `default` if it does not exist. A
  /// browser with a damaged row is not restored, and no call finds it if its name is damaged.
  ///
  /// - Parameter onUnreadable: Called for each browser that is not restored.
  package func load(onUnreadable: (UnreadableBrowser) -> Void = { _ in }) async throws {
    for (storage, store) in stores {
      var unreadable = try await store.unreadableBrowsers()
      for record in try await store.browsers() {
        do {
          try await load(record, storage: storage, store: store)
        } catch StoreError.unreadable(let row) {
          unreadable.append(UnreadableBrowser(id: record.id, name: record.name, row: row))
        }
      }
      for browser in unreadable {
        if let name = browser.name { self.unreadable.withLockedValue { $0[BrowserName(name)] = (browser, storage) } }
        onUnreadable(browser)
      }
    }
    try await createDefault()
  }

  private func load(_ record: BrowserRecord, storage: StorageKind, store: any Store) async throws {
    let browser = try await open(record, storage: storage, store: store)
    do {
      try await browser.recover()
    } catch {
      realTime.forget(browser)
      throw error
    }
    browsers.withLockedValue { $0[BrowserName(record.name)] = browser }
  }

  private func createDefault() async throws {
    guard find(Self.defaultName) == nil, unreadable(Self.defaultName) == nil else { return }
    _ = try await create(Self.defaultName, BrowserSpecification())
  }

  private func unreadable(_ name: String) -> (browser: UnreadableBrowser, storage: StorageKind)? {
    unreadable.withLockedValue { $0[BrowserName(name)] }
  }

  package static let defaultName = "default"
  package static let standardMaximumCount = 10_000

  package func browser(_ name: String) throws(BrowserError) -> Browser {
    guard let browser = find(name) else { throw unknown(name) }
    return browser
  }

  /// Returns a browser in use, so that it is not idle.
  package func use(_ name: String) throws(BrowserError) -> BrowserUse {
    let use = browsers.withLockedValue { $0[BrowserName(name)].map { BrowserUse(of: $0) } }
    guard let use else { throw unknown(name) }
    return use
  }

  private func unknown(_ name: String) -> BrowserError {
    if let (browser, _) = unreadable(name) { return .unreadableBrowser(name: name, row: browser.row) }
    return .unknownBrowser(name: name, wasIdle: idleNames.withLockedValue { $0.contains(BrowserName(name)) })
  }

  private func find(_ name: String) -> Browser? { browsers.withLockedValue { $0[BrowserName(name)] } }

  /// Returns the browsers with all of the labels after `name`, ordered by name.
  package func browsers(after name: String, labels: [Label] = [], limit: Int) -> [Browser] {
    let (all, name) = (browsers.withLockedValue { $0 }, BrowserName(name))
    let sorted = all.keys.filter { $0 > name }.sorted().lazy.compactMap { all[$0] }
    guard !labels.isEmpty else { return Array(sorted.prefix(limit)) }
    return Array(sorted.filter { $0.upkeep.labels.containsAll(labels) }.prefix(limit))
  }

  var all: [Browser] { browsers.withLockedValue { Array($0.values) } }

  package var count: Int { browsers.withLockedValue { $0.count } }

  /// Creates a browser, or confirms that the existing one with this name has the specified values.
  package func put(_ name: String, _ specification: BrowserSpecification) async throws -> (Browser, isNew: Bool) {
    try await names.withLock(name) {
      guard let browser = find(name) else {
        guard unreadable(name) == nil else { throw unknown(name) }
        return (try await withinLimit { try await create(name, specification).browser }, true)
      }
      try await specification.check(against: browser)
      browser.noteUse()
      return (browser, false)
    }
  }

  /// Creates a browser with a generated name.
  ///
  /// - Parameter request: The request with its key; nil without one.
  /// - Returns: The browser, and its description at its creation.
  package func create(
    _ specification: BrowserSpecification, for request: KeyedRequest<Configuration>? = nil
  ) async throws -> (browser: Browser, configuration: Configuration) {
    let name = "browser-\(newSeed().prefix(12))"
    return try await names.withLock(name) {
      guard find(name) == nil else { throw StoreError.browserExists(name: name) }
      guard unreadable(name) == nil else { throw unknown(name) }
      return try await withinLimit { try await create(name, specification, for: request) }
    }
  }

  /// Adds a browser if there is room for it. For an instant, a new browser counts twice, and the last place is taken.
  private func withinLimit<Value>(_ add: () async throws -> Value) async throws -> Value {
    let isAdmitted = newCount.withLockedValue { newCount in
      guard count + unreadable.withLockedValue({ $0.count }) + newCount < maximumCount else { return false }
      newCount += 1
      return true
    }
    guard isAdmitted else {
      throw BrowserError.limitReached(
        "the maximum of \(maximumCount) browsers is reached; delete browsers, create browsers with an idleTimeout, or start the "
          + "service with a larger --max-browsers")
    }
    defer { newCount.withLockedValue { $0 -= 1 } }
    return try await add()
  }

  /// Copies a browser with all its data. Both continue independently, and with the same operations in the same way.
  ///
  /// - Parameters:
  ///   - name: The name of the copy; nil for a generated one.
  ///   - request: The request with its key; nil without one.
  /// - Returns: The copy, and its description at its creation.
  /// - Throws: `StoreError.browserExists` when the name exists.
  package func fork(
    _ original: Browser, as name: String?, for request: KeyedRequest<Configuration>? = nil
  ) async throws -> (browser: Browser, configuration: Configuration) {
    guard let store = stores[original.storage] else { throw BrowserError.conflict("the browser has no storage") }
    let name = name ?? "browser-\(newSeed().prefix(12))"
    return try await names.withLock(name) {
      guard find(name) == nil else { throw StoreError.browserExists(name: name) }
      guard unreadable(name) == nil else { throw unknown(name) }
      return try await withinLimit {
        let (createdAt, incarnation) = (world.wallClock(), newSeed())
        let fork = try await original.fork { original in
          let configuration = original.copied(as: name, createdAt: createdAt, incarnation: incarnation)
          let copy = BrowserCopy(
            name: name, createdAt: createdAt, incarnation: incarnation, creation: request?.creation(of: configuration))
          return (copy, configuration)
        }
        let browser = Browser(
          record: fork.record, storage: original.storage, rows: fork.rows, store: store, world: world, realTime: realTime)
        browser.take(fork.memory)
        browsers.withLockedValue { $0[BrowserName(name)] = browser }
        browser.announce(fork.rows.due)
        return (browser, fork.configuration)
      }
    }
  }

  /// Deletes a browser and all its data, and returns it, or nil when its data was not readable. `default` always exists: only an
  /// unreadable one is deleted, and created again.
  @discardableResult
  package func delete(_ name: String) async throws -> Browser? {
    try await names.withLock(name) {
      if let (browser, storage) = unreadable(name) {
        try await stores[storage]?.delete(browser.id)
        unreadable.withLockedValue { $0[BrowserName(name)] = nil }
        try await createDefault()
        return nil
      }
      guard name != Self.defaultName else {
        throw BrowserError.conflict(
          "\(name) always exists; DELETE /v1/browsers/\(name)/data removes its data, and any other browser can be deleted")
      }
      let browser = try browser(name)
      try await browser.lock.sharing { try await stores[browser.storage]?.delete(browser.record.id) }
      browsers.withLockedValue { $0[BrowserName(name)] = nil }
      retire(browser)
      return browser
    }
  }

  /// Deletes a browser and all its data if it is still idle and no call finds it in the meantime.
  func removeIfIdle(_ browser: Browser, at instant: Instant) async throws {
    let name = BrowserName(browser.record.name)
    try await names.withLock(name.text) {
      let isTaken = browsers.withLockedValue { browsers in
        guard browsers[name] === browser, browser.isIdle(at: instant) else { return false }
        browsers[name] = nil
        return true
      }
      guard isTaken else { return }
      do {
        try await stores[browser.storage]?.delete(browser.record.id)
      } catch {
        browsers.withLockedValue { $0[name] = browser }
        throw error
      }
      idleNames.withLockedValue { $0.insert(name) }
      retire(browser)
    }
  }

  private func retire(_ browser: Browser) {
    browser.markDeleted()
    realTime.forget(browser)
  }

  private func create(
    _ name: String, _ specification: BrowserSpecification, for request: KeyedRequest<Configuration>? = nil
  ) async throws -> (browser: Browser, configuration: Configuration) {
    let storage = specification.storage ?? .durable
    guard let store = stores[storage] else { throw BrowserError.conflict("there is no \(storage.rawValue) storage") }
    let wallNow = world.wallClock()
    let state = BrowserState(
      settings: specification.settings.applied(to: BrowserSettings()),
      upkeep: BrowserUpkeep().changed(labels: specification.labels, idleTimeout: specification.idleTimeout),
      now: specification.clock?.start ?? wallNow)
    _ = try Device().changed(by: specification.device, at: state.now)
    var new = NewBrowser(
      name: name, seed: specification.seed ?? newSeed(), clockMode: specification.clock?.mode ?? .real, state: state,
      createdAt: wallNow, incarnation: newSeed())
    let configuration = Configuration(new: new, storage: storage)
    new.creation = request?.creation(of: configuration)
    let record = try await store.create(new)
    // The store is not read again: if that failed, the store would have a browser that no call finds.
    let browser = Browser(
      record: record, storage: storage, rows: BrowserRows(new: state), store: store, world: world, realTime: realTime)
    // A call finds the browser with its device, and also when the device could not be stored.
    defer {
      browsers.withLockedValue { $0[BrowserName(name)] = browser }
      idleNames.withLockedValue { $0.remove(BrowserName(name)) }
    }
    try await browser.change(device: specification.device)
    return (browser, configuration)
  }

  private func open(_ record: BrowserRecord, storage: StorageKind, store: any Store) async throws -> Browser {
    let rows = try await store.read(record.id) { [world] in try BrowserRows($0, world: world) }
    return Browser(record: record, storage: storage, rows: rows, store: store, world: world, realTime: realTime)
  }
}

extension Browsers: RequestKeeping {
  package func keptRequest(_ key: String) async throws -> KeptRequest? {
    for store in stores.values {
      if let kept = try await store.keptCreation(key) { return kept }
    }
    return nil
  }

  package func interruption(of request: KeptRequest) -> BrowserError {
    .requestInterrupted(key: request.key, since: request.receivedAt, clock: nil)
  }
}

extension BrowserSpecification {
  private func check(upkeepOf browser: Browser, _ current: Configuration) throws(BrowserError) {
    let known = [browser.record.initialUpkeep, current.upkeep]
    guard labels == nil || known.contains(where: { $0.labels == labels }) else {
      throw .conflict("labels: the browser has different labels; change them with PATCH")
    }
    guard known.contains(where: { $0.changed(labels: nil, idleTimeout: idleTimeout) == $0 }) else {
      try browser.checkIdleTimeout()
      throw .conflict("idleTimeout: the browser has a different idle timeout; change it with PATCH")
    }
  }

  /// Confirms the values that are present. Repeating the creation is always allowed, whatever changed since.
  fileprivate func check(against browser: Browser) async throws {
    try check(against: browser, try await browser.configuration())
  }

  private func check(against browser: Browser, _ current: Configuration) throws(BrowserError) {
    let (record, storage) = (browser.record, browser.storage)
    if let given = self.storage, given != storage {
      throw .conflict("storage: the browser's storage is \(storage.rawValue) and fixed at creation")
    }
    if let seed, seed != record.seed {
      throw .conflict("seed: the browser has a different seed, fixed at creation; delete and recreate the browser to change it")
    }
    if let clock, clock.mode != record.clockMode {
      throw .conflict("clock.mode: the browser's clock is \(record.clockMode.rawValue) and fixed at creation")
    }
    if let start = clock?.start, start != record.start {
      throw .conflict("clock.start: the browser's clock started at \(record.start.text); move it with clock/advance")
    }
    guard [record.initialSettings, current.settings].contains(where: { settings.applied(to: $0) == $0 }) else {
      throw .conflict("settings: the browser has different settings; change them with PATCH")
    }
    try check(upkeepOf: browser, current)
  }
}
