import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static func agreementChecks(rounds: Int) -> [Check] {
    [1, 20_261_120, 0xDEAD_BEEF].map { agreementCheck(seed: $0, rounds: rounds) }
      + [2, 20_261_127].map { groupCheck(seed: $0, rounds: rounds) }
  }

  /// Each transaction also reads the rows of earlier transactions, which a store may commit together with it.
  private static func groupCheck(seed: UInt64, rounds: Int) -> Check {
    Check("random transactions submitted together have the answers of one after the other in memory, seed \(seed)") { store in
      var numbers = SplitMix64(seed: seed)
      let model = MemoryStore()
      var browsers: [(id: BrowserID, model: BrowserID)] = []
      for name in ["left", "right"] { browsers.append((try await store.newBrowser(name), try await model.newBrowser(name))) }
      for round in 0..<rounds / 10 {
        let groups = (0..<10).map { index in
          let isKept = numbers.below(8) > 0
          let operations = (0..<1 + numbers.below(4)).map { operation in
            Operation.random(Int64((round * 10 + index) * 10 + operation), &numbers)
          }
          return (browser: browsers[numbers.below(2)], body: body(operations, isKept: isKept))
        }
        let writes = groups.map { store.submit($0.browser.id, $0.body) }
        for (index, write) in writes.enumerated() {
          let (browser, body) = groups[index]
          let expected = try? await model.write(browser.model, body)
          let answer = await findings(of: write)
          if answer != expected { Issue.record("round \(round), transaction \(index)") }
        }
      }
    }
  }

  /// Returns nil when the body threw.
  private static func findings(of write: PendingWrite<Findings>) async -> Findings? {
    do { return try await write.answer() } catch {
      if !(error is Refusal) { Issue.record(error) }
      return nil
    }
  }

  private static func body(_ operations: [Operation], isKept: Bool) -> @Sendable (any BrowserWriter) throws -> Findings {
    { rows in
      var findings = Findings()
      for operation in operations {
        try operation.look(at: rows, &findings)
        try operation.run(on: rows, &findings)
      }
      guard isKept else { throw Refusal() }
      return findings
    }
  }

  private static func agreementCheck(seed: UInt64, rounds: Int) -> Check {
    Check("random transactions give the same answers as on the store in memory, seed \(seed)") { store in
      var numbers = SplitMix64(seed: seed)
      let model = MemoryStore()
      for name in ["left", "right"] {
        _ = try await store.newBrowser(name)
        _ = try await model.newBrowser(name)
      }
      let browsers = try await store.browsers().map(\.id)
      let models = try await model.browsers().map(\.id)
      for round in 0..<rounds {
        let index = numbers.below(2)
        let isKept = numbers.below(8) > 0
        let operations = (0..<1 + numbers.below(8)).map { Operation.random(Int64(round * 10 + $0), &numbers) }
        let answer = try await run(operations, isKept: isKept, on: store, browsers[index])
        let expected = try await run(operations, isKept: isKept, on: model, models[index])
        guard answer == expected else {
          Issue.record("round \(round), \(operations): \(answer) instead of \(expected)")
          return
        }
      }
    }
  }

  /// Runs the operations in one transaction, and then reads its result in a reader.
  private static func run(
    _ operations: [Operation], isKept: Bool, on store: any Store, _ browser: BrowserID
  ) async throws -> [Findings] {
    var written = Findings()
    do {
      written = try await store.write(browser) { rows in
        var findings = Findings()
        for operation in operations { try operation.run(on: rows, &findings) }
        guard isKept else { throw Refusal() }
        return findings
      }
    } catch is Refusal {
      written.isRefused = true
    }
    let read = try await store.read(browser) { rows in
      var findings = Findings()
      for operation in operations { try operation.look(at: rows, &findings) }
      return findings
    }
    return [written, read]
  }
}
