package import PCMCore

/// The installation of an app, for which the device looks for an ad (references, section 3).
package struct Install: Sendable {
  package let app: DeviceApp
  /// Whether the account had the app before.
  package let isRedownload: Bool
  /// The bundle identifier of the marketplace. `BundleIdentifier` checks it.
  package let marketplace: String
  /// The country of the account, or of the install verification token of another marketplace; nil if unknown. `CountryCode`
  /// checks it.
  package let country: String?
  /// The conversions of the app in the past, for its cooldowns.
  package let past: PastConversions
  package let device: Device
  package let now: Instant

  package init(
    _ app: DeviceApp, isRedownload: Bool = false, marketplace: String = Install.appStore, country: String?,
    past: PastConversions = PastConversions(), device: Device, at now: Instant
  ) {
    self.app = app
    self.isRedownload = isRedownload
    self.marketplace = marketplace
    self.country = country
    self.past = past
    self.device = device
    self.now = now
  }

  /// The marketplace identifier of the App Store.
  package static let appStore = "com.apple.AppStore"

  /// Chooses the ad that led to the install, and the runners-up, among the ads for the app. Ads for other apps are ignored.
  package func decide(among kept: [KeptImpression]) -> InstallDecision {
    let impressions = kept.filter { $0.impression.advertisedAppStoreItemIdentifier == app.itemIdentifier }
    let hasProduction = impressions.contains {
      !$0.impression.isDevelopment && InstallCandidate(kept: $0, install: self, hasProduction: false).isEligible
    }
    let candidates = impressions.map { InstallCandidate(kept: $0, install: self, hasProduction: hasProduction) }
    var verdicts = candidates.map { candidate in
      var evaluation = RuleEvaluation(of: DeviceRuleBook.installWinner)
      let rejection = evaluation.firstViolation(of: InstallCandidate.rules, to: candidate)
      return InstallVerdict(kept: candidate.kept, place: nil, rejection: rejection, evaluation: evaluation)
    }
    let ranked = verdicts.indices.filter { verdicts[$0].rejection == nil }.sorted {
      Self.precedes(impressions[$0], impressions[$1])
    }
    guard let winner = ranked.first else { return InstallDecision(verdicts: verdicts) }
    verdicts[winner].place = 1
    var networks: [String] = []
    for (offset, index) in ranked.dropFirst().enumerated() {
      var evaluation = RuleEvaluation(of: DeviceRuleBook.installRunnerUp)
      _ = evaluation.firstViolation(of: InstallCandidate.rules, to: candidates[index])
      let place = InstallPlace(
        kept: impressions[index], place: offset + 2, winner: impressions[winner], networks: networks, system: device.system)
      let rejection = evaluation.firstViolation(of: InstallPlace.rules, to: place)
      verdicts[index] = InstallVerdict(
        kept: impressions[index], place: place.place, rejection: rejection, evaluation: evaluation)
      if rejection == nil { networks.append(impressions[index].impression.adNetworkIdentifier) }
    }
    return InstallDecision(verdicts: verdicts)
  }

  /// Returns why no ad led to the install; nil if one did.
  package func absence(of decision: InstallDecision) -> Violation? {
    guard decision.winner == nil else { return nil }
    guard let item = app.itemIdentifier else {
      // Ads name apps by their identifier in the App Store, which an Info.plist does not contain.
      return Violation(
        "item-identifier-missing",
        "\(app.bundleIdentifier) is registered without an itemIdentifier, by which ads name the app",
        change: "register the app with the itemIdentifier that its ads advertise, and install it again")
    }
    guard !decision.verdicts.isEmpty else {
      return Violation(
        "no-impression", "the device keeps no ad for app \(item)",
        change: "display an ad for the app, and end its view or tap it, before the install")
    }
    let count = decision.verdicts.count
    return Violation(
      "no-impression-counts", count == 1 ? "the ad for the app does not count" : "none of \(count) ads for the app counts",
      change: "see the change of each ad")
  }

  /// The order of preference: clicks before views, then the most recent first. Of ads with the same time, the one that was
  /// recorded later comes first.
  private static func precedes(_ left: KeptImpression, _ right: KeptImpression) -> Bool {
    let (first, second) = (left.impression, right.impression)
    if first.interaction != second.interaction { return first.interaction == .click }
    return (first.recordedAt, left.id) > (second.recordedAt, right.id)
  }
}

/// The outcome of an install for each ad for the app that the device kept.
package struct InstallDecision: Hashable, Sendable {
  /// In the order of the ads.
  package let verdicts: [InstallVerdict]

  /// The ad that led to the install; nil if there is none.
  package var winner: KeptImpression? { verdicts.first { $0.place == 1 }?.kept }

  /// The ads of other networks that receive a postback, too, in their order.
  package var runnersUp: [KeptImpression] {
    let placed = verdicts.filter { $0.rejection == nil && $0.place ?? 1 > 1 }
    return placed.sorted { $0.place ?? 0 < $1.place ?? 0 }.map(\.kept)
  }

  /// The ads that were compared, also those after the sixth. They do not count for another install.
  package var compared: [Int64] { verdicts.filter { $0.place != nil }.map(\.kept.id) }

  /// Returns why an ad has its place before the next one, as a clause. Nil for the last of several, and for an ad that was not
  /// considered.
  package func standing(of verdict: InstallVerdict) -> String? {
    guard let place = verdict.place else { return nil }
    guard let next = verdicts.first(where: { $0.place == place + 1 }) else {
      return place == 1 ? "no other ad for the app counts" : nil
    }
    let (ad, other) = (verdict.kept.impression, next.kept.impression)
    let name = RecordName.impression(next.kept.id)
    if ad.interaction != other.interaction {
      return "it is a \(ad.interaction.rawValue), and \(name) is a \(other.interaction.rawValue)"
    }
    if ad.recordedAt > other.recordedAt { return "it is more recent than \(name)" }
    return "it was recorded after \(name), at the same time"
  }
}

/// Whether an ad won, is a runner-up, lost, or was not considered, and why.
package struct InstallVerdict: Hashable, Sendable {
  package let kept: KeptImpression
  /// 1 for the winner; nil for an ad that was not considered.
  package fileprivate(set) var place: Int?
  /// Why the ad has no postback; nil if it has one.
  package let rejection: Violation?
  /// The rules that decided. For the ads after the winner, those about their place follow.
  package let evaluation: RuleEvaluation

  /// The stable name of the outcome.
  package var outcome: String {
    guard let place else { return "not-considered" }
    return place == 1 ? "won" : rejection == nil ? "runner-up" : "lost"
  }
}
