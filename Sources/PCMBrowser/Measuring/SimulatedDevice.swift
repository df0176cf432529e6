import PCMCore
import PCMDevice
import PCMStore

/// The device of a simulated user, in memory. It keeps postbacks and losses, and nothing about what passes.
///
/// The lists are searched from their end: a user has few ads and apps at a time.
struct SimulatedDevice: DeviceState {
  typealias Failure = BrowserError

  private(set) var losses: [SimulatedLoss] = []
  private(set) var postbacks: [SimulatedPostback] = []
  private let world: SimulatedWorld
  private let device: Device
  private var streams: RandomStreams
  /// The number of the line whose action the user performs.
  private var line: Int64 = 0
  /// The action that the user performs.
  private var subject = SimulatedLoss.Subject.impression
  /// The ad that the user saw last; nil before the first ad.
  private var latestAd: Int64?
  /// The recorded ads, ordered by number.
  private var kept: [KeptImpression] = []
  /// The ads that apps display or that can be tapped, ordered by number.
  private var views: [View] = []
  /// The installed apps, ordered by bundle identifier.
  private var apps: [(app: InstalledApp, changesAt: Instant?)] = []
  /// The postbacks that wait for their time, ordered by it and then by their order.
  private var waiting: [(dueAt: Instant, app: String, planned: PlannedPostback, update: Int64?)] = []
  /// The lines of the last values that count, by conversion and window.
  private var updates: [(conversion: Int64, index: Int, line: Int64)] = []
  /// The loss of the value that the user's app reports, unless the value counts for another conversion.
  private var rejectedValue: SimulatedLoss?
  /// The values that counted in a window whose postback lacks them. At the end, a value that another postback has is no loss.
  private var unsentValues: [SimulatedLoss] = []
  /// The ads that won an install whose first window has no postback. At the end, an ad with another postback is no loss.
  private var unsentAds: [(number: Int64, codes: (rule: String, reason: String))] = []

  private struct View: Sendable {
    var ad: AppImpression
    var reading: JWSReading?
  }

  static let keepsInputs = false

  /// - Parameter start: The time of the user's first event. A mode for developers is switched on then.
  init(_ world: SimulatedWorld, _ streams: RandomStreams, at start: Instant) {
    (self.world, self.streams) = (world, streams)
    var device = world.device
    if device.developerModeSince != nil { device.developerModeSince = start }
    if device.testingProfileSince != nil { device.testingProfileSince = start }
    self.device = device
  }

  static func failure(_ error: BrowserError) -> BrowserError { error }

  func nextSequence() -> Int64 { SimulatedNumber.first(ofLine: line) + (subject == .impressionTap ? SimulatedNumber.ofTap : 0) }

  mutating func nextDrawNumber() -> Int64 { streams.number(.conversion) }

  func deviceApp(_ bundleIdentifier: String, on device: Device) -> DeviceApp? { world.apps[bundleIdentifier] }

  func deviceAds() -> DeviceAds {
    DeviceAds(
      table: ImpressionTable(kept: kept, open: views.lazy.filter(\.ad.isOpen).map(\.ad.kept)),
      ended: views.lazy.filter { !$0.ad.isOpen }.map(\.ad))
  }

  func keptImpressionCount() -> Int { kept.count }

  func keptImpression(_ id: Int64) -> KeptImpression? { kept.last { $0.id == id } }

  private func lastView(_ id: Int64) -> Int? { views.indices.last { views[$0].ad.kept.id == id } }

  func appImpression(_ id: Int64) -> AppImpression? { lastView(id).map { views[$0].ad } }

  mutating func save(_ impression: AppImpression) {
    if let index = lastView(impression.kept.id) {
      views[index].ad = impression
    } else {
      views.append(View(ad: impression))
    }
  }

  mutating func removeView(_ id: Int64) { if let index = lastView(id) { views.remove(at: index) } }

  func reading(ofImpression id: Int64, _ networks: AdNetworkRegistry) -> JWSReading {
    lastView(id).flatMap { views[$0].reading } ?? JWSReading("", networks: networks)
  }

  mutating func save(_ reading: JWSReading, ofImpression id: Int64) {
    if let index = lastView(id) { views[index].reading = reading }
  }

  mutating func replace(_ before: ImpressionTable, with after: ImpressionTable) {
    kept = after.kept
    // A view that ended may be older than an ad that was recorded before.
    if kept.indices.dropFirst().contains(where: { kept[$0 - 1].id > kept[$0].id }) { kept.sort { $0.id < $1.id } }
    for view in before.open where !after.open.contains(where: { $0.id == view.id }) { removeView(view.id) }
  }

  func installedAppCount() -> Int { apps.count }

  func installedApp(_ bundleIdentifier: String) -> InstalledApp? {
    apps.first { $0.app.bundleIdentifier == bundleIdentifier }?.app
  }

  func installedApp(withItem item: Int64) -> InstalledApp? { apps.first { $0.app.itemIdentifier == item }?.app }

  mutating func save(_ app: InstalledApp) {
    let entry = (app: app, changesAt: app.conversions.nextChange)
    if let index = apps.firstIndex(where: { $0.app.bundleIdentifier == app.bundleIdentifier }) {
      apps[index] = entry
    } else {
      let end = apps.firstIndex { app.bundleIdentifier < $0.app.bundleIdentifier } ?? apps.endIndex
      apps.insert(entry, at: end)
    }
  }

  /// No app of a simulation asks for permission to track.
  mutating func removeTracking(of bundleIdentifier: String) {}

  mutating func schedule(_ planned: [PlannedPostback], for app: InstalledApp, _ context: DeviceContext) {
    for postback in planned {
      let end = waiting.lastIndex { $0.dueAt <= postback.dueAt }.map { $0 + 1 } ?? 0
      let update = postback.value == nil ? nil : update(in: postback.order)
      waiting.insert((postback.dueAt, app.bundleIdentifier, postback, update), at: end)
    }
    // The first postback is the winner's.
    if let winner = planned.first {
      if winner.value == nil {
        let code = winner.omissions.first { $0.field == .conversionValue }?.reason.code ?? ""
        loseUpdate(of: winner.order.conversion, winner.order.index, (code, code))
      }
      updates.removeAll { $0.conversion == winner.order.conversion && $0.index == winner.order.index }
    }
  }

  /// Returns the line of the last value that counts in a window.
  private func update(in order: PostbackPlan) -> Int64? {
    updates.last { $0.conversion == order.conversion && $0.index == order.index }?.line
  }
}

// The calls of a user, and time.
extension SimulatedDevice {
  private func context(at now: Instant) -> DeviceContext {
    DeviceContext(now: now, device: device, networks: world.networks, draws: streams.named)
  }

  /// Performs an action. A call that the service answers with an error changes nothing, and is a loss.
  ///
  /// - Parameter sourceIdentifier: Of an ad that was read with another one; nil for other actions.
  mutating func perform(_ call: DeviceCall, sourceIdentifier: Int?, line: Int64, at now: Instant) {
    (self.line, subject) = (line, call.subject)
    // Only a limit is reached after the first change.
    let before = isAlmostFull ? self : nil
    do throws(BrowserError) {
      try perform(call, sourceIdentifier, context(at: now))
    } catch {
      if let before { self = before }
      losses.append(SimulatedLoss(subject: subject, line: line, rule: "", reason: error.lossCode.rawValue))
    }
  }

  private var isAlmostFull: Bool {
    max(kept.count, views.count) >= Browser.maximumImpressionCount || apps.count >= Browser.maximumInstalledAppCount
      || apps.contains { $0.app.conversions.conversions.count >= InstalledApp.maximumConversionCount }
  }

  private mutating func perform(
    _ call: DeviceCall, _ sourceIdentifier: Int?, _ context: DeviceContext
  ) throws(BrowserError) {
    switch call {
    case .display(let ad):
      latestAd = nextSequence()
      _ = try display(ad.judged(device, sourceIdentifier: sourceIdentifier, at: context.now), context)
    case .endView: _ = try endView(of: latestAd ?? 0, context)
    case .tap(let input): _ = try tap(tappableAd(latestAd ?? 0, at: context.now), input, context)
    case .install(let app, let input):
      let outcome = try install(app, input, context)
      for candidate in outcome.decision.candidates where candidate.place != nil {
        if let failed = candidate.evaluation.failed { lose(candidate.kept.id, failed.rule, failed.reason) }
      }
    case .launch(let bundleIdentifier): _ = try launch(bundleIdentifier, context)
    case .report(let update):
      rejectedValue = nil
      let outcome = try report(update, context)
      if outcome.kind == .rejected, let rejectedValue { losses.append(rejectedValue) }
    }
  }

  /// The time of the next change without a call, or of the next postback; nil if there is none.
  var nextChange: Instant? { Self.earlier(nextRowChange, nextPostback) }

  /// The time of the next end of a window, and of the next view that counts.
  private var nextRowChange: Instant? {
    let app = apps.reduce(Instant?.none) { earliest, entry in Self.earlier(earliest, entry.changesAt) }
    return views.reduce(app) { earliest, view in Self.earlier(earliest, view.ad.countsAt) }
  }

  private static func earlier(_ first: Instant?, _ second: Instant?) -> Instant? {
    guard let first, let second else { return first ?? second }
    return min(first, second)
  }

  /// Ends the windows and the views that are due, as many as the service does at a time. Returns false if none is.
  mutating func pass(to now: Instant) -> Bool {
    guard let next = nextRowChange, next <= now else { return false }
    // Rows of views precede rows of apps.
    var due: [(at: Instant, isApp: Bool, index: Int)] = []
    for index in views.indices {
      if let countsAt = views[index].ad.countsAt, countsAt <= now { due.append((countsAt, false, index)) }
    }
    for index in apps.indices {
      if let changesAt = apps[index].changesAt, changesAt <= now { due.append((changesAt, true, index)) }
    }
    due.sort { ($0.at, $0.isApp ? 1 : 0, $0.index) < ($1.at, $1.isApp ? 1 : 0, $1.index) }
    let (first, context) = (due.prefix(DueWork.mostChanges), context(at: now))
    let ads = first.filter { !$0.isApp }.map { views[$0.index].ad }
    do throws(BrowserError) {
      for change in first where change.isApp { try pass(apps[change.index].app, context) }
      if !ads.isEmpty { try recordViews(of: ads, context) }
    } catch {
      // No call is being answered, so a limit is the outcome of an ad.
    }
    return true
  }

  /// The time of the next postback; nil if none waits.
  var nextPostback: Instant? { waiting.isEmpty ? nil : waiting[0].dueAt }

  /// Sends the next postback.
  mutating func sendPostback(at now: Instant) {
    let next = waiting.removeFirst()
    postbacks.append(
      SimulatedPostback(
        next.planned, at: now, bundleIdentifier: next.app, update: next.update,
        signed: world.signsPostbacks ? device.settings : nil))
  }

  /// Removes the ads, the apps, and the postbacks that wait.
  mutating func clear() {
    for ad in kept { lose(ad.id, Self.cleared.rule, Self.cleared.reason) }
    for view in views where view.ad.isOpen { lose(view.ad.kept.id, Self.cleared.rule, Self.cleared.reason) }
    for entry in apps {
      for conversion in entry.app.conversions.pending {
        loseWindow(of: conversion.id, Self.cleared)
        loseAds(of: conversion, Self.cleared)
      }
    }
    for postback in waiting {
      loseWindow(of: postback.planned.conversion.id, Self.cleared)
      unsentAds.append((postback.planned.kept.id, Self.cleared))
    }
    for line in updates.map(\.line) + waiting.compactMap(\.update) { loseValue(line, Self.cleared) }
    (kept, views, apps, waiting, updates) = ([], [], [], [], [])
  }

  /// Keeps the ads that waited in vain, and the ads and values that no postback has, as losses.
  mutating func finish() {
    for ad in kept { lose(ad.id, "", SimulatedLoss.Code.recorded.rawValue) }
    for view in views where view.ad.isOpen { lose(view.ad.kept.id, "", SimulatedLoss.Code.displayed.rawValue) }
    guard !unsentValues.isEmpty || !unsentAds.isEmpty else { return }
    var (values, ads) = (Set(postbacks.compactMap(\.update)), Set(postbacks.map(\.impression)))
    for loss in unsentValues.reversed() where values.insert(loss.line).inserted { losses.append(loss) }
    for (ad, codes) in unsentAds where ads.insert(SimulatedNumber.line(of: ad)).inserted { lose(ad, codes.rule, codes.reason) }
    (unsentValues, unsentAds) = ([], [])
  }
}

// Losses.
extension SimulatedDevice {
  private static let cleared = (rule: "report-still-counts", reason: "cleared")

  /// Keeps the loss that an event means. Most events mean none, and are not made.
  @discardableResult
  mutating func append<Event: BrowserEvent>(
    _ event: @autoclosure () -> Event, at instant: Instant
  ) -> (sequence: Int64, at: Instant) {
    if Event.self == ImpressionDecided.self, let event = event() as? ImpressionDecided {
      if event.kind == .impressionRejected { reject(event) }
    } else if Event.self == ImpressionTapped.self, let event = event() as? ImpressionTapped {
      if event.conversion == nil { lose(event.ad.impression, event.decision?.failed ?? "", event.reasons.first) }
    } else if Event.self == ImpressionRemoved.self, let event = event() as? ImpressionRemoved {
      let code = event.reasons.first?.code ?? ""
      if code != "impression-used" { lose(event.impression, code, event.reasons.first) }
    } else if Event.self == AppInstalled.self, let event = event() as? AppInstalled {
      let code = event.reasons.first?.code ?? ""
      if event.conversion == nil { losses.append(SimulatedLoss(subject: .install, line: line, rule: code, reason: code)) }
    } else if Event.self == ConversionValueReported.self, let event = event() as? ConversionValueReported {
      note(event)
    } else if Event.self == PostbackDropped.self, let event = event() as? PostbackDropped {
      let code = event.reasons.first?.code ?? ""
      loseWindow(of: event.impression ?? event.conversion, (code, code))
      // No ad network of a simulation is removed, so that no postback of a runner-up is dropped.
      loseUpdate(of: event.conversion, Int(event.sequenceIndex), (code, code))
      if event.sequenceIndex == 0, let conversion = apps.lazy.compactMap({ $0.app.conversions[event.conversion] }).first {
        loseAds(of: conversion, (code, code))
      }
    }
    return (nextSequence(), instant)
  }

  /// An end without a view changes nothing about the ad. Another rejection ends it.
  private mutating func reject(_ event: ImpressionDecided) {
    let (rule, reason) = (event.decision?.failed ?? "", event.reasons.first)
    if subject == .impressionEnd, reason?.code == "view-not-started" {
      losses.append(SimulatedLoss(subject: subject, line: line, rule: rule, reason: "view-not-started"))
    } else {
      lose(event.impression, rule, reason)
    }
  }

  private mutating func note(_ event: ConversionValueReported) {
    if event.kind == .conversionValueRejected {
      rejectedValue =
        rejectedValue
        ?? SimulatedLoss(
          subject: .conversionValue, line: line, rule: event.decision?.failed ?? "", reason: event.reasons.first?.code ?? "")
    } else if let conversion = event.conversion, let index = event.sequenceIndex {
      let code = SimulatedLoss.Code.valueReplaced.rawValue
      loseUpdate(of: conversion, Int(index), (code, code))
      updates.append((conversion, Int(index), line))
    }
  }

  /// Removes the value that counts in a window, which no postback of the window has.
  private mutating func loseUpdate(of conversion: Int64, _ index: Int, _ codes: (rule: String, reason: String)) {
    guard let found = updates.lastIndex(where: { $0.conversion == conversion && $0.index == index }) else { return }
    loseValue(updates.remove(at: found).line, codes)
  }

  private mutating func loseValue(_ line: Int64, _ codes: (rule: String, reason: String)) {
    unsentValues.append(SimulatedLoss(subject: .conversionValue, line: line, rule: codes.rule, reason: codes.reason))
  }

  private mutating func lose(_ number: Int64, _ rule: String, _ reason: Reason?) { lose(number, rule, reason?.code ?? "") }

  private mutating func lose(_ number: Int64, _ rule: String, _ reason: String) {
    losses.append(
      SimulatedLoss(
        subject: SimulatedNumber.isTap(number) ? .impressionTap : .impression, line: SimulatedNumber.line(of: number),
        rule: rule, reason: reason))
  }

  private mutating func loseAds(of conversion: Conversion, _ codes: (rule: String, reason: String)) {
    for ad in [conversion.winner] + conversion.runnersUp { unsentAds.append((ad.id, codes)) }
  }

  private mutating func loseWindow(of number: Int64, _ codes: (rule: String, reason: String)) {
    losses.append(
      SimulatedLoss(subject: .window, line: SimulatedNumber.line(of: number), rule: codes.rule, reason: codes.reason))
  }
}

extension BrowserError {
  /// The code of a call that the service answers with an error.
  fileprivate var lossCode: SimulatedLoss.Code {
    switch self {
    // The inputs of a simulation are checked when they are read, so that only the device can lack the app.
    case .invalidInput: .appNotInstalled
    case .limitReached: .limitReached
    case .conflict: .conflict
    default: .notFound
    }
  }
}
