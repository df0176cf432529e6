import PCMCore
import PCMStore

/// One change to a browser, drawn at random, over so few keys, sites and instants that they often meet.
struct Operation: Sendable, CustomStringConvertible {
  private let kind: Kind
  /// Larger than every earlier operation's.
  private let number: Int64
  private let key: ClickKey
  private let place: ClickPlace
  private let session: SessionKind
  private let instant: Instant
  private let other: Instant
  private let state: OutgoingMessage.State
  private let rowKind: DeviceRow.Kind

  private enum Kind: CaseIterable {
    case saveClick, moveClick, removeClick, removeExpired, removeAllClicks
    case saveAttribution, sendHalf, removeAttribution, removeAllAttributions
    case saveReport, saveState, saveApp, removeApp, append, keepRequest
    case saveDeviceRow, removeDeviceRow, savePostback, removePostback
  }

  var description: String { "\(kind) \(number) \(place) \(session)" }

  static func random(_ number: Int64, _ numbers: inout SplitMix64) -> Operation {
    func pick<Value>(_ values: [Value]) -> Value { values[numbers.below(values.count)] }
    func instant() -> Instant { Sample.noon + .seconds(Int64(numbers.below(20))) }
    func site() -> String { "\(numbers.below(4)).example" }
    return Operation(
      kind: pick(Kind.allCases), number: number, key: Sample.key(site(), site(), pick(["a", "b"])),
      place: pick(ClickPlace.allCases), session: pick(SessionKind.allCases), instant: instant(), other: instant(),
      state: pick(OutgoingMessage.State.allCases), rowKind: pick(DeviceRow.Kind.allCases))
  }

  func run(on rows: any BrowserWriter, _ findings: inout Findings) throws {
    switch kind {
    case .saveClick, .moveClick, .removeClick, .removeExpired, .removeAllClicks: try changeClicks(rows, &findings)
    case .saveAttribution, .sendHalf, .removeAttribution, .removeAllAttributions:
      try changeAttributions(rows, &findings)
    case .saveReport:
      let old = try rows.scheduledReports(naming: key.source).first?.id ?? number
      try rows.save(
        Sample.report(
          old, key, state: state, retryAt: retryAt, attempts: number % 3 == 0 ? ["{}"] : []))
    case .saveState:
      var state = try rows.state()
      state.now = instant
      state.draws[key.source.domain, default: 0] += 1
      try rows.save(state)
    case .saveApp:
      try rows.save(
        AppRecord(
          bundleIdentifier: key.source.domain, reportEndpoint: key.destination.domain, endpointError: nil,
          build: AppBuild(
            sdk: number % 2 == 0 ? nil : OSVersion(number % 30, 4), signing: number % 3 == 0 ? .development : .store),
          findings: "[\(number)]"))
    case .removeApp: try rows.remove(AppRecord.self, key.source.domain)
    case .keepRequest:
      let limits = IdempotencyLimits(maximumCount: 6, maximumBytes: 300, expiry: other - .seconds(10))
      let body = "\"\(String(repeating: "x", count: Int(number % 90)))\""
      let answer = number % 3 == 0 ? nil : key.bundleIdentifier + body
      try rows.saveRequest(
        IdempotencyRecord(key: requestKey, digest: "\(number)", receivedAt: instant, answer: answer), trimmingTo: limits)
    case .saveDeviceRow, .removeDeviceRow, .savePostback, .removePostback: try changeDevice(rows)
    case .append: findings.events.append(try rows.append(Sample.event(number), at: instant))
    }
  }

  /// Only a scheduled message waits for a retry.
  private var retryAt: Instant? { state == .scheduled && number % 2 == 0 ? instant : nil }

  private var requestKey: String { key.source.domain + key.destination.domain }

  private func changeClicks(_ rows: any BrowserWriter, _ findings: inout Findings) throws {
    switch kind {
    case .moveClick:
      guard let held = try rows.click(key, in: .ephemeral) else { return }
      try rows.removeClick(key, in: .ephemeral)
      try rows.save(held, in: .table)
    case .removeClick: try rows.removeClick(key, in: place)
    case .removeExpired:
      let expired = try rows.clicks(in: place, madeBefore: instant)
      for click in expired { try rows.removeClick(click.click.key, in: place) }
      findings.clicks += expired
    case .removeAllClicks:
      guard number % 4 == 0 else { return }
      findings.counts.append(Int64(try rows.removeAllClicks(in: place)))
    default: try rows.save(Sample.click(number, key, at: instant), in: place)
    }
  }

  private func changeAttributions(_ rows: any BrowserWriter, _ findings: inout Findings) throws {
    switch kind {
    case .sendHalf:
      guard var first = try rows.earliestAttributions(limit: 1).first, let next = first.next else { return }
      let session: SessionKind = try rows.attribution(first.key, in: .normal) == first ? .normal : .privateBrowsing
      first.markSent(next.recipient)
      try rows.save(first, in: session)
    case .removeAttribution: try rows.removeAttribution(key, in: session)
    case .removeAllAttributions:
      guard number % 4 == 0 else { return }
      findings.counts.append(Int64(try rows.removeAllAttributions(in: session)))
    default:
      let id = try rows.attribution(key, in: session)?.id ?? number
      let attribution = Sample.attribution(
        id, key, source: (instant - Sample.noon).milliseconds / 1_000,
        destination: (other - Sample.noon).milliseconds / 1_000)
      try rows.save(attribution, in: session)
    }
  }

  private var rowKey: DeviceRow.Key { DeviceRow.Key(rowKind, key.source.domain) }

  private func changeDevice(_ rows: any BrowserWriter) throws {
    switch kind {
    case .removeDeviceRow: try rows.remove(DeviceRow.self, rowKey)
    case .savePostback:
      let old = try rows.rows(Postback.Query.earliest(limit: 1)).first?.id ?? number
      try rows.save(
        Sample.postback(
          number % 5 == 0 ? old : number, state: state, dueAt: other, retryAt: retryAt,
          attempts: number % 3 == 0 ? ["{}"] : []))
    case .removePostback:
      guard let first = try rows.postbacks(in: state, after: 0, limit: 1).first else { return }
      try rows.remove(Postback.self, first.id)
    default:
      try rows.save(
        DeviceRow(
          rowKind, rowKey.name, value: #"{"number":\#(number)}"#, changesAt: number % 3 == 0 ? nil : instant))
    }
  }

  /// Every query about the rows of the operation.
  func look(at rows: any BrowserReader, _ findings: inout Findings) throws {
    let cursor = number - 500
    findings.states.append(try rows.state())
    findings.counts.append(try rows.nextSequence())
    findings.apps += try [rows.row(AppRecord.self, key.source.domain)] + rows.apps()
    findings.clicks += try [rows.click(key, in: place)]
    findings.clicks += try [rows.nearestClick(source: key.source, destination: key.destination)]
    findings.clicks += try rows.clicks(in: place, after: cursor, limit: 3)
    findings.clicks += try rows.clicks(in: place, madeBefore: instant) + rows.clicks(in: place, naming: key.source)
    findings.attributions += try [rows.attribution(key, in: session)]
    findings.attributions += try rows.attributions(in: session, after: cursor, limit: 3)
    findings.attributions += try rows.attributions(in: session, naming: key.destination)
    findings.attributions += try rows.earliestAttributions(limit: 5)
    findings.reports += try [rows.row(Report.self, number)] + rows.reports(in: state, after: cursor, limit: 3)
    findings.reports += try rows.reports(in: nil, after: cursor, limit: 3) + rows.rows(Report.Query.earliest(limit: 3))
    let selection = ReportSelection(states: [state, .failed], recipients: [.destination], sites: [key.source])
    findings.reports += try rows.reports(selection, after: cursor, limit: 2, examining: 8).items
    findings.reports += try rows.scheduledReports(naming: key.source) + rows.scheduledReports(naming: nil)
    findings.deviceRows += try [rows.row(DeviceRow.self, rowKey)]
    findings.deviceRows += try rows.deviceRows(rowKind, after: key.destination.domain, limit: 2)
    findings.deviceRows += try rows.rows(DeviceRow.Query.earliest(limit: 3))
    findings.postbacks += try [rows.row(Postback.self, number)] + rows.postbacks(in: state, after: cursor, limit: 3)
    findings.postbacks += try rows.postbacks(in: nil, after: cursor, limit: 3) + rows.rows(Postback.Query.earliest(limit: 3))
    findings.requests += try [requestKey, "0.example0.example"].map { try rows.row(IdempotencyRecord.self, $0) }
    findings.events += try rows.events(after: number / 20, limit: 3)
    findings.events += try rows.events(EventFilter(about: RecordName.click(number)), after: 0, limit: 3)
    findings.events += try rows.lastEvents(EventFilter(kind: .clickExpired), limit: 3)
  }
}

/// The results, in the order of the queries.
struct Findings: Equatable, Sendable {
  var isRefused = false
  var counts: [Int64] = []
  var states: [BrowserState] = []
  var apps: [AppRecord?] = []
  var clicks: [KeptClick?] = []
  var attributions: [Attribution?] = []
  var reports: [Report?] = []
  var deviceRows: [DeviceRow?] = []
  var postbacks: [Postback?] = []
  var events: [LogEvent] = []
  var requests: [IdempotencyRecord?] = []
}
