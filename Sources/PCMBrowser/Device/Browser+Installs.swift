package import PCMCore
import PCMCrypto
import PCMDevice
import PCMStore

extension Browser {
  /// The maximum number of apps that are installed on a device.
  package static let maximumInstalledAppCount = 1_000
}

/// A user installs an app.
extension InstallInput: DecidedOperation {
  package func decision(on _: String?, in browser: Browser) throws(BrowserError) -> Decision<InstallOutcome> {
    try check(InputChecker(environment: browser.environment))
    return .onDevice { try $0.install($0.registeredApp(bundleIdentifier, $1), self, $1) }
  }
}

/// A user opens an app.
extension LaunchInput: DecidedOperation {
  package func decision(on _: String?, in browser: Browser) throws(BrowserError) -> Decision<LaunchOutcome> {
    .onDevice { try $0.launch(bundleIdentifier, $1) }
  }
}

/// An app reports a conversion value.
extension ConversionValueInput: DecidedOperation {
  package func decision(on _: String?, in browser: Browser) throws(BrowserError) -> Decision<ConversionValueOutcome> {
    try check()
    return .onDevice { try $0.report(self, $1) }
  }
}

extension InstallInput {
  func check(_ inputChecker: InputChecker) throws(BrowserError) {
    var checker = inputChecker
    checker.bundleIdentifier(marketplace, ["marketplace"])
    if let country, let error = CountryCode.error(in: country, ["country"]) { checker.problems.append(error) }
    try checker.finish()
  }
}

extension ConversionValueInput {
  /// A fine value out of range is the app's error and not the caller's.
  func check() throws(BrowserError) {
    var errors: [InputError] = []
    if let coarseValue, ConversionValue.Coarse(rawValue: coarseValue) == nil {
      errors.append(InputError(["coarseValue"], "use \"low\", \"medium\", or \"high\""))
    }
    if let conversionTypes, conversionTypes.isEmpty || !conversionTypes.allSatisfy(Self.types.contains) {
      errors.append(InputError(["conversionTypes"], "give \"install\", \"reengagement\", or both"))
    }
    if framework == .skadnetwork {
      if conversionTypes != nil {
        errors.append(
          InputError(
            ["conversionTypes"],
            "only calls of AdAttributionKit have types; add \"framework\": \"adattributionkit\", or remove conversionTypes"))
      }
      if conversionTag != nil {
        errors.append(
          InputError(
            ["conversionTag"],
            "only calls of AdAttributionKit have a tag; add \"framework\": \"adattributionkit\", or remove conversionTag"))
      }
    }
    if fineValue == nil, framework == .adattributionkit {
      errors.append(
        InputError(["fineValue"], "every call of AdAttributionKit has a fine value, from 0 to 63; only skadnetwork registers")
      )
    } else if fineValue == nil, coarseValue == nil, lockWindow {
      errors.append(InputError(["lockWindow"], "a registration locks no window; give a value, too"))
    }
    guard errors.isEmpty else { throw .invalidInput(errors) }
  }
}

extension DeviceState {
  /// Returns an installed app that a call names.
  func installed(_ bundleIdentifier: String) throws(Failure) -> InstalledApp {
    if let app = try installedApp(bundleIdentifier) { return app }
    throw Self.failure(
      .invalidInput([
        InputError(
          ["bundleIdentifier"], "\(bundleIdentifier) is not installed on this device; POST it to …/installs first",
          code: "app-not-installed")
      ]))
  }

  mutating func install(
    _ app: DeviceApp, _ input: InstallInput, _ context: DeviceContext
  ) throws(Failure) -> InstallOutcome {
    let earlier = try installedApp(app.bundleIdentifier)
    let install = Install(
      app, isRedownload: input.redownload ?? (earlier != nil), marketplace: input.marketplace ?? Install.appStore,
      country: input.country ?? context.device.country, past: earlier?.conversions.past ?? PastConversions(),
      device: context.device, at: context.now, keepsInputs: Self.keepsInputs)
    if earlier == nil, try installedAppCount() >= Browser.maximumInstalledAppCount {
      throw Self.failure(
        .limitReached(
          "the device has \(Browser.maximumInstalledAppCount) installed apps, the maximum; clear the data first"))
    }
    try removeTracking(of: app.bundleIdentifier)
    let ads = try deviceAds()
    let decision = install.decide(among: ads.table.kept)
    let conversion = decision.winner == nil ? nil : try nextSequence() + 1
    let logged = try append(AppInstalled(decision, conversion: conversion), at: context.now)
    let outcome = InstallOutcome(decision: decision, conversion: conversion, sequence: logged.sequence, at: logged.at)
    var installed = InstalledApp(
      bundleIdentifier: app.bundleIdentifier, itemIdentifier: app.itemIdentifier, installedAt: context.now,
      country: install.country, conversions: earlier?.conversions ?? AppConversions())
    if let conversion, var begun = Conversion(id: conversion, decision, crowd: input.crowdTiers) {
      begun.drawNumber = nextDrawNumber()
      let winner = decision.candidates.first { $0.place == 1 }
      try begin(begun, of: installed, app, decision: winner.map { RecordedDecision($0.evaluation) }, context)
    } else {
      installed.conversions.removeAllFinished()
      try save(installed)
    }
    for candidate in decision.candidates { try append(ImpressionCompared(candidate, in: outcome), at: context.now) }
    let current = try currentAds(context, read: ads)
    if let conversion {
      var table = current
      let used = table.remove(decision.compared, after: conversion)
      try replace(current, with: table)
      try log(used, at: context.now)
    }
    return outcome
  }

  mutating func launch(_ bundleIdentifier: String, _ context: DeviceContext) throws(Failure) -> LaunchOutcome {
    var app = try installed(bundleIdentifier)
    let isFirst = app.launchedAt == nil
    app.launchedAt = app.launchedAt ?? context.now
    let logged = try append(AppLaunched(bundleIdentifier: bundleIdentifier), at: context.now)
    let actions = app.conversions.launch(at: context.now)
    try perform(actions, of: app, context)
    return LaunchOutcome(bundleIdentifier: bundleIdentifier, isFirst: isFirst, sequence: logged.sequence, at: logged.at)
  }

  mutating func report(
    _ update: ConversionValueInput, _ context: DeviceContext
  ) throws(Failure) -> ConversionValueOutcome {
    let bundleIdentifier = update.bundleIdentifier
    var app = try installed(bundleIdentifier)
    let caller = try deviceApp(app, on: context.device)
    let sequence = try nextSequence()
    app.launchedAt = app.launchedAt ?? context.now
    let outcome = app.conversions.update(
      update, by: caller, on: context.device, at: context.now, keepsInputs: Self.keepsInputs)
    try perform(outcome.actions, of: app, context, call: update, outcome: outcome)
    let effects = outcome.actions.filter { action in
      switch action {
      case .accept, .reject: true
      case .schedule, .drop: false
      }
    }
    return ConversionValueOutcome(
      effects: effects, bundleIdentifier: bundleIdentifier, sequence: sequence, at: context.now)
  }
}

extension AppInstalled {
  fileprivate init(_ decision: InstallDecision, conversion: Int64?) {
    let install = decision.install
    self.init(
      bundleIdentifier: install.app.bundleIdentifier, itemIdentifier: install.app.itemIdentifier,
      isRedownload: install.isRedownload, marketplace: install.marketplace, country: install.country,
      conversion: conversion, reasons: [decision.absence?.reason].compactMap { $0 })
  }
}

extension ImpressionCompared {
  fileprivate init(_ candidate: InstallCandidate, in outcome: InstallOutcome) {
    self.init(
      impression: candidate.kept.id, install: outcome.sequence, bundleIdentifier: outcome.decision.install.app.bundleIdentifier,
      conversion: outcome.conversion, outcome: candidate.outcome, place: candidate.place.map { Int64($0) },
      standing: outcome.decision.standing(of: candidate), reasons: [candidate.rejection?.reason].compactMap { $0 },
      decision: RecordedDecision(candidate.evaluation))
  }
}
