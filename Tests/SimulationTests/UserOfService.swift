import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore
import PCMURL

/// A user whose events a browser of the service receives: its clock is moved to the time of each event, and at the end until it is idle.
struct UserOfService {
  private let scene: Scene
  private let browser: Browser
  /// The line of each record, by its number.
  private var lines: [Int64: Int64] = [:]
  /// The clicks that replaced an ephemeral click.
  private var held: Set<Int64> = []
  private let store: MemoryStore
  private var appAds = AppAdRecords()

  /// Plays the events of a user, whose first line is 1.
  ///
  /// - Parameter hasAppAds: Whether the plan has ads for apps.
  init(_ plan: UserPlan, seed: String, sites: SiteParser, hasAppAds: Bool = false) async throws {
    store = MemoryStore()
    scene = try await Scene(store: store)
    let start = plan.events[0].at
    (browser, _) = try await scene.browsers.put(
      "user", BrowserSpecification(seed: seed, clockMode: .manual, start: start, settings: SettingsChange()))
    for source in UserPlan.sources {
      _ = try await browser.register(
        Scene.manifest(of: UserPlan.app(of: source), endpoint: "https://\(source)", sites: sites))
    }
    if hasAppAds { try await AppAdParties.register(in: browser, plan, sites: sites) }
    for (index, event) in plan.events.enumerated() {
      _ = try await browser.advance(.to(event.at))
      try await play(event.call, line: Int64(index + 1))
    }
    while try await !browser.advance(.untilIdle()).isFinished {}
    try await appAds.noteRest(of: browser)
  }

  private mutating func play(_ call: UserPlan.Call, line: Int64) async throws {
    switch call {
    case .link(let input): note(try await browser.perform(input), line: line)
    case .tap(let input): note(try await browser.perform(input), line: line)
    case .trigger(let input): lines[try await browser.perform(input).sequence] = line
    case .clear(let site):
      if site == nil { try await appAds.noteClear(of: browser) }
      try await browser.clear(site)
    case .settings(let change): try await browser.change(change)
    case .ad, .adEnd, .adTap, .install, .launch, .value: try await appAds.play(call, line: line, in: browser)
    }
  }

  /// The postbacks in the order in which they left.
  func postbacks() async throws -> [SentPostback] {
    let items = try await browser.postbackPage(limit: 100_000, bytes: .max).items
    let postbacks = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
    return try await browser.events(after: 0, limit: 1_000_000).compactMap { logged in
      guard let sent = try logged.read() as? PostbackSent, let postback = postbacks[sent.postback] else { return nil }
      return SentPostback(postback, at: logged.at, lines: appAds.lines)
    }
  }

  /// The losses of the device, ordered by line.
  func deviceLosses() async throws -> [SimulatedLoss] {
    try appAds.losses(in: await browser.events(after: 0, limit: 1_000_000))
  }

  private mutating func note(_ click: ClickRecord, line: Int64) {
    lines[click.sequence] = line
    if click.reasons.contains(where: { $0.code == "held-click-replaced" }), let replaced = click.replaced {
      held.insert(replaced)
    }
  }

  private func line(_ number: Int64?) -> Int64 { number.flatMap { lines[$0] } ?? 0 }

  /// The reports in the order in which they left: recipient, time, body, and the lines of the click and the triggering event.
  func reports() async throws -> [SentReport] {
    let events = try await browser.events(after: 0, limit: 100_000)
    let reports = Dictionary(uniqueKeysWithValues: try await browser.reports().map { ($0.id, $0) })
    var origins: [Int64: Attributed] = [:]
    for case let event as Attributed in try events.map({ try $0.read() }) {
      for id in [event.sourceReport, event.destinationReport].compactMap({ $0 }) { origins[id] = event }
    }
    return try events.compactMap { logged in
      guard let sent = try logged.read() as? ReportSent, let report = reports[sent.report] else { return nil }
      let origin = origins[sent.report]
      return SentReport(
        recipient: sent.recipient, at: logged.at, body: report.body, click: line(origin?.click), trigger: line(origin?.accepted)
      )
    }
  }

  /// The clicks and triggering events without a report, as the log explains them, ordered by line.
  func losses() async throws -> [SimulatedLoss] {
    let events = try await browser.events(after: 0, limit: 100_000)
    let left = try await store.read(browser.record.id) { reader in
      try ClickPlace.allCases.map { place in (place, try reader.clicks(in: place, after: 0, limit: .max).map(\.id)) }
    }
    let isEphemeral = { (place: ClickPlace) in place == .ephemeral || place == .privateEphemeral }
    var ends = Ends(held: held)
    for logged in events { ends.read(try logged.read(), logged.sequence) }
    ends.add(try await browser.reports())
    return ends.losses(
      lines: lines, waiting: left.filter { !isEphemeral($0.0) }.flatMap(\.1),
      ephemeral: left.filter { isEphemeral($0.0) }.flatMap(\.1))
  }
}

/// A report that left.
struct SentReport: Hashable {
  let recipient: Recipient
  let at: Instant
  let body: String
  let click: Int64
  let trigger: Int64
}

/// The ends of clicks and triggering events, by their numbers in the log.
private struct Ends {
  let held: Set<Int64>
  private var ends: [Int64: (subject: SimulatedLoss.Subject, rule: String, reason: String)] = [:]
  private var attributions: [Attributed] = []

  init(held: Set<Int64>) { self.held = held }

  mutating func read(_ event: any BrowserEvent, _ number: Int64) {
    let (rule, reason) = (event.decision?.failed ?? "", event.reasons.first?.code ?? "")
    switch event {
    case let event as ClickStored: ends[event.click] = ends[event.click] ?? (.click, "", "")
    case is ClickDiscarded: ends[number] = (.click, rule, reason)
    case let event as ClickReplaced:
      let code = held.contains(event.click) ? "held-click-replaced" : "click-replaced"
      ends[event.click] = (.click, code, code)
    case let event as ClickExpired: ends[event.click] = (.click, "a-click-is-stored", "click-expired")
    case let event as ClickConsumed: ends[event.click] = (.click, "priority-is-higher", reason)
    case is TriggerRejected: ends[number] = (.trigger, rule, reason)
    case let event as TriggerUnmatched:
      ends[event.accepted ?? number] = (.trigger, rule, reason)
      if let click = event.lostClick { ends[click] = (.click, rule, reason) }
    case let event as Attributed: attributions.append(event)
    default: break
    }
  }

  /// Adds the ends of the reports: a click or a triggering event that one recipient learned is not lost.
  mutating func add(_ reports: [Report]) {
    let states = Dictionary(uniqueKeysWithValues: reports.map { ($0.id, $0.state) })
    var reported: Set<Int64> = []
    for event in attributions {
      let ids = [event.sourceReport, event.destinationReport].compactMap { $0 }
      let isReported = ids.contains { states[$0] == .delivered }
      for (number, subject) in [(event.accepted ?? 0, SimulatedLoss.Subject.trigger), (event.click, .click)] {
        if isReported { reported.insert(number) }
        let state = states[ids[0]]
        let (rule, reason) =
          state == .scheduled
          ? ("measurement-is-enabled", "measurement-disabled") : ("report-still-counts", state?.rawValue ?? "")
        ends[number] = reported.contains(number) ? nil : (subject, rule, reason)
      }
    }
  }

  func losses(lines: [Int64: Int64], waiting: [Int64], ephemeral: [Int64]) -> [SimulatedLoss] {
    ends.map { number, end in
      var (rule, reason) = (end.rule, end.reason)
      if reason.isEmpty {
        let isEphemeral = ephemeral.contains(number)
        (rule, reason) =
          isEphemeral || waiting.contains(number)
          ? ("", isEphemeral ? "ephemeral" : "stored") : ("report-still-counts", "cleared")
      }
      return SimulatedLoss(subject: end.subject, line: lines[number] ?? 0, rule: rule, reason: reason)
    }.sorted { ($0.line, $0.subject.rawValue) < ($1.line, $1.subject.rawValue) }
  }
}
