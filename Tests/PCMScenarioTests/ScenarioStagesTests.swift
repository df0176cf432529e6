import Foundation
import NIOConcurrencyHelpers
import PCMScenario
import PCMURL
import Testing

@testable import PCMApp

/// Scenarios do not block other work.
@Suite struct FairnessTests {
  @Test func scenariosYieldToOtherWork() async throws {
    let steps = String(repeating: "  - expect: { nothing: true }\n", count: 300)
    let scenario = try ScenarioReader().read(Array("scenario: long\nsteps:\n\(steps)".utf8))
    let stages = ScenarioStages(sites: SiteParser(publicSuffixList: .builtIn()))
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
