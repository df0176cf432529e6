import PCMCore
package import PCMStore

/// A store whose calls a test observes, and lets fail: the store's calls and, within a transaction, the calls of its rows. It works
/// over any store.
package struct ObservedStore: Store {
  private let base: any Store
  private let observer: StoreObserver

  package init(_ base: any Store, _ observer: StoreObserver) {
    (self.base, self.observer) = (base, observer)
  }

  package var isShared: Bool { base.isShared }
  package var instance: Int64 { base.instance }
  package var mayAct: Bool { base.mayAct }
  package func claimAbandoned(limit: Int) async throws -> [BrowserRecord] { try await base.claimAbandoned(limit: limit) }

  package func allBrowsers() async throws -> [Result<BrowserRecord, UnreadableBrowser>] {
    try observer.willCall(#function)
    return try await base.allBrowsers()
  }

  package func browser(named name: String) async throws -> BrowserRecord? {
    try observer.willCall(#function)
    return try await base.browser(named: name)
  }

  package func create(
    _ browser: NewBrowser, _ body: @escaping @Sendable (any BrowserWriter) throws -> Void
  ) async throws -> BrowserRecord {
    try observer.willCall(#function)
    return try await base.create(browser) { [observer] in try body(ObservedWriter($0, observer)) }
  }

  package func keptCreation(_ key: String) async throws -> IdempotencyRecord? {
    try observer.willCall(#function)
    return try await base.keptCreation(key)
  }

  package func fork(_ browser: BrowserID, as copy: BrowserCopy) async throws -> BrowserRecord {
    try observer.willCall(#function)
    return try await base.fork(browser, as: copy)
  }

  package func delete(_ browser: BrowserID) async throws {
    try observer.willCall(#function)
    try await base.delete(browser)
  }

  package func submit<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> {
    do {
      try observer.willCall(#function)
    } catch {
      return PendingWrite(.failure(error))
    }
    return base.submit(browser) { [observer] in try body(ObservedWriter($0, observer)) }
  }

  package func read<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserReader) throws -> Answer
  ) async throws -> Answer {
    try observer.willCall(#function)
    await observer.beforeRead()
    return try await base.read(browser) { [observer] in try body(ObservedReader($0, observer)) }
  }

  package func checkWritable() async throws {
    try observer.willCall(#function)
    try await base.checkWritable()
  }

  package func close() async throws { try await base.close() }
}

/// A test's treatment of the calls of an ``ObservedStore``.
package struct StoreObserver: Sendable {
  /// Throws when the call is to fail.
  package let willCall: @Sendable (_ name: String) throws -> Void
  /// Returns when a read may begin.
  package let beforeRead: @Sendable () async -> Void
  /// Receives the number of rows that a call has read.
  package let didRead: @Sendable (_ count: Int) -> Void

  package init(
    willCall: @escaping @Sendable (_ name: String) throws -> Void = { _ in },
    beforeRead: @escaping @Sendable () async -> Void = {},
    didRead: @escaping @Sendable (_ count: Int) -> Void = { _ in }
  ) {
    (self.willCall, self.beforeRead, self.didRead) = (willCall, beforeRead, didRead)
  }
}

/// Rows that forward each call to a store's rows.
class ObservedReader: BrowserReader {
  private let base: any BrowserReader
  fileprivate let observer: StoreObserver

  init(_ base: any BrowserReader, _ observer: StoreObserver) {
    (self.base, self.observer) = (base, observer)
  }

  private func one<Value>(_ name: String = #function, _ read: (any BrowserReader) throws -> Value) throws -> Value {
    try observer.willCall(name)
    observer.didRead(1)
    return try read(base)
  }

  private func many<Value>(_ name: String = #function, _ read: (any BrowserReader) throws -> [Value]) throws -> [Value] {
    try observer.willCall(name)
    let rows = try read(base)
    observer.didRead(rows.count)
    return rows
  }

  func state() throws -> BrowserState { try one { try $0.state() } }
  func row<Row: StoredRow>(_ type: Row.Type, _ key: Row.RowKey) throws -> Row? {
    try one("row \(Row.table.name)") { try $0.row(type, key) }
  }
  func rows<Row: StoredRow>(_ query: RowQuery<Row>) throws -> [Row] {
    try many("rows \(Row.table.name)") { try $0.rows(query) }
  }
  func total<Row: StoredRow>(of type: Row.Type) throws -> RowTotal { try one { try $0.total(of: type) } }
  func reportHeadings(in state: Report.State?, after id: Int64, limit: Int) throws -> [ReportHeading] {
    try many { try $0.reportHeadings(in: state, after: id, limit: limit) }
  }
  func keysOfKeptRequests(until: Instant?, limit: Int) throws -> [String] {
    try many { try $0.keysOfKeptRequests(until: until, limit: limit) }
  }

  func events(after sequence: Int64, limit: Int) throws -> [LogEvent] {
    try many { try $0.events(after: sequence, limit: limit) }
  }
  func indexedEvents(_ filter: EventFilter, in block: Int64, after sequence: Int64, limit: Int) throws -> [LogEvent] {
    try many { try $0.indexedEvents(filter, in: block, after: sequence, limit: limit) }
  }
  func firstSequence() throws -> Int64 { try one { try $0.firstSequence() } }
  func nextSequence() throws -> Int64 { try one { try $0.nextSequence() } }
  func lastEventAt() throws -> Instant? { try one { try $0.lastEventAt() } }
  func ruleList(_ id: String) throws -> RuleList? { try one { try $0.ruleList(id) } }
}

private final class ObservedWriter: ObservedReader, BrowserWriter {
  private let writer: any BrowserWriter

  init(_ writer: any BrowserWriter, _ observer: StoreObserver) {
    self.writer = writer
    super.init(writer, observer)
  }

  private func change<Value>(_ name: String = #function, _ write: (any BrowserWriter) throws -> Value) throws -> Value {
    try observer.willCall(name)
    return try write(writer)
  }

  var appended: [any BrowserEvent] { writer.appended }
  func beginRemoval() throws { try writer.beginRemoval() }
  func save(_ state: BrowserState) throws { try change { try $0.save(state) } }
  func save<Row: StoredRow>(_ row: Row) throws { try change("save \(Row.table.name)") { try $0.save(row) } }
  func remove<Row: StoredRow>(_ type: Row.Type, _ key: Row.RowKey) throws {
    try change("remove \(Row.table.name)") { try $0.remove(type, key) }
  }
  func removeAll<Row: StoredRow>(_ type: Row.Type, in group: StoredValue?) throws -> Int {
    try change("removeAll \(Row.table.name)") { try $0.removeAll(type, in: group) }
  }

  func append(_ event: any BrowserEvent, at instant: Instant) throws -> LogEvent {
    try change { try $0.append(event, at: instant) }
  }
  func removeEvents(before sequence: Int64) throws { try change { try $0.removeEvents(before: sequence) } }
}
