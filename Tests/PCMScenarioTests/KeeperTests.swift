import Foundation
import Testing

@testable import PCMApp

/// Where durable scenarios are kept.
@Suite struct KeeperTests {
  @Test func aFolderGoesWithTheScenario() async throws {
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

  @Test func whatIsInMemoryNeedsNoFolder() async throws {
    for keeper in [try ScenarioKeeper(isDurable: true, .process), try ScenarioKeeper(isDurable: false, .disk)] {
      if case .folder(let path) = keeper { Issue.record("\(path)") }
    }
  }
}
