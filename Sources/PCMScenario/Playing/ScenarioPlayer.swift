/// Plays scenarios: each on a stage of its own, step by step, until the first step that does not hold.
package struct ScenarioPlayer: Sendable {
  private let stage: ScenarioStage
  private let record: RecordingTransport
  private let sites: SimulatedSites?

  /// - Parameters:
  ///   - record: the network of the stage's browser.
  ///   - sites: what answers behind it; nil on a real network, where sites do what they do.
  package init(stage: ScenarioStage, record: RecordingTransport, sites: SimulatedSites?) {
    self.stage = stage
    self.record = record
    self.sites = sites
  }

  /// Plays a scenario from its first step. The same scenario with the same seed has the same result, unless a real
  /// network is in it.
  ///
  /// - Parameter seed: instead of the scenario's own.
  /// - Throws: what the stage throws. A call that the API refuses is no error: it is a step that does not hold.
  package func play(_ scenario: Scenario, seed: String? = nil) async throws -> ScenarioResult {
    let seed = seed ?? scenario.browser.seed
    var steps: [ScenarioResult.StepResult] = []
    var run = ScenarioPlayerRun(
      browser: PlayedBrowser(stage: stage, start: scenario.browser.start), record: record, sites: sites)
    var failure = try await run.prepare(scenario, seed: seed)
    for step in scenario.steps where failure == nil {
      failure = try await run.play(step)
      steps.append(
        ScenarioResult.StepResult(
          number: step.number, name: step.name, line: step.place.line, passed: failure == nil))
    }
    return ScenarioResult(name: scenario.name, rule: scenario.rule, seed: seed, steps: steps, failure: failure)
  }

  /// The name of the browser that plays.
  package static let browser = PlayedBrowser.name
}
