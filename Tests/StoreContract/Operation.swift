import PCMCore
import PCMStore

/// One change to a browser, drawn at random, over so few keys, sites and instants that they often meet.
struct Operation: Sendable, CustomStringConvertible {
  private let kind: Kind
  /// Larger than that of every operation before.
  private let number: Int64
  private let key: ClickKey
  private let place: ClickPlace
  private let session: SessionKind
  private let instant: Instant
  private let other: Instant
  private let state: Report.State

  private enum Kind: CaseIterable {
    case saveClick, moveClick, removeClick, removeExpired, removeAllClicks
    case saveAttribution, sendHalf, removeAttribution, removeAllAttributions
    case saveReport, saveState, saveApp, removeApp, append
  }

  var description: String { "\(kind) \(number) \(place) \(session)" }

  static func random(_ number: Int64, _ numbers: inout SeededNumbers) -> Operation {
    func pick<Value>(_ values: [Value]) -> Value { values[numbers.below(values.count)] }
    func instant() -> Instant { Sample.noon + .seconds(Int64(numbers.below(20))) }
    func site() -> String { "\(numbers.below(4)).example" }
    return Operation(
      kind: pick(Kind.allCases), number: number, key: Sample.key(site(), site(), pick(["a", "b"])),
      place: pick(ClickPlace.allCases), session: pick(SessionKind.allCases), instant: instant(), other: instant(),
      state: pick(Report.State.allCases))
  }

  func run(on rows: any BrowserWriter) throws -> String {
    switch kind {
    case .saveClick, .moveClick, .removeClick, .removeExpired, .removeAllClicks: return try changeClicks(rows)
    case .saveAttribution, .sendHalf, .removeAttribution, .removeAllAttributions: return try changeAttributions(rows)
    case .saveReport:
      let old = try rows.scheduledReports(naming: key.source).first?.id ?? number
      try rows.save(
        Sample.report(
          old, key, state: state, retryAt: number % 2 == 0 ? instant : nil, attempts: number % 3 == 0 ? ["{}"] : []))
    case .saveState:
      var state = try rows.state()
      state.now = instant
      state.draws[key.source.domain, default: 0] += 1
      try rows.save(state)
    case .saveApp:
      try rows.save(
        AppRecord(
          bundleIdentifier: key.source.domain, reportEndpoint: key.destination.domain, endpointProblem: nil,
          isMacCatalyst: false, findings: "[\(number)]"))
    case .removeApp: try rows.removeApp(key.source.domain)
    case .append: return "\(try rows.append(.attributed, at: instant, .number(number)))"
    }
    return ""
  }

  private func changeClicks(_ rows: any BrowserWriter) throws -> String {
    switch kind {
    case .moveClick:
      guard let held = try rows.click(key, in: .slot) else { return "nothing" }
      try rows.removeClick(key, in: .slot)
      try rows.save(held, in: .table)
    case .removeClick: try rows.removeClick(key, in: place)
    case .removeExpired:
      let expired = try rows.clicks(in: place, madeBefore: instant)
      for click in expired { try rows.removeClick(click.click.key, in: place) }
      return "\(expired)"
    case .removeAllClicks: return number % 4 == 0 ? "\(try rows.removeAllClicks(in: place))" : ""
    default: try rows.save(Sample.click(number, key, at: instant), in: place)
    }
    return ""
  }

  private func changeAttributions(_ rows: any BrowserWriter) throws -> String {
    switch kind {
    case .sendHalf:
      guard var first = try rows.earliestAttributions(limit: 1).first, let next = first.next else { return "nothing" }
      let session: SessionKind = try rows.attribution(first.key, in: .normal) == first ? .normal : .privateBrowsing
      first.markSent(next.recipient)
      try rows.save(first, in: session)
    case .removeAttribution: try rows.removeAttribution(key, in: session)
    case .removeAllAttributions: return number % 4 == 0 ? "\(try rows.removeAllAttributions(in: session))" : ""
    default:
      let id = try rows.attribution(key, in: session)?.id ?? number
      let (source, destination) = (instant - Sample.noon, other - Sample.noon)
      let attribution = Sample.attribution(
        id, key, source: source.milliseconds / 1_000, destination: destination.milliseconds / 1_000)
      try rows.save(attribution, in: session)
    }
    return ""
  }

  /// Every query about what the operation may have touched.
  func look(at rows: any BrowserReader) throws -> String {
    let state = try rows.state()
    let answers: [Any?] = [
      state.now, state.draws.sorted { $0.key < $1.key }, try rows.nextSequence(),
      try rows.app(key.source.domain), try rows.apps(),
      try rows.click(key, in: place), try rows.clicks(in: place, after: number - 500, limit: 3),
      try rows.clicks(in: place, madeBefore: instant), try rows.clicks(in: place, naming: key.source),
      try rows.nearestClick(source: key.source, destination: key.destination),
      try rows.attribution(key, in: session), try rows.attributions(in: session, after: number - 500, limit: 3),
      try rows.attributions(in: session, naming: key.destination), try rows.earliestAttributions(limit: 5),
      try rows.report(number), try rows.reports(in: self.state, after: number - 500, limit: 3),
      try rows.reports(in: nil, after: number - 500, limit: 3), try rows.scheduledReports(naming: key.source).count,
      try rows.earliestRetries(limit: 3), try rows.events(after: number / 20, limit: 3),
    ]
    return "\(answers)"
  }
}
