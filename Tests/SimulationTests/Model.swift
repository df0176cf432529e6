import PCMCore

/// The attribution rules once more, as plainly as the reference states them: arrays that are searched from end to end.
/// It predicts every answer and every table; it takes only drawn numbers from the visible state.
///
/// Nothing here calls the rules under test. Section numbers are the reference's.
struct Model: Equatable {
  struct Click: Equatable {
    let id: UInt8
    let source: String
    let destination: String
    let app: String
    let at: Instant

    /// Section 3.1: the unique key of both tables.
    func hasKey(of other: Click) -> Bool { hasKey(other.source, other.destination, other.app) }
    func hasKey(_ source: String, _ destination: String, _ app: String) -> Bool {
      self.source == source && self.destination == destination && self.app == app
    }
    /// Section 3.2: exactly 7 days old survives.
    func isExpired(at now: Instant) -> Bool { at.milliseconds < now.milliseconds - 7 * 24 * 3_600_000 }
  }

  /// An attributed click. A sent half is nil, and an unsent half is an index in `reports`.
  struct Row: Equatable {
    let click: Click
    var data: Int
    var priority: Int
    var source: Int?
    var destination: Int?

    var isHalfSent: Bool { source == nil || destination == nil }
    var halves: [Int] { [source, destination].compactMap { $0 } }
  }

  struct Report: Equatable {
    let click: Click
    let data: Int
    let isToSource: Bool
    let isPrivate: Bool
    var state = "scheduled"
    /// Drawn, so nil until it is seen.
    var due: Instant?
    var attempts = 0
    /// When it is sent again, at the earliest and at the latest.
    var retry: ClosedRange<Instant>?

    var url: String { ExpectedReport.url(to: isToSource ? click.source : click.destination) }
    var body: String {
      ExpectedReport.body(click: click.id, source: click.source, destination: click.destination, data: data)
    }
  }

  /// One of the two sessions (section 3.3).
  struct Session: Equatable {
    var slot: Click?
    var table: [Click] = []
    var rows: [Row] = []
  }

  struct UnsavedResult: Equatable {
    let report: Int
    let isDelivered: Bool
  }

  struct SentReport: Equatable {
    let index: Int
    let report: Report
  }

  let policy: DeliveryPolicy
  var isMeasuring = true
  var isPrivate: Bool
  var isDebugging: Bool
  var normal = Session()
  var ephemeral = Session()
  var reports: [Report] = []
  /// A result that the store refused; the process remembers it until the clock is moved again.
  var unsaved: UnsavedResult?
  /// The report that was sent last, as it was before its result.
  var underWay: SentReport?

  init(_ plan: Plan) {
    policy = plan.policy
    isPrivate = plan.startsPrivate
    isDebugging = plan.startsInDebugMode
  }

  var session: Session {
    get { isPrivate ? ephemeral : normal }
    set { if isPrivate { ephemeral = newValue } else { normal = newValue } }
  }

  // MARK: Clicks, sections 2 and 3

  mutating func click(_ step: ClickStep, at now: Instant) -> Answer.Outcome {
    guard isMeasuring else { return .init(kind: "discarded", codes: ["measurement-disabled"]) }
    // Section 2.1, step 9; apps are not asked (section 2.4).
    if step.way == .link, step.source == step.destination { return .init(kind: "discarded", codes: ["same-site"]) }
    let click = Click(
      id: step.id, source: step.source, destination: step.destination,
      app: step.way == .openURL ? Cast.safari : step.app ?? Cast.safari, at: now)
    if isPrivate || step.way == .embedded {
      let wasHeld = session.slot != nil
      session.slot = click
      return .init(kind: "ephemeral", codes: wasHeld ? ["held-click-replaced"] : [])
    }
    let isReplacing = store(click, at: now)
    return .init(kind: "stored", codes: isReplacing ? ["click-replaced"] : [])
  }

  /// Section 2.5, step 3: expired clicks go, the same key is replaced. Returns whether it was.
  @discardableResult
  private mutating func store(_ click: Click, at now: Instant) -> Bool {
    expire(at: now)
    let count = normal.table.count
    normal.table.removeAll { $0.hasKey(of: click) }
    normal.table.append(click)
    return normal.table.count == count
  }

  @discardableResult
  private mutating func expire(at now: Instant) -> [Click] {
    let expired = normal.table.filter { $0.isExpired(at: now) }
    normal.table.removeAll { $0.isExpired(at: now) }
    return expired
  }

  // MARK: Triggering events, sections 3.3, 4 and 5

  mutating func trigger(_ pixel: PixelStep, at now: Instant) -> Answer.Outcome {
    guard isMeasuring else { return .init(kind: "rejected", codes: ["measurement-disabled"]) }
    guard pixel.isReadable else { return .init(kind: "rejected", codes: ["data-invalid"]) }
    if let lost = emptySlot(for: pixel, at: now) { return .init(kind: "unmatched", codes: [lost]) }
    if let code = sameSiteRejection(of: pixel) { return .init(kind: "rejected", codes: [code]) }
    guard let code = attribute(pixel, at: now) else { return .init(kind: "attributed", codes: []) }
    return .init(kind: "unmatched", codes: [code])
  }

  /// Section 3.3: the first event empties the slot. Returns why the event ends here.
  private mutating func emptySlot(for pixel: PixelStep, at now: Instant) -> String? {
    guard let held = session.slot else { return isPrivate ? "no-held-click" : nil }
    session.slot = nil
    if held.isExpired(at: now) { return "held-click-expired" }
    let isSameSitePixel = pixel.target == pixel.page && pixel.attributionSource != nil
    let isSourcesPixel = pixel.target == held.source && pixel.attributionSource == nil
    guard isSameSitePixel || isSourcesPixel, held.destination == pixel.page else { return "held-click-mismatch" }
    guard isPrivate else {
      store(held, at: now)
      return nil
    }
    // The private session's store holds one measurement, which is overwritten.
    supersede(ephemeral.rows)
    (ephemeral.table, ephemeral.rows) = ([held], [])
    return nil
  }

  /// The table of section 4.3.
  private func sameSiteRejection(of pixel: PixelStep) -> String? {
    guard pixel.target == pixel.hop else { return "redirect-not-same-site" }
    switch (pixel.target == pixel.page, pixel.attributionSource != nil) {
    case (true, false): return "same-site-needs-source"
    case (false, true): return "cross-site-forbids-source"
    default: return nil
    }
  }

  /// The table of section 5.2. Returns why nothing was attributed.
  private mutating func attribute(_ pixel: PixelStep, at now: Instant) -> String? {
    let app = pixel.app ?? Cast.safari
    let expired = isPrivate ? [] : expire(at: now)
    let click = session.table.first { $0.hasKey(pixel.source, pixel.page, app) }
    let place = session.rows.firstIndex { $0.click.hasKey(pixel.source, pixel.page, app) }
    switch (click, place) {
    case (let click?, let place):
      session.table.removeAll { $0 == click }
      if let place {
        guard pixel.priority > session.rows[place].priority else { return "lower-or-equal-priority" }
        supersede([session.rows.remove(at: place)])
      }
      schedule(click, pixel)
      return nil
    case (nil, let place?):
      if session.rows[place].isHalfSent { return "already-reported" }
      guard pixel.priority > session.rows[place].priority else { return "lower-or-equal-priority" }
      let row = session.rows.remove(at: place)
      supersede([row])
      schedule(row.click, pixel)
      return nil
    case (nil, nil): return whyNothing(pixel, app, expired: expired)
    }
  }

  private mutating func schedule(_ click: Click, _ pixel: PixelStep) {
    for isToSource in [true, false] {
      reports.append(Report(click: click, data: pixel.data, isToSource: isToSource, isPrivate: isPrivate))
    }
    session.rows.append(
      Row(
        click: click, data: pixel.data, priority: pixel.priority, source: reports.count - 2, destination: reports.count - 1))
  }

  private mutating func supersede(_ rows: [Row]) {
    for half in rows.flatMap(\.halves) { reports[half].state = "superseded" }
  }

  /// The nearest miss, which the reference leaves to this service.
  private func whyNothing(_ pixel: PixelStep, _ app: String, expired: [Click]) -> String {
    if expired.contains(where: { $0.hasKey(pixel.source, pixel.page, app) }) { return "click-expired" }
    let near = session.table.filter { $0.source == pixel.source }
    if near.isEmpty { return "no-click" }
    return near.contains { $0.destination == pixel.page } ? "other-app" : "other-destination"
  }

  // MARK: Clearing and settings, sections 10 and 11

  mutating func clear(_ site: String?) {
    func isMeant(_ click: Click) -> Bool { site.map { click.source == $0 || click.destination == $0 } ?? true }
    for index in reports.indices where reports[index].isUnfinished && isMeant(reports[index].click) {
      reports[index].cancel()
    }
    for isPrivate in [true, false] {
      var cleared = isPrivate ? ephemeral : normal
      cleared.table.removeAll(where: isMeant)
      cleared.rows.removeAll { isMeant($0.click) }
      // A site is cleared in the tables only.
      if site == nil { cleared.slot = nil }
      if isPrivate { ephemeral = cleared } else { normal = cleared }
    }
  }

  /// The measurements of a private session end with it.
  mutating func setPrivateBrowsing(_ isOn: Bool) {
    if isPrivate, !isOn {
      ephemeral = Session()
      for index in reports.indices where reports[index].isPrivate && reports[index].isUnfinished {
        reports[index].cancel()
      }
    }
    isPrivate = isOn
  }
}

extension Model.Report {
  /// A report in flight has left, but it must not leave again.
  fileprivate var isUnfinished: Bool { state == "scheduled" || state == "sending" }

  fileprivate mutating func cancel() {
    (state, retry) = ("cleared", nil)
  }
}
