package import PCMCore
import PCMCrypto
import PCMDevice
import PCMStore

// An ad goes through this file from top to bottom: the call, the rules, the transaction of the decision, and its events.

extension Browser {
  /// The maximum number of recorded ads of a device, and of displayed ads.
  package static let maximumImpressionCount = 1_000
}

/// An app displays an ad.
extension ImpressionInput: DecidedOperation {
  package func decision(on _: String?, in browser: Browser) throws(BrowserError) -> Decision<ImpressionOutcome> {
    let presentation = try checkedPresentation()
    return .onDevice { try display(as: presentation, on: &$0, $1) }
  }

  /// Decides about the ad in a transaction of another operation, such as the impression of a card.
  func display(on device: inout StoredDevice, _ context: DeviceContext) throws -> ImpressionOutcome {
    try display(as: try checkedPresentation(), on: &device, context)
  }

  private func display(
    as presentation: ImpressionPresentation, on device: inout StoredDevice, _ context: DeviceContext
  ) throws -> ImpressionOutcome {
    let app = try device.registeredApp(bundleIdentifier, context)
    return try device.display(
      JudgedAd(self, as: presentation, in: app, keepsInputs: StoredDevice.keepsInputs, context), context)
  }
}

/// An app ends the view of an ad.
extension ImpressionEndInput: DecidedOperation {
  package static let status = 200

  package func decision(on subject: String?, in browser: Browser) throws(BrowserError) -> Decision<ImpressionOutcome> {
    let id = try BrowserError.number(ofImpression: subject)
    return .onDevice { try $0.endView(of: id, $1) }
  }
}

/// A user taps an ad of AdAttributionKit.
extension ImpressionTapInput: DecidedOperation {
  package static let status = 200

  package func decision(on subject: String?, in browser: Browser) throws(BrowserError) -> Decision<ImpressionOutcome> {
    let id = try BrowserError.number(ofImpression: subject)
    try check(InputChecker(environment: browser.environment))
    return .onDevice { try $0.tap($0.tappableAd(id, at: $1.now), self, $1) }
  }
}

extension BrowserError {
  fileprivate static func number(ofImpression name: String?) throws(BrowserError) -> Int64 {
    guard let id = RecordName.Kind.impression.number(name ?? "") else { throw .unknownImpression(id: name ?? "") }
    return id
  }
}

extension ImpressionInput {
  /// Returns how the app displays the ad.
  func checkedPresentation() throws(BrowserError) -> ImpressionPresentation {
    let standard: ImpressionPresentation = jws == nil ? .storeKitRendered : .customRendered
    let other: ImpressionPresentation = jws == nil ? .viewThrough : .storeKitRendered
    if jws != nil, let name = skAdNetworkMembers.first {
      throw .invalidInput([
        InputError([name], "an ad with jws has no other values; remove \(name), or jws", .conflictingMembers)
      ])
    }
    if handlesView, jws == nil || presentation == other.rawValue {
      throw .invalidInput([
        InputError(["handleView"], "handleView() is only for an ad of AdAttributionKit that the app renders; remove handleView")
      ])
    }
    guard let text = presentation else { return standard }
    guard let chosen = ImpressionPresentation(rawValue: text), [standard, other].contains(chosen) else {
      throw .invalidInput([
        InputError(
          ["presentation"],
          "an ad of \(jws == nil ? "SKAdNetwork" : "AdAttributionKit") is \"\(standard.rawValue)\" or \"\(other.rawValue)\"")
      ])
    }
    return chosen
  }

  private var skAdNetworkMembers: [String] {
    let own = ["bundleIdentifier", "presentation", "jws", "handleView"]
    return json.members.map(\.name).filter { !own.contains($0) }
  }
}

extension ImpressionTapInput {
  /// The app opens with the URL, so it may have the app's scheme.
  func check(_ inputChecker: InputChecker) throws(BrowserError) {
    guard let reengagementURL else { return }
    var checker = inputChecker
    _ = checker.url(reengagementURL, ["reengagementURL"], httpOnly: false, hostNeeded: false)
    if isUniversalLink == true, !canBeUniversalLink {
      checker.problems.append(
        InputError(["universalLink"], "a universal link is an https URL; change reengagementURL, or remove universalLink"))
    }
    try checker.finish()
  }

  /// Whether the re-engagement URL is of a scheme that universal links have.
  var canBeUniversalLink: Bool {
    guard let scheme = reengagementURL?.split(separator: ":", maxSplits: 1).first?.lowercased() else { return false }
    return scheme == "https" || scheme == "http"
  }
}

extension BrowserReader {
  /// Returns a registered app that a call names.
  func registeredApp(_ bundleIdentifier: String, _ context: DeviceContext) throws -> DeviceApp {
    try registeredApp(bundleIdentifier, on: context.device)
  }

  /// Returns a registered app that a call names.
  func registeredApp(_ bundleIdentifier: String, on device: Device) throws -> DeviceApp {
    if let app = try deviceApp(bundleIdentifier, on: device) { return app }
    throw BrowserError.unregisteredApp(bundleIdentifier)
  }
}

extension BrowserError {
  /// The error of a call that names an app that is not registered.
  static func unregisteredApp(_ bundleIdentifier: String) -> BrowserError {
    .invalidInput([
      InputError(
        ["bundleIdentifier"], "no app \"\(bundleIdentifier)\" is registered; PUT its Info.plist to …/apps first",
        code: "app-unknown")
    ])
  }
}

extension DeviceState {
  /// Returns a registered app that a call names.
  func registeredApp(_ bundleIdentifier: String, _ context: DeviceContext) throws(Failure) -> DeviceApp {
    if let app = try deviceApp(bundleIdentifier, on: context.device) { return app }
    throw Self.failure(.unregisteredApp(bundleIdentifier))
  }

  mutating func display(_ judged: JudgedAd, _ context: DeviceContext) throws(Failure) -> ImpressionOutcome {
    let outcome = try apply(judged, to: nil, context)
    if case .record(let impression, _) = judged.decision, let reading = judged.reading {
      try keepDisplayed(impression, outcome, reading)
    }
    return outcome
  }

  /// Keeps an ad whose view was recorded by one call, so that it can be tapped.
  private mutating func keepDisplayed(
    _ impression: AdImpression, _ outcome: ImpressionOutcome, _ reading: JWSReading
  ) throws(Failure) {
    try save(
      AppImpression(
        kept: KeptImpression(id: outcome.impression, impression: impression), presentation: .customRendered,
        recordedBy: outcome.sequence))
    try save(reading, ofImpression: outcome.impression)
  }

  mutating func endView(of id: Int64, _ context: DeviceContext) throws(Failure) -> ImpressionOutcome {
    if let ad = try appImpression(id), ad.isDisplayed, let sequence = ad.recordedBy { return try close(ad, sequence, context) }
    // A view that was recorded has no second end, and an ad of SKAdNetwork that StoreKit renders has none at all.
    if let kept = try keptImpression(id) { return try endView(again: kept, context) }
    guard let impression = try appImpression(id) else { throw Self.failure(.unknownImpression(id: RecordName.impression(id))) }
    let isForgotten = impression.isForgotten(at: context.now)
    if isForgotten { _ = try currentAds(context) }
    let view = impression.kept.impression
    let end = ViewEnd(
      ViewKey(view), of: impression.isDisplayed && !isForgotten ? view : nil, device: context.device, at: context.now)
    let judged = JudgedAd(end, view, presentation: impression.presentation, keepsInputs: Self.keepsInputs)
    if impression.isDisplayed, !isForgotten {
      // An ad of AdAttributionKit can be tapped after its view.
      if impression.framework == .skadnetwork {
        try removeView(impression.kept.id)
      } else {
        var ended = impression
        ended.endedAt = context.now
        try save(ended)
      }
    }
    return try apply(judged, to: id, context)
  }

  /// Ends the display of an ad whose view was recorded.
  private mutating func close(
    _ ad: AppImpression, _ recording: Int64, _ context: DeviceContext
  ) throws(Failure) -> ImpressionOutcome {
    var ended = ad
    ended.endedAt = context.now
    try save(ended)
    let event = ImpressionDecided(
      .impressionRecorded, impression: ad.kept.id, subject: ad.kept.impression.subject, interaction: .view, reasons: [],
      decision: nil)
    return ImpressionOutcome(kind: .recorded, event: event, signedText: nil, sequence: recording, at: context.now)
  }

  /// Records the views of ads that StoreKit has displayed for long enough.
  mutating func recordViews(of ads: [AppImpression], _ context: DeviceContext) throws(Failure) {
    var room = Browser.maximumImpressionCount - (try keptImpressionCount())
    var recorded: [KeptImpression] = []
    for ad in ads.sorted(by: { $0.kept.id < $1.kept.id }) {
      guard let countsAt = ad.countsAt else { continue }
      let view = ad.kept.impression
      var judged = JudgedAd(
        ViewEnd(ViewKey(view), of: view, device: context.device, at: countsAt), view, presentation: ad.presentation,
        keepsInputs: Self.keepsInputs)
      // No call is being answered, so the limit becomes the outcome of the ad.
      if room <= 0 { judged.decision = .reject(.tooManyImpressions(maximum: Browser.maximumImpressionCount)) }
      var counted = ad
      counted.recordedBy = try nextSequence()
      try save(counted)
      switch judged.decision {
      case .record(let impression, let notes):
        let event = judged.event(ad.kept.id, impression.interaction, notes)
        try append(event, at: context.now)
        recorded.append(KeptImpression(id: ad.kept.id, impression: impression))
        room -= 1
      case .reject(let rejection):
        try append(judged.event(ad.kept.id, nil, [rejection.reason]), at: context.now)
      case .open: break
      }
    }
    // The table is read once, because many ads can count at the same time.
    let before = try currentAds(context)
    var table = before
    for kept in recorded { try log(table.record(kept), at: context.now) }
    try replace(before, with: table)
  }

  private mutating func endView(
    again kept: KeptImpression, _ context: DeviceContext
  ) throws(Failure) -> ImpressionOutcome {
    let impression = kept.impression
    guard impression.sourceApp != nil else {
      throw Self.failure(.conflict("\(RecordName.impression(kept.id)) is a web ad, which has no view"))
    }
    let end = ViewEnd(ViewKey(impression), of: nil, device: context.device, at: context.now)
    let judged = JudgedAd(end, impression, presentation: .viewThrough, keepsInputs: Self.keepsInputs)
    return try apply(judged, to: kept.id, context)
  }

  /// Applies the decision about an ad.
  ///
  /// - Parameter number: The number of the ad; nil for a new ad.
  mutating func apply(
    _ judged: JudgedAd, to number: Int64?, _ context: DeviceContext
  ) throws(Failure) -> ImpressionOutcome {
    let id = if let number { number } else { try nextSequence() }
    switch judged.decision {
    case .reject(let rejection):
      let event = judged.event(id, nil, [rejection.reason], appleError: rejection.appleError)
      return judged.outcome(
        .rejected, try append(event, at: context.now), event, change: rejection.change)
    case .open(let view, let notes):
      let event = judged.event(id, nil, notes)
      let logged = try append(event, at: context.now)
      let before = try currentAds(context)
      var table = before
      try check(table.open.count, "displays")
      let kept = KeptImpression(id: id, impression: view)
      let replaced = table.begin(kept)
      try replace(before, with: table)
      try save(AppImpression(kept: kept, presentation: judged.presentation))
      if let reading = judged.reading { try save(reading, ofImpression: id) }
      try log(replaced, at: context.now)
      return judged.outcome(.started, logged, event)
    case .record(let impression, let notes):
      let event = judged.event(id, impression.interaction, notes)
      let logged = try append(event, at: context.now)
      try record(KeptImpression(id: id, impression: impression), context)
      return judged.outcome(.recorded, logged, event)
    }
  }

  /// Keeps an ad, and removes ads that count no longer.
  mutating func record(_ kept: KeptImpression, _ context: DeviceContext) throws(Failure) {
    let before = try currentAds(context)
    var table = before
    try check(table.kept.count, "keeps")
    let dropped = table.record(kept)
    try replace(before, with: table)
    try log(dropped, at: context.now)
  }

  /// Removes the ads that count no longer, with their events, and returns the others.
  ///
  /// - Parameter read: The ads, if they were read before.
  @discardableResult
  mutating func currentAds(_ context: DeviceContext, read: DeviceAds? = nil) throws(Failure) -> ImpressionTable {
    let ads = if let read { read } else { try deviceAds() }
    var table = ads.table
    let removals = table.removeExpired(at: context.now, on: context.device.system)
    try replace(ads.table, with: table)
    try log(removals, at: context.now)
    // An ended view has no event here: only a tap on it would have been too late. The oldest views make room.
    let ended = ads.ended.sorted { $0.kept.id < $1.kept.id }
    let room = max(Browser.maximumImpressionCount - 1 - table.open.count, 0)
    let (stale, current) = (ended.filter { $0.isForgotten(at: context.now) }, ended.filter { !$0.isForgotten(at: context.now) })
    for ad in stale + current.dropLast(room) { try removeView(ad.kept.id) }
    return table
  }

  /// Returns an ad that can be tapped.
  func tappableAd(_ id: Int64, at now: Instant) throws(Failure) -> AppImpression {
    if let ad = try appImpression(id), !ad.isForgotten(at: now) { return ad }
    if let kept = try keptImpression(id), kept.impression.framework == .skadnetwork {
      throw Self.failure(
        .conflict(
          "\(RecordName.impression(id)) is an ad of SKAdNetwork, in which StoreKit observes the tap; use AdAttributionKit for taps"
        ))
    }
    throw Self.failure(.unknownImpression(id: RecordName.impression(id)))
  }

  private func check(_ count: Int, _ verb: String) throws(Failure) {
    guard count < Browser.maximumImpressionCount else {
      throw Self.failure(
        .limitReached(
          "the device \(verb) \(Browser.maximumImpressionCount) ads, the maximum; let them expire, end their views, or clear "
            + "the data"))
    }
  }
}

/// The decision about an ad, with the inputs of its event.
struct JudgedAd {
  var decision: ImpressionDecision
  let evaluation: RuleEvaluation
  let subject: ImpressionSubject
  let signedText: String?
  let presentation: ImpressionPresentation
  /// The signed text of an ad of AdAttributionKit that an app displays or a user taps; nil for other decisions.
  var reading: JWSReading?

  /// Moves the decision about an ad that an app displays to an instant.
  ///
  /// - Parameter sourceIdentifier: Replaces the source identifier of an ad of SKAdNetwork that has one; nil for the identifier of the ad.
  mutating func move(to now: Instant, sourceIdentifier: Int?) {
    switch decision {
    case .open(let view, let notes): decision = .open(view.moved(to: now, sourceIdentifier), notes)
    case .record(let impression, let notes): decision = .record(impression.moved(to: now, sourceIdentifier), notes)
    case .reject: break
    }
  }

  func event(
    _ id: Int64, _ interaction: InteractionType?, _ reasons: [Reason], appleError: AppleError? = nil
  ) -> ImpressionDecided {
    let kind: EventKind =
      switch decision {
      case .open: .impressionStarted
      case .record: .impressionRecorded
      case .reject: .impressionRejected
      }
    return ImpressionDecided(
      kind, impression: id, subject: subject, interaction: interaction, reasons: reasons, appleError: appleError?.json ?? .null,
      decision: RecordedDecision(evaluation))
  }

  func outcome(
    _ kind: ImpressionOutcome.Kind, _ logged: (sequence: Int64, at: Instant), _ event: ImpressionDecided, change: String? = nil
  ) -> ImpressionOutcome {
    ImpressionOutcome(
      kind: kind, event: event, change: change, signedText: signedText, sequence: logged.sequence, at: logged.at)
  }
}

extension JudgedAd {
  /// Decides about an ad that an app displays.
  init(
    _ input: ImpressionInput, as presentation: ImpressionPresentation, in app: DeviceApp, keepsInputs: Bool,
    _ context: DeviceContext
  ) {
    if let jws = input.jws {
      self.init(
        AdAttributionKitAd(
          JWSReading(jws, networks: context.networks), input.handlesView ? .handleView : .beginView, in: app,
          device: context.device, at: context.now), as: presentation, keepsInputs: keepsInputs)
    } else {
      var evaluation = RuleEvaluation(of: DeviceRuleBook.skAdNetworkAd, keepsInputs: keepsInputs)
      let display = SKAdNetworkDisplay(
        input, as: presentation, in: app, networks: context.networks, device: context.device, at: context.now)
      let decision = display.decide(&evaluation)
      self.init(
        decision: decision, evaluation: evaluation, subject: display.subject, signedText: display.signedText,
        presentation: presentation)
    }
  }

  /// Decides about an ad of AdAttributionKit that an app displays or a user taps.
  init(_ ad: AdAttributionKitAd, as presentation: ImpressionPresentation, keepsInputs: Bool) {
    var evaluation = RuleEvaluation(of: DeviceRuleBook.adAttributionKitAd, keepsInputs: keepsInputs)
    let decision = ad.decide(&evaluation)
    self.init(
      decision: decision, evaluation: evaluation, subject: ad.subject, signedText: ad.signedText, presentation: presentation,
      reading: ad.reading)
  }

  /// Decides about the end of a view.
  fileprivate init(_ end: ViewEnd, _ view: AdImpression, presentation: ImpressionPresentation, keepsInputs: Bool) {
    var evaluation = RuleEvaluation(of: DeviceRuleBook.viewEnd, keepsInputs: keepsInputs)
    let decision = end.decide(&evaluation)
    self.init(
      decision: decision, evaluation: evaluation, subject: view.subject, signedText: nil, presentation: presentation)
  }
}

extension SKAdNetworkDisplay {
  fileprivate var subject: ImpressionSubject {
    ImpressionSubject(
      framework: .skadnetwork, sourceApp: app.bundleIdentifier, adNetworkIdentifier: ad.adNetworkIdentifier,
      advertisedAppStoreItemIdentifier: ad.advertisedAppStoreItemIdentifier)
  }
}

extension AdAttributionKitAd {
  fileprivate var subject: ImpressionSubject {
    ImpressionSubject(
      framework: .adattributionkit, sourceApp: app.bundleIdentifier, adNetworkIdentifier: adNetworkIdentifier,
      advertisedAppStoreItemIdentifier: advertisedAppStoreItemIdentifier)
  }
}

extension AdImpression {
  fileprivate func moved(to now: Instant, _ sourceIdentifier: Int?) -> AdImpression {
    var moved = self
    moved.recordedAt = now
    if let sourceIdentifier, case .skAdNetwork(var impression) = signed, case .source = impression.campaign {
      impression.campaign = .source(String(sourceIdentifier))
      moved.signed = .skAdNetwork(impression)
    }
    return moved
  }

  fileprivate var subject: ImpressionSubject {
    ImpressionSubject(
      framework: framework, sourceApp: sourceApp, adNetworkIdentifier: adNetworkIdentifier,
      advertisedAppStoreItemIdentifier: advertisedAppStoreItemIdentifier)
  }
}
