import PCMCore
import PCMCrypto
import PCMDevice
import PCMStore

extension DeviceState {
  /// Decides about a tap on an ad of AdAttributionKit: for an app that is installed it may be a re-engagement, and otherwise a
  /// click that an install can follow.
  mutating func tap(
    _ impression: AppImpression, _ input: ImpressionTapInput, _ context: DeviceContext
  ) throws(Failure) -> ImpressionOutcome {
    let view = impression.kept.impression
    guard impression.framework == .adattributionkit else {
      throw Self.failure(
        .conflict(
          "\(RecordName.impression(impression.kept.id)) is a view-through ad of SKAdNetwork, which has no taps; display the ad "
            + "as storekit-rendered"))
    }
    let reading = try reading(ofImpression: impression.kept.id, context.networks)
    let app = try registeredApp(view.sourceApp ?? "", context)
    let judged = JudgedAd(
      AdAttributionKitAd(
        reading, impression.presentation == .storeKitRendered ? .storeKitTap : .tap(input, createdAt: view.recordedAt), in: app,
        device: context.device, at: context.now), as: impression.presentation, keepsInputs: Self.keepsInputs)
    guard case .record(let click, let notes) = judged.decision,
      let installed = try installedApp(withItem: click.advertisedAppStoreItemIdentifier),
      let advertised = try deviceApp(installed.bundleIdentifier, on: context.device)
    else { return try apply(judged, to: nil, context) }
    return try open(installed, advertised, by: click, judged, notes, input, context)
  }

  /// Opens an installed app by a tap.
  private mutating func open(
    _ installed: InstalledApp, _ app: DeviceApp, by click: AdImpression, _ judged: JudgedAd, _ notes: [Reason],
    _ input: ImpressionTapInput, _ context: DeviceContext
  ) throws(Failure) -> ImpressionOutcome {
    let id = try nextSequence()
    let drawNumber = nextDrawNumber()
    let url = input.reengagementURL.map {
      ReengagementURL($0, isUniversalLink: input.isUniversalLink ?? input.canBeUniversalLink)
    }
    let conversion = id + 1
    let tap = ReengagementTap(
      click, of: app, url: url, tag: context.conversionTag(drawNumber), past: installed.conversions.past,
      country: installed.country, device: context.device, at: context.now)
    var evaluation = RuleEvaluation(of: DeviceRuleBook.reengagement, keepsInputs: Self.keepsInputs)
    let decision = tap.decide(&evaluation)
    let reasons = [decision.rejection?.reason, decision.note].compactMap { $0 } + notes
    let event = ImpressionDecided(
      .impressionTapped, impression: id, subject: judged.subject, interaction: .click, reasons: reasons,
      decision: RecordedDecision(evaluation))
    let logged = try append(
      ImpressionTapped(
        event, openedApp: app.bundleIdentifier, conversion: decision.rejection == nil ? conversion : nil), at: context.now)
    var outcome = judged.outcome(
      decision.rejection == nil ? .reengaged : .opened, logged, event, change: decision.rejection?.change)
    outcome.openedURL = decision.openedURL
    var opened = installed
    opened.launchedAt = opened.launchedAt ?? context.now
    let actions = opened.conversions.launch(at: context.now)
    guard decision.rejection == nil else {
      try perform(actions, of: opened, context)
      return outcome
    }
    outcome.conversion = conversion
    var begun = Conversion(id: conversion, impression: id, tap, crowd: input.crowdTiers)
    begun.drawNumber = drawNumber
    try begin(begun, of: opened, app, decision: RecordedDecision(evaluation), after: actions, context)
    return outcome
  }

  /// Begins a conversion, which may end an older conversion.
  ///
  /// - Parameter earlier: The actions after the launch of the app just before.
  mutating func begin(
    _ conversion: Conversion, of installed: InstalledApp, _ app: DeviceApp, decision: RecordedDecision?,
    after earlier: [ConversionAction] = [], _ context: DeviceContext
  ) throws(Failure) {
    guard installed.conversions.pending.count < InstalledApp.maximumConversionCount else {
      throw Self.failure(
        .limitReached(
          "\(app.bundleIdentifier) has \(InstalledApp.maximumConversionCount) pending conversions, the maximum; advance the "
            + "clock until their windows end, or clear the data"))
    }
    try append(ConversionStarted(conversion, of: app.bundleIdentifier, decision), at: context.now)
    var changed = installed
    let actions = changed.conversions.begin(conversion, of: app, on: context.device)
    try perform(earlier + actions, of: changed, context)
  }
}

extension ConversionStarted {
  init(_ conversion: Conversion, of bundleIdentifier: String, _ decision: RecordedDecision?) {
    self.init(
      conversion: conversion.id, bundleIdentifier: bundleIdentifier, type: conversion.type.rawValue,
      impression: conversion.winner.id, runnersUp: conversion.runnersUp.map(\.id), tag: conversion.tag,
      timing: conversion.timing.rawValue, windowStart: conversion.windowStart.rawValue, windowCount: conversion.windowCount,
      crowdTiers: conversion.crowd.json, decision: decision)
  }
}
