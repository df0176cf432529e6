import PCMCore
package import PCMSimulatedSites

/// Plays scenarios, each on a separate stage, step by step until the first failed step.
package struct ScenarioPlayer: Sendable {
  private let stage: ScenarioStage
  private let record: RecordingTransport
  private let sites: SimulatedSites?
  private let uptime: @Sendable () -> Duration

  /// - Parameters:
  ///   - record: The network of the stage's browser.
  ///   - sites: The simulated sites behind the record; nil for a real network.
  ///   - uptime: A monotonic clock, for the durations of steps.
  package init(
    stage: ScenarioStage, record: RecordingTransport, sites: SimulatedSites?,
    uptime: @escaping @Sendable () -> Duration = { .zero }
  ) {
    self.stage = stage
    self.record = record
    self.sites = sites
    self.uptime = uptime
  }

  /// Plays a scenario. The same scenario with the same seed has the same result, unless it uses a real network.
  ///
  /// - Parameter seed: A seed that replaces the scenario's seed.
  /// - Throws: The errors of the stage, and `CancellationError` after the step during which the task was canceled. An error of
  ///   the API is not thrown, but fails the step.
  package func play(_ scenario: Scenario, seed: String? = nil) async throws -> ScenarioResult {
    let seed = seed ?? scenario.browser.seed
    var steps: [ScenarioResult.StepResult] = []
    var run = ScenarioPlayerRun(
      browser: PlayedBrowser(stage: stage, start: scenario.browser.start), record: record, sites: sites)
    var failure = try await run.prepare(scenario, seed: seed)
    for step in scenario.steps where failure == nil {
      try Task.checkCancellation()
      let start = uptime()
      failure = try await run.play(step)
      steps.append(
        ScenarioResult.StepResult(
          number: step.number, name: step.name, line: step.place.line, passed: failure == nil,
          duration: uptime() - start))
    }
    // A canceled call is no failure of the scenario.
    try Task.checkCancellation()
    return ScenarioResult(name: scenario.name, rule: scenario.rule, seed: seed, steps: steps, failure: failure)
  }

  /// The name of the scenario's browser.
  package static let browser = PlayedBrowser.name
}

/// The state of a scenario run.
struct ScenarioPlayerRun {
  let browser: PlayedBrowser
  let record: RecordingTransport
  let sites: SimulatedSites?
  /// The sequence number of the last processed log event.
  private var seen: Int64 = 0
  /// The destination of the last click or triggering event, for a failed step without an event.
  private var destination: String?
  private var ads = DisplayedAds()

  init(browser: PlayedBrowser, record: RecordingTransport, sites: SimulatedSites?) {
    self.browser = browser
    self.record = record
    self.sites = sites
  }

  /// Performs the preparation. Its failure has the step number 0.
  mutating func prepare(_ scenario: Scenario, seed: String) async throws -> ScenarioResult.Failure? {
    var (network, app): (Scenario.AdNetwork?, Scenario.App?)
    do {
      await sites?.apply(scenario.sites)
      try await browser.create(scenario.browser, seed: seed)
      for next in scenario.adNetworks {
        network = next
        try await browser.require(ScenarioStage.Call(registering: next))
      }
      for next in scenario.apps {
        app = next
        try await browser.require(ScenarioStage.Call(registering: next))
      }
      _ = try await takeEvents()
      return nil
    } catch let error as PlayedBrowser.CallError {
      let call =
        if let app {
          FailedCall(error, registering: app, of: scenario)
        } else if let network {
          FailedCall(error, registering: network, of: scenario)
        } else {
          FailedCall(error, creating: scenario)
        }
      return ScenarioResult.Failure(step: 0, stepName: "preparation", mismatches: call.mismatches)
    }
  }

  /// Plays a step. Returns nil when it passes.
  mutating func play(_ step: Scenario.Step) async throws -> ScenarioResult.Failure? {
    var result = StepOutcome()
    let comparison: StepComparison
    do {
      try await perform(step, &result)
      if let site = result.destination { destination = site }
      if step.action?.name == "impression", let identifier = result.response?.json["id"]?.string {
        ads.add(identifier, step: step.name)
      }
      result.events = try await takeEvents()
      comparison = try await StepExpectation(step: step, outcome: result, browser: browser, record: record).comparison()
    } catch let error as PlayedBrowser.CallError {
      return ScenarioResult.Failure(
        step: step.number, stepName: step.name, mismatches: FailedCall(error, of: step).mismatches)
    }
    guard !comparison.mismatches.isEmpty else { return nil }
    let explanation = try await ScenarioExplanation.lines(
      of: [
        step.explainedDestination, result.subject, destination,
      ],
      browser: browser)
    return ScenarioResult.Failure(
      step: step.number, stepName: step.name, mismatches: comparison.mismatches, actual: comparison.actual,
      explanation: explanation)
  }

  private func perform(_ step: Scenario.Step, _ outcome: inout StepOutcome) async throws {
    if let at = step.at {
      let response = try await browser.advance(to: at)
      guard response.isAccepted || (step.action == nil && step.expectsStatus) else {
        throw PlayedBrowser.CallError(response: response)
      }
      outcome.response = response
    }
    switch step.action?.effect {
    case .sites(let changes): await sites?.apply(changes)
    case .restart: try await browser.stage.restart()
    case .advance(let body): try outcome.take(try await browser.advance(body), of: step)
    case .about(let ad, let call):
      guard let identifier = ads[ad] else { throw PlayedBrowser.CallError(response: .missingAd) }
      try outcome.take(try await browser.call(call(identifier)), of: step)
    case .call(let call): try outcome.take(try await browser.call(call), of: step)
    case nil: break
    }
  }

  private mutating func takeEvents() async throws -> [JSON] {
    let events = try await browser.events(after: seen)
    if case .number(let last)? = events.last?["sequence"] { seen = last }
    return events
  }
}

/// The results of a step, for its expectations.
struct StepOutcome: Sendable {
  /// The response to the step's last call; nil without a call.
  var response: PlayedBrowser.Response?
  /// The log events since the previous step.
  var events: [JSON] = []
  /// The subject of an explanation: the decision of the step's call.
  private(set) var subject: String?
  /// The destination site of the step's click or triggering event.
  private(set) var destination: String?

  /// Takes the response to the step's action. A load has its triggering events, and a conversion value its conversions.
  ///
  /// - Throws: ``PlayedBrowser/CallError`` for an error that the step does not expect.
  mutating func take(_ response: PlayedBrowser.Response, of step: Scenario.Step) throws {
    guard response.isAccepted || step.expectsStatus else { throw PlayedBrowser.CallError(response: response) }
    self.response = response
    let events = ["triggeringEvents", "ignored"].compactMap { response.json[$0]?.items.last }
    let decision = events.first ?? response.json
    subject = decision["id"]?.string ?? (response.json["conversions"] ?? []).items.lazy.compactMap { $0["id"]?.string }.first
    destination = ["click", "trigger"].lazy.compactMap { decision[$0]?["destinationSite"]?.string }.first
  }
}

extension PlayedBrowser.Response {
  /// A step that refers to an ad needs a step that displayed it.
  fileprivate static let missingAd = PlayedBrowser.Response(
    status: 404, json: ["detail": "no earlier step displayed this ad; display one with `impression:`, or correct `step`"])
}

extension Scenario.Step {
  var expectsStatus: Bool { expectation?["status"] != nil }

  /// The destination whose explanation the step expects.
  var explainedDestination: String? { expectation?["explanation"]?["of"]?["destination"]?.json.string }
}
