import NIOConcurrencyHelpers
package import PCMCore
import PCMDevice
package import PCMStore

/// All browsers of the process, by name.
///
/// A lock, not an actor, protects them: every request looks up a browser.
package final class Browsers: Sendable {
  package let environment: BrowserEnvironment
  let stores: [StorageKind: any Store]
  private let realTime: RealTime
  private let newSeed: @Sendable () -> String
  private let maximumCount: Int
  /// The numbers of browsers that are being created.
  private let newCounts = NIOLockedValueBox<[StorageKind: Int]>([:])
  private let browsers = NIOLockedValueBox<[BrowserName: Browser]>([:])
  private let idleNames = NIOLockedValueBox(IdleNames())
  /// Serializes creation and deletion per name.
  private let names = NamedLocks()
  package let keyLocks = NamedLocks()
  package let failedRequests = FailedRequests()

  /// - Parameters:
  ///   - durable: The store of `durable` browsers.
  ///   - ephemeral: The store of `ephemeral` browsers.
  ///   - newSeed: Returns random text: a seed, the name of a browser that is created without one, or an incarnation.
  ///   - maximumCount: The maximum number of browsers. Stored browsers beyond it are restored, and none is created then.
  package init(
    environment: BrowserEnvironment, durable: any Store, ephemeral: any Store, realTime: RealTime,
    newSeed: @escaping @Sendable () -> String,
    maximumCount: Int = Browsers.standardMaximumCount
  ) {
    self.environment = environment
    stores = [.durable: durable, .ephemeral: ephemeral]
    self.realTime = realTime
    self.newSeed = newSeed
    self.maximumCount = maximumCount
  }

  /// Restores the browsers from the stores, recovers interrupted reports, and creates `default` if it does not exist. A
  /// browser with a damaged row is not restored. In a shared store, only the reports of instances that are gone are interrupted.
  ///
  /// - Parameter onUnreadable: Called for each browser that is not restored.
  package func load(onUnreadable: (UnreadableBrowser) -> Void = { _ in }) async throws {
    for (storage, store) in stores {
      let abandoned = Set(try await store.claimAbandoned(limit: .max).map(\.id))
      for browser in try await store.allBrowsers() {
        do {
          let record = try browser.get()
          let isAbandoned = !store.isShared || abandoned.contains(record.id)
          try await load(record, storage: storage, store: store, isAbandoned: isAbandoned)
        } catch let unreadable as UnreadableBrowser {
          onUnreadable(unreadable)
        } catch StoreError.unknownBrowser {
          // Another process has deleted it in the meantime.
          continue
        }
      }
    }
    do { try await createDefault() } catch StoreError.unreadable {
      // It is among the unreadable browsers, and can be deleted.
    }
  }

  private func load(_ record: BrowserRecord, storage: StorageKind, store: any Store, isAbandoned: Bool) async throws {
    do {
      let browser = try await open(record, storage: storage, store: store)
      if isAbandoned { try await browser.recover() }
      browsers.withLockedValue { $0[BrowserName(record.name)] = browser }
    } catch let error as StoreError {
      guard case .unreadable = error else { throw error }
      throw UnreadableBrowser(id: record.id, name: record.name, error: error)
    }
  }

  private func createDefault() async throws {
    guard try await stored(Self.defaultName) == nil else { return }
    do { _ = try await create(Self.defaultName, BrowserSpecification()) } catch StoreError.browserExists {
      // Another process created it in the meantime.
      _ = try await stored(Self.defaultName)
    }
  }

  package static let defaultName = "default"
  package static let standardMaximumCount = 10_000

  /// Returns a browser, also if another process created it. If a call of it throws `StoreError.unknownBrowser`, another process
  /// may have deleted it: forget it, and try again.
  package func browser(_ name: String) async throws -> Browser {
    if let browser = find(name) { return browser }
    return try await names.withLock(name) {
      guard let browser = try await stored(name) else { throw unknown(name) }
      return browser
    }
  }

  /// Returns a browser in use, so that it is not idle.
  package func use(_ name: String) async throws -> UseToken {
    while true {
      // Under the lock, because the browser may be removed as idle at this moment.
      if let use = browsers.withLockedValue({ $0[BrowserName(name)].map { UseToken(of: $0) } }) { return use }
      _ = try await browser(name)
    }
  }

  /// Forgets a browser that the store does not have anymore. Returns whether another process deleted it.
  @discardableResult
  package func forget(_ browser: Browser) -> Bool {
    let isForgotten = browsers.withLockedValue { browsers in
      let name = BrowserName(browser.record.name)
      guard browsers[name] === browser else { return false }
      browsers[name] = nil
      return true
    }
    if isForgotten { browser.markDeleted(by: .another) }
    return browser.deletion != .this
  }

  private func unknown(_ name: String) -> BrowserError {
    .unknownBrowser(name: name, wasIdle: idleNames.withLockedValue { $0.contains(BrowserName(name)) })
  }

  /// Returns a browser, also if another process created it. The caller holds the lock of its name.
  private func stored(_ name: String) async throws -> Browser? {
    if let browser = find(name) { return browser }
    for (storage, store) in stores {
      guard let record = try await store.browser(named: name) else { continue }
      let browser = try await open(record, storage: storage, store: store)
      browsers.withLockedValue { $0[BrowserName(name)] = browser }
      return browser
    }
    return nil
  }

  /// Returns the number and the store of a browser, even if its row is damaged.
  private func place(of name: String) async throws -> (id: BrowserID, store: any Store)? {
    for store in stores.values {
      do {
        if let record = try await store.browser(named: name) { return (record.id, store) }
      } catch StoreError.unreadable {
        for case .failure(let browser) in try await store.allBrowsers()
        where browser.name.map({ BrowserName($0) }) == BrowserName(name) {
          return (browser.id, store)
        }
      }
    }
    return nil
  }

  /// Returns a browser with its description, from one read. The caller holds the lock of its name.
  private func described(_ name: String) async throws -> (browser: Browser, configuration: BrowserSnapshot)? {
    while let browser = try await stored(name) {
      do { return (browser, try await browser.configuration()) } catch StoreError.unknownBrowser { forget(browser) }
    }
    return nil
  }

  var allStores: [any Store] { Array(stores.values) }

  /// Returns the browser with a record, or nil when it does not exist any longer.
  func browser(_ record: BrowserRecord) async throws -> Browser? {
    do {
      let browser = try await browser(record.name)
      guard browser.record != record else { return browser }
      // Another process has deleted or replaced the browser.
      forget(browser)
      let other = try await self.browser(record.name)
      return other.record == record ? other : nil
    } catch BrowserError.unknownBrowser {
      return nil
    }
  }

  private func find(_ name: String) -> Browser? { browsers.withLockedValue { $0[BrowserName(name)] } }

  /// Returns the browsers with all of the labels after `name`, ordered by name.
  package func browsers(after name: String, labels: [Label] = [], limit: Int) async throws -> [ListedBrowser] {
    var found: [ListedBrowser] = []
    for store in stores.values { found += try await store.browsers(after: name, labels: labels, limit: limit) }
    return Array(found.sorted { BrowserName($0.record.name) < BrowserName($1.record.name) }.prefix(limit))
  }

  /// Returns a browser with its description, from one read, or nil when none exists.
  package func description(of name: String) async throws -> (browser: Browser, configuration: BrowserSnapshot)? {
    try await names.withLock(name) { try await described(name) }
  }

  /// Returns the machine's time of the last call of a browser to this process. Without one, the time of the creation.
  package func lastUse(of record: BrowserRecord) -> Instant {
    find(record.name).flatMap { $0.record == record ? $0.lastUsedAt : nil } ?? record.createdAt
  }

  var all: [Browser] { browsers.withLockedValue { Array($0.values) } }

  package var count: Int { browsers.withLockedValue { $0.count } }

  /// Creates a browser, or confirms that the existing browser has the specified values.
  package func put(_ name: String, _ specification: BrowserSpecification) async throws -> (Browser, isNew: Bool) {
    let (browser, created) = try await ensure(name, specification)
    return (browser, created != nil)
  }

  /// Does the same as ``put(_:_:)``.
  ///
  /// - Returns: The browser, and its description at its creation; nil for a browser that existed.
  package func ensure(_ name: String, _ specification: BrowserSpecification) async throws -> (
    Browser, created: BrowserSnapshot?
  ) {
    try await names.withLock(name) {
      if let browser = try await confirmed(name, specification) { return (browser, nil) }
      do {
        let (browser, configuration) = try await createWithinLimit(name, specification)
        return (browser, configuration)
      } catch StoreError.browserExists {
        // Another process has created it in the meantime, or is copying one to this name.
        guard let browser = try await confirmed(name, specification) else { throw StoreError.browserExists(name: name) }
        return (browser, nil)
      }
    }
  }

  /// Returns the browser with this name, which has the specified values, or nil when none exists. The caller holds the lock of its name.
  private func confirmed(_ name: String, _ specification: BrowserSpecification) async throws -> Browser? {
    guard let (browser, configuration) = try await described(name) else { return nil }
    try specification.check(against: browser, configuration)
    browser.noteUse()
    return browser
  }

  /// Creates a browser with a generated name.
  ///
  /// - Parameter request: The request with its key; nil without one.
  /// - Returns: The browser, and its description at its creation.
  package func create(
    _ specification: BrowserSpecification, for request: KeyedRequest<BrowserSnapshot>? = nil
  ) async throws -> (browser: Browser, configuration: BrowserSnapshot) {
    let name = "browser-\(newSeed().prefix(12))"
    return try await names.withLock(name) {
      guard find(name) == nil else { throw StoreError.browserExists(name: name) }
      return try await createWithinLimit(name, specification, for: request)
    }
  }

  /// Adds a browser to a store, which decides in its transaction whether there is room for it. The browsers in the other storage, and
  /// the browsers that are being added to it, have their places.
  private func withinLimit<Value>(
    in storage: StorageKind, _ add: (_ maximumCount: Int) async throws -> Value
  ) async throws -> Value {
    let others = newCounts.withLockedValue { counts in
      counts[storage, default: 0] += 1
      let new = counts.reduce(0) { $1.key == storage ? $0 : $0 + $1.value }
      return new + browsers.withLockedValue { $0.values.count { $0.storage != storage } }
    }
    defer { newCounts.withLockedValue { $0[storage, default: 0] -= 1 } }
    do { return try await add(maximumCount - others) } catch StoreError.tooManyBrowsers {
      throw BrowserError.limitReached(
        "the maximum of \(maximumCount) browsers is reached; delete browsers, create browsers with an idleTimeout, or start the "
          + "service with a larger --max-browsers")
    }
  }

  /// Copies a browser with all its data. Both continue independently, and with the same operations in the same way.
  ///
  /// - Parameters:
  ///   - name: The name of the copy; nil for a generated name.
  ///   - request: The request with its key; nil without one.
  /// - Returns: The copy, and its description at its creation.
  /// - Throws: `StoreError.browserExists` when the name exists.
  package func fork(
    _ original: Browser, as name: String?, for request: KeyedRequest<BrowserSnapshot>? = nil
  ) async throws -> (browser: Browser, configuration: BrowserSnapshot) {
    guard let store = stores[original.storage] else { throw BrowserError.conflict("the browser has no storage") }
    let name = name ?? "browser-\(newSeed().prefix(12))"
    return try await names.withLock(name) {
      guard try await described(name) == nil else { throw StoreError.browserExists(name: name) }
      return try await withinLimit(in: original.storage) { maximumCount in
        let (createdAt, incarnation) = (environment.wallClock(), newSeed())
        let fork = try await original.fork { original in
          let configuration = original.copied(as: name, createdAt: createdAt, incarnation: incarnation)
          let copy = BrowserCopy(
            name: name, createdAt: createdAt, incarnation: incarnation, creation: request?.creation(of: configuration),
            maximumCount: maximumCount)
          return (copy, configuration)
        }
        let browser = Browser(
          record: fork.record, storage: original.storage, rows: fork.rows, store: store, environment: environment,
          realTime: realTime)
        browser.take(fork.memory)
        browsers.withLockedValue { $0[BrowserName(name)] = browser }
        browser.announce(fork.rows.due)
        return (browser, fork.configuration)
      }
    }
  }

  /// Deletes a browser and all its data, and returns it, or nil when its data was not readable. `default` always exists: it is only
  /// deleted when it is unreadable, and then created again.
  @discardableResult
  package func delete(_ name: String) async throws -> Browser? {
    try await names.withLock(name) {
      let known = find(name)
      guard let (id, store) = try await place(of: name) else {
        if let known { forget(known) }
        throw unknown(name)
      }
      if let known, known.record.id != id { forget(known) }
      let browser: Browser?
      do { browser = try await stored(name) } catch StoreError.unreadable { browser = nil }
      guard let browser else {
        try await store.delete(id)
        if name == Self.defaultName { try await createDefault() }
        return nil
      }
      guard name != Self.defaultName else {
        throw BrowserError.conflict(
          "\(name) always exists; DELETE /v1/browsers/\(name)/data removes its data, and any other browser can be deleted")
      }
      try await browser.lock.sharing { try await store.delete(id) }
      browsers.withLockedValue { $0[BrowserName(name)] = nil }
      browser.markDeleted()
      return browser
    }
  }

  /// Deletes a browser and all its data if it is still idle and no call finds it in the meantime.
  func removeIfIdle(_ browser: Browser, at instant: Instant) async throws {
    let name = BrowserName(browser.record.name)
    try await names.withLock(name.text) {
      if browser.store.isShared {
        do { try await browser.findUses() } catch StoreError.unknownBrowser {
          forget(browser)
          return
        }
      }
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
      browser.markDeleted()
    }
  }

  /// Stores an ephemeral browser until its idle timeout when the durable store is shared: other instances would not find it in the
  /// memory of this instance, whose end callers do not notice.
  private func forStore(_ specification: BrowserSpecification) throws(BrowserError) -> BrowserSpecification {
    guard specification.storage == .ephemeral, stores[.durable]?.isShared == true else { return specification }
    guard specification.idleTimeout?.milliseconds != 0 else {
      let text = "several instances store an ephemeral browser until it is idle; omit idleTimeout for PT1H, or use durable"
      throw .invalidInput([InputError(["idleTimeout"], text)])
    }
    var stored = specification
    (stored.storage, stored.idleTimeout) = (.durable, specification.idleTimeout ?? .hours(1))
    return stored
  }

  private func createWithinLimit(
    _ name: String, _ specification: BrowserSpecification, for request: KeyedRequest<BrowserSnapshot>? = nil
  ) async throws -> (browser: Browser, configuration: BrowserSnapshot) {
    let specification = try forStore(specification)
    return try await withinLimit(in: specification.storage ?? .durable) {
      try await create(name, specification, for: request, atMost: $0)
    }
  }

  private func create(
    _ name: String, _ specification: BrowserSpecification, for request: KeyedRequest<BrowserSnapshot>? = nil,
    atMost maximumCount: Int = .max
  ) async throws -> (browser: Browser, configuration: BrowserSnapshot) {
    let storage = specification.storage ?? .durable
    guard let store = stores[storage] else { throw BrowserError.conflict("there is no \(storage.rawValue) storage") }
    let wallNow = environment.wallClock()
    let state = BrowserState(
      settings: specification.settings.applied(to: BrowserSettings()),
      upkeep: BrowserUpkeep().changed(labels: specification.labels, idleTimeout: specification.idleTimeout),
      now: specification.clock?.start ?? wallNow)
    let change = specification.device
    let device = try Device().changed(by: change, at: state.now)
    var new = NewBrowser(
      name: name, seed: specification.seed ?? newSeed(), clockMode: specification.clock?.mode ?? .real, state: state,
      createdAt: wallNow, incarnation: newSeed())
    let configuration = BrowserSnapshot(new: new, device: device, storage: storage)
    (new.creation, new.maximumCount) = (request?.creation(of: configuration), maximumCount)
    let (isJournaled, start) = (new.clockMode == .manual, environment.storeMeter.uptime())
    let record = try await store.create(new) { writer in
      if !change.isEmpty { try writer.begin(with: device, changedBy: change, isJournaled: isJournaled) }
    }
    if !change.isEmpty {
      environment.storeMeter.didWrite(
        storage, environment.storeMeter.uptime() - start, [DeviceChanged(properties: device.json)])
    }
    // The store is not read again: if that failed, the store would have a browser that no call finds.
    let browser = Browser(
      record: record, storage: storage, rows: BrowserRows(new: state), store: store, environment: environment,
      realTime: realTime)
    browsers.withLockedValue { $0[BrowserName(name)] = browser }
    idleNames.withLockedValue { $0.remove(BrowserName(name)) }
    return (browser, configuration)
  }

  private func open(_ record: BrowserRecord, storage: StorageKind, store: any Store) async throws -> Browser {
    let rows = try await store.read(record.id) { [environment] in try BrowserRows($0, environment: environment) }
    return Browser(record: record, storage: storage, rows: rows, store: store, environment: environment, realTime: realTime)
  }
}

extension Browsers: IdempotencyStore {
  package var isShared: Bool { stores.values.contains { $0.isShared } }

  package func keptRequest(_ key: String) async throws -> IdempotencyRecord? {
    for store in stores.values {
      if let kept = try await store.keptCreation(key) { return kept }
    }
    return nil
  }

  package func interruption(of request: IdempotencyRecord) -> BrowserError {
    .requestInterrupted(key: request.key, since: request.receivedAt, clock: nil)
  }
}

extension BrowserSpecification {
  private func check(upkeepOf browser: Browser, _ current: BrowserSnapshot) throws(BrowserError) {
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
  fileprivate func check(against browser: Browser, _ current: BrowserSnapshot) throws(BrowserError) {
    let (record, storage) = (browser.record, browser.storage)
    // All browsers of a shared store are stored.
    if let given = self.storage, given != storage, !browser.store.isShared {
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
