/// Plays scenarios, each on a separate stage, step by step until the first failed step.
package struct ScenarioPlayer: Sendable {
  private let stage: ScenarioStage
  private let record: RecordingTransport
  private let sites: SimulatedSites?

  /// - Parameters:
  ///   - record: The network of the stage's browser.
  ///   - sites: The simulated sites behind the record; nil for a real network.
  package init(stage: ScenarioStage, record: RecordingTransport, sites: SimulatedSites?) {
    self.stage = stage
    self.record = record
    self.sites = sites
  }

  /// Plays a scenario. The same scenario with the same seed has the same result, unless it uses a real network.
  ///
  /// - Parameter seed: A seed that replaces that of the scenario.
  /// - Throws: The errors of the stage. An error of the API is not thrown, but fails the step.
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

  /// The name of the scenario's browser.
  package static let browser = PlayedBrowser.name
}
