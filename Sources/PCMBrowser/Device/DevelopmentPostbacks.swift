package import PCMCore
import PCMDevice
import PCMSignatures
import PCMStore

extension Browser {
  /// A developer creates a postback in the settings. It is sent at once; on a manual clock, with the next move.
  ///
  /// - Parameters:
  ///   - request: The request with its key; nil without one.
  package func create(
    _ input: DevelopmentPostbackInput, for request: KeyedRequest<Postback>? = nil
  ) async throws -> Postback {
    let input = input.withoutUserInformation
    return try await lock.sharing {
      let url = try input.checkedURL(world: world)
      let call = journaling.call(CallName.developmentPostback, input.json)
      let world = world
      let write = try decideOnDevice { context in
        submit(call, isTimed: true) { writer in
          let postback = try writer.create(input, to: url, world: world, context)
          try request?.finish(postback, in: writer)
          return postback
        }
      }
      return try await write.answer()
    }
  }
}

extension DevelopmentPostbackInput {
  /// Returns the URL of the call; nil without one.
  fileprivate func checkedURL(world: World) throws(BrowserError) -> WebURL? {
    var checker = InputChecker(world: world)
    checker.bundleIdentifier(marketplace, ["marketplace"])
    if let country, let error = CountryCode.error(in: country, ["country"]) { checker.problems.append(error) }
    if let conversionType, ConversionType(rawValue: conversionType) == nil {
      checker.problems.append(
        InputError(["conversionType"], "use \"download\", \"redownload\", or \"re-engagement\""))
    }
    if let coarseValue, ConversionValue.Coarse(rawValue: coarseValue) == nil {
      checker.problems.append(InputError(["coarseValue"], "use \"low\", \"medium\", or \"high\""))
    }
    let url = checker.url(url, ["url"])
    if let url, url.scheme != "https" {
      checker.problems.append(
        InputError(["url"], "a postback is sent over https; give an https URL", code: "postback-url-not-https"))
    }
    try checker.finish()
    return url
  }

  /// The postback with the properties of the call.
  fileprivate func postback(of app: DeviceApp, country: String?, to url: WebURL, _ context: DeviceContext)
    -> DevelopmentPostback
  {
    var postback = DevelopmentPostback(of: app, to: url, on: context.device, at: context.now)
    postback.type = conversionType.flatMap(ConversionType.init) ?? .download
    postback.interaction = interactionType ?? .click
    (postback.sourceIdentifier, postback.publisherItemIdentifier) = (sourceIdentifier, publisherItemIdentifier)
    postback.marketplace = marketplace ?? Install.appStore
    postback.country = self.country ?? country
    (postback.didWin, postback.sequenceIndex) = (didWin, Int(sequenceIndex))
    postback.values = ReportedValues(fine: fineValue, coarse: coarseValue.flatMap(ConversionValue.Coarse.init))
    postback.crowd = CrowdTiers(crowdTiers) ?? .highest
    return postback
  }
}

extension BrowserWriter {
  fileprivate func create(
    _ input: DevelopmentPostbackInput, to url: WebURL?, world: World, _ context: DeviceContext
  ) throws -> Postback {
    guard context.device.system >= DevelopmentPostback.firstSystem else {
      throw BrowserError.conflict(
        "Development Postbacks needs iOS \(DevelopmentPostback.firstSystem.text), and the device runs iOS "
          + "\(context.device.system.text); change systemVersion")
    }
    let installed = try installed(input.bundleIdentifier)
    let app =
      try deviceApp(input.bundleIdentifier, on: context.device)
      ?? DeviceApp(removed: input.bundleIdentifier, itemIdentifier: installed.itemIdentifier, on: context.device)
    guard let target = url ?? app.adAttribution.adAttributionKitCopyURL.flatMap({ world.url($0) }) else {
      throw BrowserError.invalidInput([
        InputError(
          ["url"], "the Info.plist of \(app.bundleIdentifier) has no AttributionCopyEndpoint; add it, or give a url",
          code: "copy-endpoint-missing")
      ])
    }
    let postback = input.postback(of: app, country: installed.country, to: target, context)
    return try schedule(postback, context)
  }

  /// Logs the ad, the conversion, and the postback that a developer made up, and saves the postback.
  private func schedule(_ postback: DevelopmentPostback, _ context: DeviceContext) throws -> Postback {
    let impression = try nextSequence()
    let order = PostbackOrder(
      conversion: impression + 1, index: postback.sequenceIndex, windowEnd: context.now, values: postback.values)
    let draw = context.postbackDraws(order)[0]
    guard let planned = postback.planned(conversion: order.conversion, impression: impression, draw: draw) else {
      throw BrowserError.invalidInput([
        InputError(
          ["crowdTiers"], "tier 0 has only the first postback; give a tier of 1 or more, or the sequenceIndex 0",
          code: "lowest-tier")
      ])
    }
    try append(.impressionRecorded(postback.ad(impression)), at: context.now)
    try append(.conversionStarted(postback.conversion(order.conversion, impression)), at: context.now)
    let saved = Postback(
      id: try nextSequence(), conversion: order.conversion, impression: impression, framework: .adattributionkit,
      sequenceIndex: order.index, didWin: postback.didWin, recipient: .developer,
      adNetworkIdentifier: DevelopmentPostback.adNetworkIdentifier, bundleIdentifier: postback.app.bundleIdentifier,
      url: planned.url, body: try developmentBody(of: planned, context), message: OutgoingMessage(dueAt: planned.dueAt))
    try save(saved)
    try append(.postbackScheduled(PostbackScheduled(saved, omissions: planned.omissions)), at: context.now)
    return saved
  }
}

extension DevelopmentPostback {
  fileprivate func ad(_ impression: Int64) -> ImpressionDecided {
    ImpressionDecided(
      impression: impression,
      subject: ImpressionSubject(
        framework: .adattributionkit, sourceApp: nil, adNetworkIdentifier: Self.adNetworkIdentifier,
        advertisedAppStoreItemIdentifier: advertisedItemIdentifier), interaction: interaction,
      reasons: [ImpressionNote.development.reason], decision: nil)
  }

  fileprivate func conversion(_ id: Int64, _ impression: Int64) -> ConversionStarted {
    ConversionStarted(
      conversion: id, bundleIdentifier: app.bundleIdentifier, type: type.rawValue, impression: impression, runnersUp: [],
      tag: nil, timing: ConversionTiming.developerMode.rawValue, windowStart: ConversionWindowStart.firstUpdate.rawValue,
      windowCount: 1, crowdTiers: crowd.json, decision: nil)
  }
}
