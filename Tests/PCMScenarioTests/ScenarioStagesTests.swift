import Foundation
import NIOConcurrencyHelpers
import PCMInput
import PCMScenario
import PCMStore
import StoreContract
import Testing

@testable import PCMApp

/// Scenarios do not block other work.
@Suite struct FairnessTests {
  @Test func scenariosYieldToOtherWork() async throws {
    let steps = String(repeating: "  - expect: { nothing: true }\n", count: 300)
    let scenario = try ScenarioReader().read(Array("scenario: long\nsteps:\n\(steps)".utf8))
    let stages = ScenarioStages(sites: SiteParser(publicSuffixList: .builtIn()), durability: .process)
    let done = NIOLockedValueBox<[String]>([])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
        group.addTask {
          _ = try await stages.play(scenario)
          done.withLockedValue { $0.append("scenario") }
        }
      }
      group.addTask { done.withLockedValue { $0.append("other work") } }
      try await group.waitForAll()
    }
    #expect(done.withLockedValue { $0.first } == "other work")
  }
}

/// The storage of durable scenarios.
@Suite struct ScenarioKeeperTests {
  @Test func theFolderOfADurableScenarioIsRemoved() async throws {
    let keeper = try ScenarioKeeper(isDurable: true, .disk)
    guard case .folder(let path) = keeper else {
      Issue.record("no folder but \(keeper)")
      return
    }
    let store = try keeper.open()
    #expect(FileManager.default.fileExists(atPath: "\(path)/scenario.sqlite"))
    try await keeper.close(store)
    try keeper.remove()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func scenariosInMemoryHaveNoFolder() async throws {
    for keeper in [try ScenarioKeeper(isDurable: true, .process), try ScenarioKeeper(isDurable: false, .disk)] {
      if case .folder(let path) = keeper { Issue.record("\(path)") }
    }
  }
}

@Suite struct LimitedStoreTests {
  @Test("a store with a limit meets the store contract", arguments: StoreContract.checks)
  func contract(_ check: StoreContract.Check) async throws {
    try await check.hold(LimitedStore(MemoryStore(), WriteLimit(nil)))
  }
}
