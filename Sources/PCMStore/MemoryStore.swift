import NIOConcurrencyHelpers
import PCMCore

/// A store for browsers that exist until the process ends.
///
/// It uses locks, not an actor: every call completes its work before it could suspend, so calls take effect in order. With
/// an actor, a call of higher priority could overtake waiting calls. Each browser has a separate lock, so that a long read
/// does not delay other browsers.
package final class MemoryStore: Store {
  private let contents = NIOLockedValueBox(Contents())
  private let admitWrite: (@Sendable () throws -> Void)?

  private struct Contents {
    var isClosed = false
    var lastNumber: Int64 = 0
    var browsers: [BrowserID: NIOLockedValueBox<Rows>] = [:]
    var names: [BrowserName: BrowserRecord] = [:]
    /// The requests of the service.
    let service = Rows(browser: MemoryBrowser(state: BrowserState(now: .earliest)))

    func saveCreationRequest(_ creation: IdempotentCreation?) throws {
      guard let creation else { return }
      try service.browser.transaction { try $0.saveCreationRequest(creation) }
    }
  }

  /// `@unchecked Sendable`: the rows are only accessed under their lock. A body receives them as an argument, and cannot
  /// keep a reference because it is `@Sendable`.
  private struct Rows: @unchecked Sendable {
    let browser: MemoryBrowser
  }

  /// - Parameter admitWrite: Throws to reject a transaction or a fork. With it, each transaction and each read yields after it: calls
  ///   on this store never wait, and as many loops of calls as there are cores would otherwise block other work until they end.
  package init(admitWrite: (@Sendable () throws -> Void)? = nil) {
    self.admitWrite = admitWrite
  }

  package func allBrowsers() async throws -> [Result<BrowserRecord, UnreadableBrowser>] {
    try open { contents in
      contents.names.values.sorted { $0.id.number < $1.id.number }.map { .success($0) }
    }
  }

  package func browser(named name: String) async throws -> BrowserRecord? {
    try open { $0.names[BrowserName(name)] }
  }

  package func create(
    _ browser: NewBrowser, _ body: @escaping @Sendable (any BrowserWriter) throws -> Void
  ) async throws -> BrowserRecord {
    try browser.requireStorableTimes()
    return try open { contents in
      guard contents.names[BrowserName(browser.name)] == nil else { throw StoreError.browserExists(name: browser.name) }
      guard contents.names.count < browser.maximumCount else { throw StoreError.tooManyBrowsers }
      let rows = MemoryBrowser(state: browser.state)
      try rows.transaction(body)
      try contents.saveCreationRequest(browser.creation)
      contents.lastNumber += 1
      let record = BrowserRecord(browser, id: BrowserID(contents.lastNumber))
      contents.names[BrowserName(browser.name)] = record
      contents.browsers[record.id] = NIOLockedValueBox(Rows(browser: rows))
      return record
    }
  }

  package func keptCreation(_ key: String) async throws -> IdempotencyRecord? {
    try open { $0.service.browser.row(IdempotencyRecord.self, key) }
  }

  package func fork(_ browser: BrowserID, as copy: BrowserCopy) async throws -> BrowserRecord {
    try admitWrite?()
    try copy.createdAt.requireStorable()
    // The rows of the copy are values, which the two browsers share until one of them changes.
    let rows = try rows(of: browser).withLockedValue { Rows(browser: MemoryBrowser(copying: $0.browser)) }
    return try open { contents in
      let name = BrowserName(copy.name)
      guard contents.names[name] == nil else { throw StoreError.browserExists(name: copy.name) }
      guard contents.names.count < copy.maximumCount else { throw StoreError.tooManyBrowsers }
      guard let original = contents.names.values.first(where: { $0.id == browser }) else { throw StoreError.unknownBrowser }
      try contents.saveCreationRequest(copy.creation)
      contents.lastNumber += 1
      let record = BrowserRecord(original, as: copy, id: BrowserID(contents.lastNumber))
      contents.names[name] = record
      contents.browsers[record.id] = NIOLockedValueBox(rows)
      return record
    }
  }

  package func delete(_ browser: BrowserID) async throws {
    try open { contents in
      contents.browsers[browser] = nil
      contents.names = contents.names.filter { $0.value.id != browser }
    }
  }

  package func submit<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> {
    let result = Result {
      try admitWrite?()
      return try rows(of: browser).withLockedValue { try $0.browser.transaction(body) }
    }
    guard admitWrite != nil else { return PendingWrite(result) }
    return PendingWrite {
      await Task.yield()
      return try result.get()
    }
  }

  package func read<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserReader) throws -> Answer
  ) async throws -> Answer {
    let answer = try rows(of: browser).withLockedValue { try body($0.browser) }
    if admitWrite != nil { await Task.yield() }
    return answer
  }

  package func checkWritable() async throws {
    try open { _ in }
  }

  package func close() async throws {
    let open = try open { contents in
      defer { contents = Contents(isClosed: true) }
      return contents.browsers.values.map { $0 }
    }
    // A running call holds its browser's lock.
    for rows in open { rows.withLockedValue { _ in } }
  }

  private func rows(of browser: BrowserID) throws -> NIOLockedValueBox<Rows> {
    try open { contents in
      guard let rows = contents.browsers[browser] else { throw StoreError.unknownBrowser }
      return rows
    }
  }

  private func open<Answer: Sendable>(_ body: (inout Contents) throws -> Answer) throws -> Answer {
    try contents.withLockedValue { contents in
      guard !contents.isClosed else { throw StoreError.closed }
      return try body(&contents)
    }
  }
}
