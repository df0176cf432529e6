import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static func agreementChecks(rounds: Int) -> [Check] {
    [1, 20_261_120, 0xDEAD_BEEF].map { agreementCheck(seed: $0, rounds: rounds) }
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

  /// Runs the operations in one transaction, and then looks at what a reader sees of it.
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
