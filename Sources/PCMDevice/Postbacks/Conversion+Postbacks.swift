package import PCMCore
internal import PCMCrypto

extension Conversion {
  /// Returns the postbacks of a window: the winner's with its copy, and with the first window the runners-up's postbacks.
  ///
  /// - Parameters:
  ///   - app: The advertised app.
  ///   - draw: Returns the random values of a postback: 0 for the winner, 1 to 5 for the runners-up.
  package func postbacks(
    for order: PostbackOrder, app: DeviceApp, networks: AdNetworkRegistry, device: Device, draw: (_ place: Int) -> PostbackDraw
  ) -> PostbackDecision {
    if let development { return decision(for: order, development, device: device, draw: draw(0)) }
    var (planned, withheld): ([PlannedPostback], [WithheldPostback]) = ([], [])
    let losers = order.index == 0 ? runnersUp : []
    for (place, kept) in ([winner] + losers).enumerated() {
      let plan = PostbackPlan(
        conversion: self, order: order, kept: kept, didWin: place == 0,
        crowd: kept.impression.isDevelopment ? .highest : crowd, draw: draw(place),
        system: device.system)
      guard let network = networks[kept.impression.adNetworkIdentifier] else {
        let identifier = kept.impression.adNetworkIdentifier
        let reason = Violation(
          "ad-network-not-registered",
          "\(identifier), the network of \(RecordName.impression(kept.id)), is no longer registered",
          change: "register \(identifier) with its public key and its postback URL")
        withheld.append(WithheldPostback(impression: kept.id, reason: reason))
        continue
      }
      guard let content = plan.content else {
        withheld.append(.lowestTier(impression: kept.id, index: order.index))
        continue
      }
      let copyAbsence = place == 0 ? copyAbsence(app, device) : nil
      let omissions = plan.omissions(in: content, copy: copyAbsence)
      planned.append(plan.postback(content, omissions, to: .adNetwork(network.identifier), at: network.postbackURL.text))
      if place == 0, copyAbsence == nil, let site = app.copySite(kept.impression.framework) {
        let url = kept.impression.framework.copyURL(at: site)
        planned.append(plan.postback(content, omissions, to: .developer(site), at: url))
      }
    }
    return PostbackDecision(planned: planned, withheld: withheld)
  }

  /// Returns the postback of a window of a conversion that a developer created in the settings.
  private func decision(
    for order: PostbackOrder, _ development: DevelopmentPostback, device: Device, draw: PostbackDraw
  ) -> PostbackDecision {
    let plan = PostbackPlan(
      conversion: self, order: order, kept: winner, didWin: development.didWin, crowd: development.crowd(index: order.index),
      draw: draw, system: device.system)
    guard let content = plan.content else {
      return PostbackDecision(planned: [], withheld: [.lowestTier(impression: winner.id, index: order.index)])
    }
    let omissions = plan.omissions(in: content, copy: nil)
    return PostbackDecision(
      planned: [plan.postback(content, omissions, to: .developer(development.site), at: development.url)], withheld: [])
  }

  /// The first system whose postbacks have a country (AdAttributionKit reference, section 13).
  package static let firstSystemWithCountry = OSVersion(18, 4)

  /// The first system that sends copies of SKAdNetwork postbacks.
  package static let firstSystemWithCopies = OSVersion(15)
}

/// One postback of a window.
struct PostbackPlan {
  let conversion: Conversion
  let order: PostbackOrder
  let kept: KeptImpression
  let didWin: Bool
  let crowd: CrowdTiers
  let draw: PostbackDraw
  let system: OSVersion

  func postback(
    _ content: PlannedPostback.Content, _ omissions: [PostbackOmission], to recipient: PlannedPostback.Recipient, at url: String
  ) -> PlannedPostback {
    let delay =
      conversion.development?.delay
      ?? conversion.timing.delay(index: order.index, version: kept.impression.version)
    return PlannedPostback(
      conversion: conversion.id, impression: kept.id, content: content, omissions: omissions, recipient: recipient, url: url,
      dueAt: order.windowEnd + delay.interval(draw.delay), isDevelopment: kept.impression.isDevelopment)
  }

  /// The values of the postback; nil if its tier has none.
  var content: PlannedPostback.Content? {
    switch kept.impression.signed {
    case .skAdNetwork(let signed) where signed.version < .v4: .skAdNetwork(early(signed))
    case .skAdNetwork(let signed): fields.map { .skAdNetwork(version4(signed, $0)) }
    case .adAttributionKit(let signed): fields.map { .adAttributionKit(adAttributionKit(signed, $0)) }
    }
  }

  var fields: PostbackFields? { PostbackFields(crowd, index: order.index) }

  /// Versions 1.0 to 3.0, with one privacy threshold instead of tiers.
  private func early(_ signed: SKAdNetworkImpression) -> SKAdNetworkPostback {
    let isAboveThreshold = didWin && crowd.meetsThreshold && signed.version > .v1
    return SKAdNetworkPostback(
      version: signed.version, adNetworkIdentifier: signed.adNetworkIdentifier, campaign: signed.campaign,
      itemIdentifier: signed.itemIdentifier, transactionIdentifier: draw.identifier,
      isRedownload: conversion.type == .redownload, source: isAboveThreshold ? signed.source : nil, fidelity: signed.fidelity,
      didWin: signed.version >= .v3 ? didWin : nil,
      conversionValue: isAboveThreshold ? order.values.fine.map { .fine($0) } : nil)
  }

  private func version4(_ signed: SKAdNetworkImpression, _ fields: PostbackFields) -> SKAdNetworkPostback {
    SKAdNetworkPostback(
      version: signed.version, adNetworkIdentifier: signed.adNetworkIdentifier,
      campaign: signed.campaign.shortened(to: fields.digits), itemIdentifier: signed.itemIdentifier,
      transactionIdentifier: draw.identifier, isRedownload: conversion.type == .redownload,
      source: didWin && fields.hasSource ? signed.source : nil, fidelity: signed.fidelity, didWin: didWin,
      sequenceIndex: Int64(order.index), conversionValue: value(fields),
      countryCode: country(fields))
  }

  private func adAttributionKit(_ signed: AdAttributionKitImpression, _ fields: PostbackFields) -> AdAttributionKitPostback {
    AdAttributionKitPostback(
      postbackIdentifier: draw.identifier.uppercased(), sequenceIndex: Int64(order.index),
      adNetworkIdentifier: signed.adNetworkIdentifier,
      sourceIdentifier: PostbackFields.lastDigits(fields.digits, of: String(signed.sourceIdentifier)),
      advertisedItemIdentifier: signed.advertisedItemIdentifier, conversionType: conversion.type, didWin: didWin,
      publisherItemIdentifier: didWin && fields.hasSource ? signed.publisherItemIdentifier : nil,
      marketplaceIdentifier: fields.hasMarketplace ? conversion.marketplace : nil, conversionValue: value(fields),
      interactionType: kept.impression.interaction, countryCode: country(fields))
  }

  private func country(_ fields: PostbackFields) -> String? {
    fields.hasCountry && system >= Conversion.firstSystemWithCountry ? conversion.country : nil
  }

  /// The reported value; nil for runners-up, which never have one.
  private func value(_ fields: PostbackFields) -> ConversionValue? {
    guard didWin else { return nil }
    if fields.hasFineValue { return order.values.fine.map { .fine($0) } }
    return fields.hasCoarseValue ? order.values.coarse.map { .coarse($0) } : nil
  }
}

extension CampaignIdentifier {
  fileprivate func shortened(to digits: Int) -> CampaignIdentifier {
    guard case .source(let identifier) = self else { return self }
    return .source(PostbackFields.lastDigits(digits, of: identifier))
  }
}

extension RetryPolicy {
  /// Nine attempts within nine days (SKAdNetwork reference, section 9). Their spacing is not documented: one a day.
  package static let postback = RetryPolicy(tries: 9, period: .days(9), backoff: Backoff(first: .days(1), longest: .days(1)))
}
