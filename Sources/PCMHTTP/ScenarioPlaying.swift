import HTTPTypes
import NIOConcurrencyHelpers
package import PCMScenario

/// Plays scenarios for callers, a few at a time: each takes as much as a browser, for as long as it takes.
package final class ScenarioPlaying: Sendable {
  private let most: Int
  private let underWay = NIOLockedValueBox(0)
  private let perform: @Sendable (Scenario) async throws -> ScenarioResult

  /// - Parameter most: how many are played at a time.
  package init(most: Int = 4, perform: @escaping @Sendable (Scenario) async throws -> ScenarioResult) {
    self.most = most
    self.perform = perform
  }

  /// - Throws: `Problem` when as many are being played as may be.
  func play(_ scenario: Scenario) async throws -> ScenarioResult {
    let isAdmitted = underWay.withLockedValue { count in
      guard count < most else { return false }
      count += 1
      return true
    }
    guard isAdmitted else { throw Problem.busy(most) }
    defer { underWay.withLockedValue { $0 -= 1 } }
    return try await perform(scenario)
  }
}

extension Problem {
  fileprivate static func busy(_ most: Int) -> Problem {
    Problem(
      name: "busy", title: "The service plays other scenarios", status: .serviceUnavailable,
      detail: "\(most) scenarios are being played, as many as may be at a time; nothing was played, try again")
  }
}
