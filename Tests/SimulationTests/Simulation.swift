import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore

/// The violation of a run.
struct Violation: Hashable, Sendable {
  enum Judge: String, Hashable, Sendable {
    /// Knows promises, and sees only requests and answers.
    case referee
    /// Knows the rules of the reference and predicts every answer.
    case model
  }

  let judge: Judge
  /// The name of the promise, or of the model's comparison.
  let check: String
  let detail: String
  /// After how many operations of the plan and its coda.
  let after: Int
}

/// One run of a plan from the first operation to the last, watched by judges.
struct Simulation {
  struct Run: Sendable {
    let log: [String]
    let violation: Violation?
    /// The number of occurrences of each case, for the coverage of the plans.
    let coverage: [String: Int]
  }

  let plan: Plan
  var mutation: Mutation? = nil
  var judges: Set<Violation.Judge> = [.referee, .model]

  func run() async throws -> Run {
    let machine = Machine()
    let service = try await Service(plan, machine: machine, mutation: mutation)
    var jury = Jury(plan: plan, judges: judges, start: try await Snapshot(of: service.browser, in: service.base))
    var before = try await Snapshot(of: service.browser, in: service.base)
    for (index, operation) in (plan.operations + Plan.coda).enumerated() {
      if index == plan.operations.count { machine.calm() }
      let answer = try await perform(operation, on: service, machine)
      let after = try await Snapshot(of: service.browser, in: service.base)
      jury.judge(
        Observation(operation: operation, answer: answer, attempts: machine.takeAttempts(), before: before, after: after),
        number: index + 1)
      if jury.violation != nil { break }
      before = after
    }
    if jury.violation == nil { jury.judgeEnd(after: (plan.operations + Plan.coda).count) }
    let events = try await service.browser.events(after: 0, limit: .max)
    try await service.close()
    let log = events.map { "\($0.sequence) \($0.at.text) \($0.kind.rawValue) \($0.detail.text)" }
    return Run(log: jury.log + log, violation: jury.violation, coverage: jury.coverage)
  }

  private func perform(_ operation: Operation, on service: Service, _ machine: Machine) async throws -> Answer {
    do {
      return try await execute(operation, on: service, machine)
    } catch is ProcessIsDead {
      try await service.restart()
      return .crashed
    } catch let error as StoreError where error == FaultyStore.refusal {
      return .refused
    }
  }

  private func execute(_ operation: Operation, on service: Service, _ machine: Machine) async throws -> Answer {
    switch operation {
    case .restart: try await service.restart()
    case .network(let weather): machine.change(weather)
    case .storeFault(let fault): machine.plan(fault)
    case .crash(let point): machine.plan(point)
    case .whileSending(let operation): machine.plan(interruption: operation)
    default: return try await operation.perform(in: service.browser)
    }
    return .done
  }
}

extension Operation {
  /// Performs an operation on the browser; does nothing for an event around it.
  func perform(in browser: Browser) async throws -> Answer {
    switch self {
    case .click(let step): return .click(try await step.perform(in: browser))
    case .pixel(let step): return try await step.perform(in: browser)
    case .advance(let interval): _ = try await browser.advance(.by(interval))
    case .toNextEvent: _ = try await browser.advance(.toNextEvent)
    case .untilIdle: _ = try await browser.advance(.untilIdle(within: .days(30)))
    case .measurement(let isOn): try await browser.change(SettingsChange(measurementEnabled: isOn))
    case .privateBrowsing(let isOn): try await browser.change(SettingsChange(privateBrowsing: isOn))
    case .debugMode(let isOn): try await browser.change(SettingsChange(debugMode: isOn))
    case .clear(let site): try await browser.clear(site.map { Site($0) })
    case .restart, .network, .storeFault, .crash, .whileSending: break
    }
    return .done
  }
}

extension ClickStep {
  fileprivate func perform(in browser: Browser) async throws -> Answer.Outcome {
    let outcome: ClickRecord
    switch way {
    case .link:
      outcome = try await browser.perform(
        LinkClickInput(
          pageURL: "https://\(source)/", attributionSourceID: String(id), attributionDestination: "https://\(destination)",
          bundleIdentifier: app))
    case .openURL, .embedded:
      outcome = try await browser.perform(
        EventAttributionInput(
          bundleIdentifier: app ?? "", sourceIdentifier: Int(id), destinationURL: "https://\(destination)/",
          presentation: way == .openURL ? "openURL" : "safariViewController"))
    }
    return Answer.Outcome(kind: outcome.kind.rawValue, codes: outcome.reasons.map(\.code))
  }
}

extension PixelStep {
  fileprivate func perform(in browser: Browser) async throws -> Answer {
    let tail = "\(data < 10 ? "0" : "")\(data)" + (priority > 0 ? "/\(priority < 10 ? "0" : "")\(priority)" : "")
    let query = attributionSource.map { "?attributionSource=https://\($0)" } ?? ""
    let outcome = try await browser.perform(
      TriggeringEventInput(
        firstPartyURL: "https://\(page)/thanks", redirectFrom: "https://\(hop)/pixel",
        redirectTo: "https://\(target)/.well-known/private-click-measurement/trigger-attribution/\(tail)\(query)",
        bundleIdentifier: app))
    return .trigger(
      Answer.Outcome(kind: outcome.kind.rawValue, codes: outcome.reasons.map(\.code)), isReadable: outcome.trigger != nil,
      sale: outcome.attribution.flatMap { Answer.Sale($0) })
  }
}

extension Answer.Sale {
  init?(_ attribution: Attribution) {
    guard let source = attribution.source, let destination = attribution.destination else { return nil }
    self.init(
      click: attribution.click.click.sourceID, source: attribution.key.source.domain,
      destination: attribution.key.destination.domain, data: Int(attribution.trigger.data), sourceDue: source.dueAt,
      destinationDue: destination.dueAt)
  }
}
