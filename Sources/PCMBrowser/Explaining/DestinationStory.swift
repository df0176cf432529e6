import PCMCore
import PCMStore

/// The history of a destination: its past and future reports, or why there are none, from the newest events about its site.
struct DestinationStory {
  private let site: Site
  private let newest: NewestEvents
  private let steps: [Explanation.Step]
  private let reports: [ReportStory]
  /// The reports that were neither replaced nor cleared.
  private let standing: [ReportStory]
  private let recent: [RecentCall]
  private let moment: ExplainedMoment
  /// A sentence for removed events that the explanation needs; nil when it needs none.
  private let notice: String?

  /// The limits of decisions and attributions that an explanation contains.
  private static let maximumSteps = 20
  private static let maximumAttributions = 5

  /// - Parameter recent: The calls about the site that logged nothing, oldest first.
  init(_ site: Site, log: LogReading, moment: ExplainedMoment, recent: [RecentCall]) throws {
    (self.site, self.moment, self.recent) = (site, moment, recent)
    let mayCount: (LogEvent) -> Bool = { $0.mayBeOnDestination(site) }
    newest = try log.newest(about: site.domain, ifWritten: mayCount) { $0.event.isOnDestination(site) }
    steps = try newest.events.filter(\.event.isStep).suffix(Self.maximumSteps).compactMap { try Self.step($0, log: log) }
    let attributed = try log.newest(
      Self.maximumAttributions, of: .attributed, about: site.domain, ifWritten: mayCount
    ) {
      $0.event.isOnDestination(site)
    }.events
    let notice = try log.notice(of: 1)
    let logged = attributed.flatMap { [$0.sequence + 1, $0.sequence + 2] }
    // The log lacks older attributions only if it was trimmed. Their reports that are not sent yet are found by their site.
    let missing = 2 * (Self.maximumAttributions - attributed.count)
    let older = try notice == nil ? [] : Self.waiting(missing, site, before: logged.first ?? .max, log: log)
    reports = try (older + logged).compactMap { try ReportStory($0, log: log, moment: moment) }
    standing = reports.filter { ![.superseded, .cleared].contains($0.report.state) }
    self.notice = standing.isEmpty || !older.isEmpty ? notice : nil
  }

  /// Returns the numbers of the first unfinished reports to a destination that are less than a number. Their headings suffice.
  private static func waiting(_ limit: Int, _ site: Site, before number: Int64, log: LogReading) throws -> [Int64] {
    let states: [Report.State] = [.scheduled, .sending]
    let headings = try states.flatMap { state in
      try log.reader.reportHeadings(in: state, after: 0, limit: ReadingBounds.examined / states.count)
    }
    return Array(headings.filter { $0.destination == site && $0.id < number }.map(\.id).sorted().prefix(limit))
  }

  func explanation() -> Explanation {
    let (summary, decisive) = verdict
    let steps = steps + reports.map(\.step)
    let unmeasured = standing.isEmpty ? recent.map(\.sentence) + [droppedClick].compactMap { $0 } : []
    let sentences = [summary] + unmeasured + [notice].compactMap { $0 }
    return Explanation(
      .destination(site), summary: sentences.joined(separator: " "), steps: steps,
      failure: decisive ?? steps.lazy.compactMap(\.failure).first, events: newest.events.map(\.log),
      omittedBefore: newest.omittedBefore)
  }

  /// The summary and the decisive failure: of the reports that still count, or of the last triggering event, or of the
  /// last click.
  private var verdict: (String, Explanation.Failure?) {
    if !standing.isEmpty { return (Self.summary(of: standing, moment), Self.firstFailure(of: standing)) }
    if let gone = reports.last { return ("No report: " + gone.summary, gone.step.failure) }
    guard let last = steps.last else {
      return ("No report: no click and no triggering event in the log names \(site.domain).", nil)
    }
    let lastClick = steps.last { $0.kind == .click }
    // A missing click has its own cause when a click was discarded.
    if let discarded = lastClick?.failure, last.kind == .click || last.failure?.verdict.rule == "a-click-is-stored" {
      let outcome = discarded.step.outcome == ClickRecord.Kind.handedOver.rawValue ? "handed over" : "discarded"
      return ("No report: the click was \(outcome), \(discarded.verdict.reason?.detail ?? "for an unknown reason").", discarded)
    }
    guard last.kind == .triggeringEvent else {
      return ("No report: \(last.id) is \(last.outcome), and no triggering event on \(site.domain) has followed.", nil)
    }
    return ("No report: \(last.failure?.verdict.reason?.detail ?? last.outcome).", last.failure)
  }

  /// The newest click that the observer of a real browser saw and that led to no page; nil when there is none.
  private var droppedClick: String? {
    let dropped = newest.events.last { $0.event is PageObserved }
    guard let dropped, let seen = dropped.event as? PageObserved else { return nil }
    let link = seen.href.map { " on \($0.asShown(upTo: 200))" } ?? ""
    return "A click\(link) at \(dropped.at.text) was not measured: \(seen.text)."
  }

  /// Returns the statements about failed, then about waiting, then about delivered reports.
  private static func summary(of reports: [ReportStory], _ moment: ExplainedMoment) -> String {
    let failed = reports.filter { $0.report.state == .failed }
    let delivered = reports.filter { $0.report.state == .delivered }
    let waiting = reports.filter { ![.failed, .delivered].contains($0.report.state) }
    let notYet = moment.notYet(until: waiting.compactMap(\.leavesAt).max())
    return (failed.map(\.statement) + [notYet].compactMap { $0 } + (waiting + delivered).map(\.statement)).joined(
      separator: " ")
  }

  private static func firstFailure(of reports: [ReportStory]) -> Explanation.Failure? {
    (reports.first { $0.report.state == .failed } ?? reports.first { $0.step.failure != nil })?.step.failure
  }

  private static func step(_ event: LoggedEvent, log: LogReading) throws -> Explanation.Step? {
    switch event.kind {
    case .clickStored, .ephemeralClickStored, .clickDiscarded, .clickHandedOver: try ClickStory.step(event, log: log)
    case .triggerIgnored, .triggerRejected, .triggerUnmatched, .attributed: try TriggerStory(event.sequence, log: log)?.step
    default: nil
    }
  }
}

extension LogEvent {
  /// Whether the event may be on a destination. A site that is only a source has many events that are not.
  fileprivate func mayBeOnDestination(_ site: Site) -> Bool {
    ["destinationSite", "firstPartySite", "landingSite"].contains { hasMember($0, site.domain) }
  }
}

extension BrowserEvent {
  /// Whether the event decides about a click or a triggering event. An accepted triggering event is decided by a later event.
  fileprivate var isStep: Bool {
    switch self {
    case let click as ClickStored: click.origin != .ephemeralClick
    case is ClickDiscarded, is TriggerRejected, is TriggerUnmatched, is Attributed: true
    default: false
    }
  }

  /// Returns whether the event is about a click with this destination or about a triggering event on it.
  fileprivate func isOnDestination(_ site: Site) -> Bool {
    switch self {
    case let click as ClickStored: click.key.destination == site
    case let click as ClickDiscarded: click.leads(to: site)
    case let seen as PageObserved: seen.destination == site
    case let event as TriggerRejected:
      event.firstParty == site || event.requested?.destination == site
    case let requested as RequestedTrigger: requested.destination == site
    case let event as TriggerUnmatched: event.requested.destination == site
    case let event as Attributed: event.key.destination == site
    case let event as AttributionReplaced: event.requested.destination == site
    case let event as TokenRequested: event.exchange?.destination == site
    case let event as TokenStored: event.exchange.destination == site
    case let event as TokenFailed: event.exchange.destination == site
    default: false
    }
  }
}
