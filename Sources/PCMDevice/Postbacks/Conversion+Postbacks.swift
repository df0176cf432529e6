package import PCMCore
internal import PCMCrypto

extension Conversion {
  /// Returns the postbacks of a window, and the postbacks that are not sent. A window has the winner's postback and its copy.
  /// The first window also has the runners-up's postbacks in their order.
  ///
  /// - Parameters:
  ///   - app: The advertised app.
  ///   - draw: Returns the random values of a postback: 0 for the winner, 1 to 5 for the runners-up.
  package func postbacks(
    for order: PostbackPlan, app: DeviceApp, networks: AdNetworkRegistry, device: Device, draw: (_ place: Int) -> PostbackDraw
  ) -> (planned: [PlannedPostback], dropped: [PostbackDropped]) {
    var (planned, dropped): ([PlannedPostback], [PostbackDropped]) = ([], [])
    let ads = [winner] + (order.index == 0 ? runnersUp : [])
    for (place, kept) in ads.enumerated() {
      let ad = kept.impression
      guard let url = development?.url ?? networks[ad.adNetworkIdentifier]?.postbackURL.text else {
        dropped.append(PostbackDropped(order, of: kept, .networkRemoved(ad.adNetworkIdentifier, impression: kept.id)))
        continue
      }
      let crowd = development?.crowd(index: order.index) ?? (ad.isDevelopment ? .highest : crowd)
      guard let fields = PostbackFields(crowd, index: order.index, version: ad.version) else {
        dropped.append(PostbackDropped(order, of: kept, .lowestTier(impression: kept.id, index: order.index)))
        continue
      }
      let hasCopy = place == 0 && development == nil
      var postback = PlannedPostback(
        conversion: self, order: order, kept: kept, didWin: development?.didWin ?? (place == 0), crowd: crowd, fields: fields,
        draw: draw(place), system: device.system, copyAbsence: hasCopy ? copyAbsence(app, device) : nil,
        recipient: development == nil ? .adNetwork : .developer, url: url)
      planned.append(postback)
      guard hasCopy, postback.copyAbsence == nil, let site = app.copySite(ad.framework) else { continue }
      (postback.recipient, postback.url) = (.developer, ad.framework.copyURL(at: site))
      planned.append(postback)
    }
    return (planned, dropped)
  }

  /// The first system whose postbacks have a country (AdAttributionKit reference, section 13).
  package static let firstSystemWithCountry = OSVersion(18, 4)

  /// The first system that sends copies of SKAdNetwork postbacks.
  package static let firstSystemWithCopies = OSVersion(15)
}

extension PostbackDropped {
  fileprivate init(_ order: PostbackPlan, of kept: KeptImpression, _ reason: Violation) {
    self.init(conversion: order.conversion, impression: kept.id, index: order.index, reason)
  }
}

extension Violation {
  fileprivate static func networkRemoved(_ identifier: String, impression: Int64) -> Violation {
    Violation(
      "ad-network-not-registered",
      "\(identifier), the network of \(RecordName.impression(impression)), is no longer registered",
      change: "register \(identifier) with its public key and its postback URL")
  }

  fileprivate static func lowestTier(impression: Int64, index: Int) -> Violation {
    Violation(
      "lowest-tier", "in tier 0, \(RecordName.impression(impression)) has no postback \(index + 1)",
      change: "set a tier of 1 or more")
  }
}

extension RetryPolicy {
  /// Nine attempts within nine days (SKAdNetwork reference, section 9). The interval is not documented; here, it is one day.
  package static let postback = RetryPolicy(tries: 9, period: .days(9), backoff: Backoff(first: .days(1), longest: .days(1)))
}
