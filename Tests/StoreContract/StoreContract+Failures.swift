import PCMCore
package import PCMStore
import Testing

extension StoreContract {
  /// Runs random transactions, and lets some fail within the store. A failed transaction has no effect, and the next transaction
  /// works: the store equals a store in memory without the failed transactions.
  ///
  /// - Parameters:
  ///   - fail: Lets the store fail at a certain step of its work.
  ///   - work: Lets the store work again. Returns whether it failed.
  /// - Returns: The number of transactions that failed.
  package static func survivesFailures(
    of store: any Store, seed: UInt64, rounds: Int, fail: (_ step: Int) async throws -> Void, work: () async throws -> Bool
  ) async throws -> Int {
    var (numbers, failures) = (SplitMix64(seed: seed), 0)
    let model = MemoryStore()
    let (browser, expected) = (try await store.newBrowser(), try await model.newBrowser())
    for round in 0..<rounds {
      let operations = (0..<1 + numbers.below(8)).map { Operation.random(Int64(round * 10 + $0), &numbers) }
      try await fail(numbers.below(2) == 0 ? .max : 1 + numbers.below(40))
      var written: Findings?
      do {
        written = try await store.write(browser) { try findings(operations, on: $0) }
      } catch is StoreError {
        failures += 1
      }
      let hasFailed = try await work()
      #expect(written != nil || hasFailed, "round \(round) failed for no reason")
      if let written {
        let wanted = try await model.write(expected) { try findings(operations, on: $0) }
        #expect(written == wanted, "round \(round), \(operations)")
      }
      let seen = try await store.seen(browser) { try look(operations, $0) }
      let wanted = try await model.seen(expected) { try look(operations, $0) }
      guard seen == wanted else {
        Issue.record("round \(round), \(written == nil ? "failed" : "committed"), \(operations): \(seen) instead of \(wanted)")
        break
      }
    }
    return failures
  }

  private static func findings(_ operations: [Operation], on rows: any BrowserWriter) throws -> Findings {
    var findings = Findings()
    for operation in operations { try operation.run(on: rows, &findings) }
    return findings
  }

  private static func look(_ operations: [Operation], _ rows: any BrowserReader) throws -> Findings {
    var findings = Findings()
    for operation in operations { try operation.look(at: rows, &findings) }
    return findings
  }
}
