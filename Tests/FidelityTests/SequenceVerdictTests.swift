import BrowserSupport
import PCMBrowser
import PCMCore
import Testing

/// Each captured sequence of clicks, loads, and moves of the clock, played here.
@Suite struct SequenceVerdictTests {
  /// WebKit drew the delays of its reports unseen, so a sequence counts as reproduced when one of these seeds draws alike.
  private static let seeds = (1...40).map { "seed \($0)" }

  @Test("A sequence leaves the same records as in WebKit, step by step", arguments: try Verdicts.load().sequences)
  func sequence(_ expected: SequenceVerdict) async throws {
    var difference: String?
    for seed in Self.seeds {
      difference = try await Self.firstDifference(expected, seed: seed)
      guard difference != nil else { return }
    }
    Issue.record("\(difference ?? "")")
  }

  /// Nil when all steps leave the same records as in WebKit.
  private static func firstDifference(_ expected: SequenceVerdict, seed: String) async throws -> String? {
    let stage = try await Stage(seed: seed)
    for (number, step) in expected.steps.enumerated() {
      let verdicts = try await play(step.operation, on: stage)
      let (clicks, attributions) = try await stage.stored()
      guard verdicts == step.verdicts, clicks == step.unattributed, attributions == step.attributed else {
        return "\(seed), step \(number): \(verdicts) \(clicks) \(attributions) instead of \(step)"
      }
    }
    return nil
  }

  private static func play(_ operation: SequenceVerdict.Operation, on stage: Stage) async throws -> [String] {
    switch operation {
    case .click(let page, let sourceID, let destination, let landing):
      _ = try await stage.click(page: page, sourceID: sourceID, destination: destination, landing: landing)
      return []
    case .load(let chain): return try await stage.load(chain).triggeringEvents.map(\.verdict)
    case .advance(let seconds):
      try await stage.scene.advance(.seconds(seconds))
      return []
    }
  }
}
