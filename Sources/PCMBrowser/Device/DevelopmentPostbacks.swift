package import PCMCore
import PCMCrypto
package import PCMDevice
import PCMStore

/// The development postbacks that a call created, sent, or cleared.
package struct DevelopmentPostbacks: Hashable, Sendable {
  /// The conversions that wait for values, or that were cleared.
  package var conversions: [Conversion] = []
  package var postbacks: [Postback] = []
  /// Whether the call creates one postback, which is its answer.
  package var isOne = false
}

extension DevelopmentPostbacks: OperationOutcome {
  /// The postback alone for a call that creates one.
  package var json: JSON {
    if isOne, let postback = postbacks.first { return postback.json }
    return [
      "conversions": .array(conversions.map(\.json)),
      "postbacks": .array(postbacks.map(\.json)),
    ]
  }
}

/// A developer creates postbacks in the settings. On a manual clock, immediate postbacks leave with the next move.
extension DevelopmentPostbackInput: DecidedOperation {
  package func decision(on _: String?, in browser: Browser) throws(BrowserError) -> Decision<DevelopmentPostbacks> {
    let environment = browser.environment
    let url = try checkedURL(environment: environment)
    return .onDevice { try $0.create(self, to: url, environment: environment, $1) }
  }
}

/// A developer sends the postbacks of the settings whose windows ended, or that the app locked. On a manual clock, they leave with
/// the next move.
extension SendDevelopmentPostbacksInput: DecidedOperation {
  package static let status = 200

  package func decision(on _: String?, in _: Browser) throws(BrowserError) -> Decision<DevelopmentPostbacks> {
    Decision { try $0.sendDevelopmentPostbacks(at: $1.now) }
  }
}

/// A developer clears the postbacks that were not sent, and the conversions that wait for values.
extension ClearDevelopmentPostbacksInput: DecidedOperation {
  package static let status = 200

  package func decision(on _: String?, in _: Browser) throws(BrowserError) -> Decision<DevelopmentPostbacks> {
    .onDevice { try $0.clearDevelopmentPostbacks($1) }
  }
}

extension DevelopmentPostbackInput {
  /// Returns the URL of the call; nil without one.
  fileprivate func checkedURL(environment: BrowserEnvironment) throws(BrowserError) -> WebURL? {
    var checker = InputChecker(environment: environment)
    checker.bundleIdentifier(marketplace, ["marketplace"])
    if let country, let error = CountryCode.error(in: country, ["country"]) { checker.problems.append(error) }
    if let conversionType, ConversionType(rawValue: conversionType) == nil {
      checker.problems.append(
        InputError(["conversionType"], "use \"download\", \"redownload\", or \"re-engagement\""))
    }
    if conversionType == ConversionType.reengagement.rawValue, interactionType == .view {
      checker.problems.append(
        InputError(
          ["interactionType"], "a re-engagement follows a tap; use \"click\", or another conversionType", .conflictingMembers))
    }
    if let coarseValue, ConversionValue.Coarse(rawValue: coarseValue) == nil {
      checker.problems.append(InputError(["coarseValue"], "use \"low\", \"medium\", or \"high\""))
    }
    if let windows, ![1, 3].contains(windows) {
      checker.problems.append(InputError(["windows"], "use 1 or 3: a conversion has one or three windows", .outOfRange))
    }
    if sequenceIndex > 0, isOfConversion {
      checker.problems.append(
        InputError(
          ["sequenceIndex"], "the windows begin with the first one; remove sequenceIndex, or windows and send",
          .conflictingMembers))
    }
    let url = checker.url(url, ["url"])
    if let url, url.scheme != "https" {
      checker.problems.append(
        InputError(["url"], "a postback is sent over https; give an https URL", code: "postback-url-not-https"))
    }
    try checker.finish()
    return url
  }

  /// Whether the call is about a conversion with its windows, and not about one postback.
  fileprivate var isOfConversion: Bool { windows != nil || send == .later }

  /// The conversion of the postbacks. No postback has the identifier or the time of its ad.
  fileprivate func conversion(
    of app: DeviceApp, country: String?, to url: WebURL, impression: Int64, _ context: DeviceContext
  ) -> Conversion {
    let second = secondCrowdTiers ?? crowdTiers
    var development = DevelopmentPostback(
      url: url.text, didWin: didWin,
      crowds: [crowdTiers, second, thirdCrowdTiers ?? second])
    development.isDueAtOnce = send == .now
    let signed = AdAttributionKitImpression(
      impressionIdentifier: "00000000-0000-0000-0000-000000000000", publisherItemIdentifier: publisherItemIdentifier,
      adNetworkIdentifier: DevelopmentPostback.adNetworkIdentifier, sourceIdentifier: sourceIdentifier,
      advertisedItemIdentifier: app.signing == .store ? app.itemIdentifier ?? 0 : 0,
      timestamp: max(context.now.milliseconds, SignedTime.range.lowerBound))
    let ad = AdImpression(
      signed: .adAttributionKit(signed), interaction: interactionType ?? .click, sourceApp: nil, sourceSDK: nil,
      isDevelopment: true, recordedAt: context.now)
    return Conversion(
      id: impression + 1, type: conversionType.flatMap(ConversionType.init) ?? .download,
      of: KeptImpression(id: impression, impression: ad), marketplace: marketplace ?? Install.appStore,
      country: self.country ?? country, tag: conversionTag, windowCount: Int(windows ?? 1), values: values, development,
      on: context.device)
  }

  fileprivate var values: ReportedValues {
    ReportedValues(fine: fineValue, coarse: coarseValue.flatMap(ConversionValue.Coarse.init))
  }
}

extension StoredDevice {
  fileprivate mutating func create(
    _ input: DevelopmentPostbackInput, to url: WebURL?, environment: BrowserEnvironment, _ context: DeviceContext
  ) throws -> DevelopmentPostbacks {
    guard context.device.system >= DevelopmentPostback.firstSystem else {
      throw BrowserError.conflict(
        "Development Postbacks needs iOS \(DevelopmentPostback.firstSystem.text), and the device runs iOS "
          + "\(context.device.system.text); change systemVersion")
    }
    let installed = try installed(input.bundleIdentifier)
    let app = try deviceApp(installed, on: context.device)
    guard let recipient = url ?? app.adAttribution.adAttributionKitCopyURL.flatMap({ environment.url($0) }) else {
      throw BrowserError.invalidInput([
        InputError(
          ["url"], "the Info.plist of \(app.bundleIdentifier) has no AttributionCopyEndpoint; add it, or give a url",
          code: "copy-endpoint-missing")
      ])
    }
    guard PostbackFields(input.crowdTiers, index: Int(input.sequenceIndex)) != nil else {
      throw BrowserError.invalidInput([
        InputError(
          ["crowdTiers"], "tier 0 has only the first postback; give a tier of 1 or more, or the sequenceIndex 0",
          code: "lowest-tier")
      ])
    }
    var conversion = input.conversion(
      of: app, country: installed.country, to: recipient, impression: try nextSequence(), context)
    conversion.drawNumber = nextDrawNumber()
    try append(ImpressionDecided(creating: conversion.winner), at: context.now)
    if input.send == .later {
      try begin(conversion, of: installed, app, decision: nil, context)
      return DevelopmentPostbacks(conversions: [conversion])
    }
    try append(ConversionStarted(conversion, of: app.bundleIdentifier, nil), at: context.now)
    let indices = input.windows.map { 0..<Int($0) } ?? Int(input.sequenceIndex)..<Int(input.sequenceIndex) + 1
    let first = try nextSequence()
    for index in indices {
      let order = PostbackPlan(conversion: conversion.id, index: index, windowEnd: context.now, values: input.values)
      try schedule(order, of: conversion, installed, context)
    }
    return DevelopmentPostbacks(
      postbacks: try writer.postbacks(in: nil, after: first - 1, limit: .max), isOne: !input.isOfConversion)
  }

  fileprivate mutating func clearDevelopmentPostbacks(_ context: DeviceContext) throws -> DevelopmentPostbacks {
    var answer = DevelopmentPostbacks()
    for var app in try writer.installedApps(after: "", limit: .max) {
      let removed = app.conversions.removeDevelopment()
      guard !removed.isEmpty else { continue }
      answer.conversions += removed.filter { !$0.isFinished }
      try perform(removed.flatMap(\.clearing), of: app, context)
    }
    let underWay = try writer.postbacks(in: .sending, after: 0, limit: .max)
    let unsent = try writer.postbacks(in: .scheduled, after: 0, limit: .max) + underWay
    for var postback in unsent.filter(\.isDevelopment) {
      _ = try writer.apply(.cleared, to: &postback, at: context.now)
      answer.postbacks.append(postback)
    }
    return answer
  }
}

extension BrowserWriter {
  fileprivate func sendDevelopmentPostbacks(at now: Instant) throws -> DevelopmentPostbacks {
    let apps = try installedApps(after: "", limit: .max)
    var sent = try postbacks(in: .scheduled, after: 0, limit: .max).filter {
      $0.isDevelopment && $0.attemptCount == 0 && $0.dueAt > now
    }
    for index in sent.indices {
      sent[index].message.move(dueAt: now)
      try save(sent[index])
      try append(PostbackScheduled(sent[index]), at: now)
    }
    return DevelopmentPostbacks(
      conversions: apps.flatMap { $0.conversions.pending.filter { $0.development != nil } }, postbacks: sent)
  }
}

extension Postback {
  /// Whether a developer created the postback in the settings.
  var isDevelopment: Bool {
    recipient == .developer && adNetworkIdentifier == DevelopmentPostback.adNetworkIdentifier
  }
}

extension ImpressionDecided {
  /// The ad of a conversion that a developer created in the settings.
  fileprivate init(creating ad: KeptImpression) {
    self.init(
      .impressionRecorded, impression: ad.id,
      subject: ImpressionSubject(
        framework: .adattributionkit, sourceApp: nil, adNetworkIdentifier: ad.impression.adNetworkIdentifier,
        advertisedAppStoreItemIdentifier: ad.impression.advertisedAppStoreItemIdentifier),
      interaction: ad.impression.interaction, reasons: [AdImpression.developmentNote], decision: nil)
  }
}
