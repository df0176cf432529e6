import PCMCore
import PCMStore

/// The measurement of a browser of the service: its rows in a transaction, whose changes are logged.
struct StoredMeasurement: MeasurementState {
  private let writer: any BrowserWriter
  /// The state whose device receives the clicks on web ads.
  private let state: DecisionState?

  static let keepsInputs = true

  /// - Parameter state: Nil for a decision that is not about a click.
  init(_ writer: any BrowserWriter, clickIn state: DecisionState? = nil) { (self.writer, self.state) = (writer, state) }

  func nextSequence() throws -> Int64 { try writer.nextSequence() }

  func click(_ key: ClickKey, in place: ClickPlace) throws -> KeptClick? { try writer.click(key, in: place) }

  func clicks(in place: ClickPlace, limit: Int) throws -> [KeptClick] {
    try writer.clicks(in: place, after: 0, limit: limit)
  }

  func clicks(madeBefore instant: Instant) throws -> [KeptClick] { try writer.clicks(in: .table, madeBefore: instant) }

  func nearestClick(source: Site, destination: Site) throws -> KeptClick? {
    try writer.nearestClick(source: source, destination: destination)
  }

  func save(_ click: KeptClick, in place: ClickPlace) throws { try writer.save(click, in: place) }

  func removeClick(_ key: ClickKey, in place: ClickPlace) throws { try writer.removeClick(key, in: place) }

  func attribution(_ key: ClickKey, in session: SessionKind) throws -> Attribution? {
    try writer.attribution(key, in: session)
  }

  func save(_ attribution: Attribution, in session: SessionKind) throws { try writer.save(attribution, in: session) }

  func supersede(_ attribution: Attribution, at now: Instant) throws {
    let halves = [attribution.source, attribution.destination].compactMap { $0 }
    _ = try writer.withdraw(halves.compactMap { try writer.row(Report.self, $0.report) }, by: .superseded, at: now)
  }

  func dropPrivateMeasurement(by event: OutgoingMessage.Event, at now: Instant) throws {
    try writer.dropPrivateMeasurements(by: event, at: now)
  }

  /// The reports include reports that wait for a retry.
  func endPrivateSession(at now: Instant) throws {
    _ = try writer.removeAllClicks(in: .privateEphemeral)
    try dropPrivateMeasurement(by: .cleared, at: now)
    let reports = try writer.unfinishedReports(naming: nil).filter { $0.session == .privateBrowsing }
    _ = try writer.withdraw(reports, by: .cleared, at: now)
  }

  func changeTimer(_ change: (inout ReportTimer) -> Void) throws {
    var state = try writer.state()
    change(&state.reportTimer)
    try writer.save(state)
  }

  func handOver(_ donation: AppStoreDonation, isPrivateSession: Bool) throws -> WebAdOrder? {
    // No conversion begins, so the copy of the state draws no number.
    guard var state else { return nil }
    return try state.onDevice(writer) { try $0.follow(donation, isPrivateSession: isPrivateSession, $1) }
  }

  @discardableResult
  func append<Event: BrowserEvent>(
    _ event: @autoclosure () -> Event, at instant: Instant
  ) throws -> (sequence: Int64, at: Instant) {
    let logged = try writer.append(event(), at: instant)
    return (logged.sequence, logged.at)
  }
}

extension StoredMeasurement {
  func scheduleReports(
    of attribution: Attribution, in session: SessionKind, _ settings: BrowserSettings, at now: Instant
  ) throws {
    for recipient in [Recipient.source, .destination] {
      guard let half = recipient == .source ? attribution.source : attribution.destination else { continue }
      let report = Report(
        id: half.report, attribution: attribution.id, session: session, key: attribution.key, recipient: recipient,
        url: Self.url(of: recipient, click: attribution.click.click, settings), body: attribution.body.text,
        sourceKeyID: attribution.click.click.token?.keyID, destinationKeyID: attribution.destinationToken?.keyID,
        dueAt: half.dueAt)
      try writer.save(report)
      let departures = settings.measurement.debugMode ? try DebugDepartures(writer) : nil
      let dueAt = report.departing(departures).dueAt
      try writer.append(
        ReportScheduled(report: report.id, attribution: attribution.id, recipient: recipient, url: report.url, dueAt: dueAt),
        at: now)
    }
  }

  private static func url(of recipient: Recipient, click: Click, _ settings: BrowserSettings) -> String {
    if recipient == .source, settings.reportURL == .manifest, let written = click.reportEndpoint { return written }
    return ReportBody.url(at: recipient == .source ? click.key.source : click.key.destination)
  }
}

extension Attribution {
  /// The body of both reports.
  var body: JSON { ReportBody.json(of: click.click, trigger: trigger, destinationToken: destinationToken) }

  /// Appends the body of both reports.
  func writeBody(into bytes: inout [UInt8]) {
    ReportBody.write(click.click, trigger, destinationToken: destinationToken, into: &bytes)
  }
}
