import PCMStore

/// One process's view of a store with occasional failures that the contract allows.
struct FaultyStore: Store {
  let base: any Store
  let machine: Machine
  let process: Int
  let mutation: Mutation?

  private struct TakenBack: Error {}

  static let refusal = StoreError.unavailable("the simulation refuses this write")

  func allBrowsers() async throws -> [Result<BrowserRecord, UnreadableBrowser>] {
    try machine.check(process: process)
    return try await base.allBrowsers()
  }

  func browser(named name: String) async throws -> BrowserRecord? {
    try machine.check(process: process)
    return try await base.browser(named: name)
  }

  func create(
    _ browser: NewBrowser, _ body: @escaping @Sendable (any BrowserWriter) throws -> Void
  ) async throws -> BrowserRecord {
    try machine.check(process: process)
    return try await base.create(browser, body)
  }

  func keptCreation(_ key: String) async throws -> IdempotencyRecord? {
    try machine.check(process: process)
    return try await base.keptCreation(key)
  }

  func fork(_ browser: BrowserID, as copy: BrowserCopy) async throws -> BrowserRecord {
    try machine.check(process: process)
    return try await base.fork(browser, as: copy)
  }

  func delete(_ browser: BrowserID) async throws {
    try machine.check(process: process)
    try await base.delete(browser)
  }

  func submit<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> {
    let work = mutated(body)
    do {
      switch try machine.orderForWrite(process: process) {
      case .run: return base.submit(browser, work)
      case .refuseBefore: return PendingWrite(.failure(Self.refusal))
      case .refuseAfter:
        let write =
          mutation == .refusedWriteStays ? base.submit(browser, work).map { _ in } : submitAndTakeBack(work, in: browser)
        return write.followed { throw Self.refusal }
      case .runTwice:
        let takenBack = submitAndTakeBack(work, in: browser)
        let write = base.submit(browser, work)
        return takenBack.followed { try await write.answer() }
      case .dieBefore: return PendingWrite(.failure(ProcessIsDead()))
      case .dieAfter: return base.submit(browser, work).followed { throw ProcessIsDead() }
      }
    } catch {
      return PendingWrite(.failure(error))
    }
  }

  func read<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserReader) throws -> Answer
  ) async throws -> Answer {
    try machine.check(process: process)
    return try await base.read(browser, body)
  }

  func checkWritable() async throws {
    try machine.check(process: process)
    try await base.checkWritable()
  }

  func close() async throws { try await base.close() }

  private func mutated<Answer: Sendable>(
    _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> @Sendable (any BrowserWriter) throws -> Answer {
    guard let mutation else { return body }
    return { try body(MutantWriter(base: $0, mutation: mutation)) }
  }

  private func submitAndTakeBack<Answer: Sendable>(
    _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer, in browser: BrowserID
  ) -> PendingWrite<Void> {
    let write = base.submit(browser) { writer in
      _ = try body(writer)
      throw TakenBack()
    }
    return PendingWrite {
      do {
        try await write.answer()
      } catch is TakenBack {}
    }
  }
}

extension PendingWrite {
  /// Returns a write that ends like `next`, or fails like this write.
  fileprivate func followed<Other>(by next: @escaping @Sendable () async throws -> Other) -> PendingWrite<Other> {
    PendingWrite<Other> {
      _ = try await answer()
      return try await next()
    }
  }
}
