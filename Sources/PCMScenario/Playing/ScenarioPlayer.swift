import PCMCore
package import PCMSimulation

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
      failure = try await run.play(step)
      steps.append(
        ScenarioResult.StepResult(
          number: step.number, name: step.name, line: step.place.line, passed: failure == nil))
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
      if case .impression = step.action, let identifier = result.response?.json["id"]?.string {
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
    switch step.action {
    case .sites(let changes): await sites?.apply(changes)
    case .restart: try await browser.stage.restart()
    case .advance(let move):
      let body: JSON = if case .text = move.value { ["by": move.json] } else { move.json }
      outcome.take(try await browser.advance(body), of: .advance(move))
      try check(step, outcome)
    case .followUp(let followUp, let ad, let node)?:
      guard let identifier = ads[ad] else { throw PlayedBrowser.CallError(response: .missingAd) }
      outcome.take(
        try await browser.call(ScenarioStage.Call(followUp, identifier, node.json)), of: .followUp(followUp, ad, node))
      try check(step, outcome)
    case let action?:
      guard let call = ScenarioStage.Call(action) else { return }
      outcome.take(try await browser.call(call), of: action)
      try check(step, outcome)
    case nil: break
    }
  }

  private func check(_ step: Scenario.Step, _ outcome: StepOutcome) throws {
    if let response = outcome.response, !response.isAccepted, !step.expectsStatus {
      throw PlayedBrowser.CallError(response: response)
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
  /// The subject of an explanation: the step's click or last triggering event.
  private(set) var subject: String?
  /// The destination site of the step's click or triggering event.
  private(set) var destination: String?

  mutating func take(_ response: PlayedBrowser.Response, of action: Scenario.Action) {
    self.response = response
    switch action {
    case .impression, .followUp, .play(.install, _), .play(.developmentPostback, _): subject = response.json["id"]?.string
    case .play(.conversionValue, _):
      subject = response.json["conversions"]?.items.lazy.compactMap { $0["id"]?.string }.first
    case .play(let play, _) where !play.isOfDevice: takeEvent(response, of: play)
    default: break
    }
  }

  private mutating func takeEvent(_ response: PlayedBrowser.Response, of play: Scenario.Play) {
    let events = ["triggeringEvents", "ignored"].compactMap { response.json[$0]?.items.last }
    let event = play == .load ? events.first ?? .null : response.json
    destination = (event["click"] ?? .null)["destinationSite"]?.string ?? (event["trigger"] ?? .null)["destinationSite"]?.string
    guard case .number(let sequence)? = event["sequence"] else { return }
    let isClick = play == .eventAttribution || play == .linkClick
    subject = isClick ? RecordName.click(sequence) : RecordName.triggeringEvent(sequence)
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
