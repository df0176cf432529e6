import PCMCore

/// The state of a scenario run.
struct ScenarioPlayerRun {
  let browser: PlayedBrowser
  let record: RecordingTransport
  let sites: SimulatedSites?
  /// The sequence number of the last processed log event.
  private var seen: Int64 = 0
  /// The destination of the last click or triggering event, for a failed step without an event.
  private var destination: String?

  init(browser: PlayedBrowser, record: RecordingTransport, sites: SimulatedSites?) {
    self.browser = browser
    self.record = record
    self.sites = sites
  }

  /// Performs the preparation. Its failure has the step number 0.
  mutating func prepare(_ scenario: Scenario, seed: String) async throws -> ScenarioResult.Failure? {
    var app: Scenario.App?
    do {
      await sites?.apply(scenario.sites)
      try await browser.create(scenario.browser, seed: seed)
      for next in scenario.apps {
        app = next
        try await browser.require(ScenarioStage.Call(registering: next))
      }
      _ = try await takeEvents()
      return nil
    } catch let refusal as PlayedBrowser.Refusal {
      let call =
        if let app {
          RefusedCall(refusal, registering: app, of: scenario)
        } else {
          RefusedCall(refusal, creating: scenario)
        }
      return ScenarioResult.Failure(step: 0, stepName: "preparation", mismatches: call.mismatches, explanation: [])
    }
  }

  /// Plays a step. Returns nil when it passes.
  mutating func play(_ step: Scenario.Step) async throws -> ScenarioResult.Failure? {
    var result = StepOutcome()
    let mismatches: [ScenarioResult.Mismatch]
    do {
      try await perform(step, &result)
      if let site = result.destination { destination = site }
      result.events = try await takeEvents()
      mismatches = try await StepExpectation(step: step, outcome: result, browser: browser, record: record).mismatches()
    } catch let refusal as PlayedBrowser.Refusal {
      return ScenarioResult.Failure(
        step: step.number, stepName: step.name, mismatches: RefusedCall(refusal, of: step).mismatches, explanation: [])
    }
    guard !mismatches.isEmpty else { return nil }
    let explanation = try await ScenarioExplanation.lines(
      of: [
        step.explainedDestination, result.subject, destination.map { "destination=\(PercentEncoding.component.encode($0))" },
      ],
      browser: browser)
    return ScenarioResult.Failure(
      step: step.number, stepName: step.name, mismatches: mismatches, explanation: explanation)
  }

  private func perform(_ step: Scenario.Step, _ outcome: inout StepOutcome) async throws {
    if let at = step.at {
      let answer = try await browser.advance(to: at)
      guard answer.isAccepted || (step.action == nil && step.expectsStatus) else { throw PlayedBrowser.Refusal(answer: answer) }
      outcome.answer = answer
    }
    switch step.action {
    case .sites(let changes): await sites?.apply(changes)
    case .restart: try await browser.stage.restart()
    case let action?:
      guard let call = ScenarioStage.Call(action) else { return }
      outcome.take(try await browser.call(call), of: action)
      if let answer = outcome.answer, !answer.isAccepted, !step.expectsStatus { throw PlayedBrowser.Refusal(answer: answer) }
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
  var answer: PlayedBrowser.Answer?
  /// The log events since the previous step.
  var events: [JSON] = []
  /// The subject of an explanation: the query of the step's click or last triggering event.
  private(set) var subject: String?
  /// The destination site of the step's click or triggering event.
  private(set) var destination: String?

  mutating func take(_ answer: PlayedBrowser.Answer, of action: Scenario.Action) {
    self.answer = answer
    guard case .play(let play, _) = action else { return }
    let event = play == .load ? answer.json["triggeringEvents"]?.items.last ?? .null : answer.json
    destination = (event["click"] ?? .null)["destinationSite"]?.string ?? (event["trigger"] ?? .null)["destinationSite"]?.string
    guard case .number(let sequence)? = event["sequence"] else { return }
    let isClick = play == .eventAttribution || play == .linkClick
    subject = isClick ? "click=\(sequence)" : "triggeringEvent=\(sequence)"
  }
}

extension Scenario.Step {
  var expectsStatus: Bool { expectation?["status"] != nil }

  /// The query for the destination whose explanation the step expects.
  var explainedDestination: String? {
    expectation?["explanation"]?["of"]?["destination"]?.json.string.map {
      "destination=\(PercentEncoding.component.encode($0))"
    }
  }
}
