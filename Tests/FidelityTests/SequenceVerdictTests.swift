import BrowserSupport
import PCMBrowser
import PCMCore
import PCMURL
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

  @Test("A simulated user sends the reports of a browser that plays a sequence", arguments: try Verdicts.load().sequences)
  func simulation(_ sequence: SequenceVerdict) async throws {
    let stage = try await Stage(seed: "seed")
    var user = SimulatedUser(seed: "seed", at: Scene.start)
    for (number, step) in sequence.steps.enumerated() {
      let now = try await stage.scene.browser.configuration().now
      let verdicts = try await Self.play(step.operation, on: stage)
      for (part, action) in try Self.actions(of: step.operation, verdicts: verdicts.count).enumerated() {
        user.perform(action, line: Int64(10 * number + part + 1), at: now)
      }
    }
    user.finish()
    try await stage.scene.advance(.days(10))
    let events = try await stage.scene.browser.events(after: 0, limit: 10_000).filter { $0.kind == .reportSent }
    let reports = Dictionary(uniqueKeysWithValues: try await stage.scene.reports().map { ($0.id, $0) })
    let sent = try events.compactMap { event in
      (try event.read() as? ReportSent).flatMap { reports[$0.report] }.map { "\(event.at.text) \($0.recipient) \($0.body)" }
    }
    #expect(user.reports.map { "\($0.at.text) \($0.recipient) \($0.body.text)" } == sent)
    #expect(try await stage.scene.reports(.delivered).count == sent.count)
  }

  /// - Parameter count: The number of redirects of a load that were triggering events, from its last host on.
  private static func actions(
    of operation: SequenceVerdict.Operation, verdicts count: Int
  ) throws -> [SimulatedAction] {
    let sites = SiteParser(publicSuffixList: .builtIn())
    switch operation {
    case .click(let page, let sourceID, let destination, let landing):
      return [
        try SimulatedAction(
          LinkClickInput(
            pageURL: page, attributionSourceID: sourceID, attributionDestination: destination, landingURL: landing),
          sites: sites)
      ]
    case .load(let chain):
      let last = Web.url(of: chain.hosts.count - 1, in: chain)
      let redirects = [(last, chain.location), (chain.location, chain.answer?.location ?? "")].prefix(count)
      return try redirects.map { from, to in
        var input = TriggeringEventInput()
        (input.firstPartyURL, input.redirect) = (chain.page, TriggeringEventInput.Redirect(from: from, to: to))
        return try SimulatedAction(input, sites: sites)
      }
    case .advance: return []
    }
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
