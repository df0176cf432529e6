import PCMStore

/// One process's view of a store that now and then does what the contract allows and nobody wishes for.
struct FaultyStore: Store {
  let base: any Store
  let machine: Machine
  let process: Int
  let mutation: Mutation?

  private struct TakenBack: Error {}

  static let refusal = StoreError.unavailable("the simulation refuses this write")

  func browsers() async throws -> [BrowserRecord] {
    try machine.check(process: process)
    return try await base.browsers()
  }

  func create(_ browser: NewBrowser) async throws -> BrowserRecord {
    try machine.check(process: process)
    return try await base.create(browser)
  }

  func delete(_ browser: BrowserID) async throws {
    try machine.check(process: process)
    try await base.delete(browser)
  }

  func write<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) async throws -> Answer {
    let work = mutated(body)
    switch try machine.orderForWrite(process: process) {
    case .run: return try await base.write(browser, work)
    case .refuseBefore: throw Self.refusal
    case .refuseAfter:
      if mutation == .refusedWriteStays {
        _ = try await base.write(browser, work)
      } else {
        try await runAndTakeBack(work, in: browser)
      }
      throw Self.refusal
    case .runTwice:
      try await runAndTakeBack(work, in: browser)
      return try await base.write(browser, work)
    case .dieBefore: throw ProcessIsDead()
    case .dieAfter:
      _ = try await base.write(browser, work)
      throw ProcessIsDead()
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

  private func runAndTakeBack<Answer: Sendable>(
    _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer, in browser: BrowserID
  ) async throws {
    do {
      try await base.write(browser) { writer in
        _ = try body(writer)
        throw TakenBack()
      }
    } catch is TakenBack {}
  }
}
