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
      !$0.impression.isDevelopment && InstallCandidate($0, install: self, hasProduction: false).isEligible
    }
    var verdicts = impressions.map { kept in
      var evaluation = RuleEvaluation(of: DeviceRuleBook.installWinner)
      let reason = InstallCandidate(kept, install: self, hasProduction: hasProduction).decide(&evaluation)
      return InstallVerdict(kept: kept, outcome: reason.map { .notConsidered($0) } ?? .won, evaluation: evaluation)
    }
    let ranked = verdicts.indices.filter { verdicts[$0].outcome == .won }.sorted {
      Self.precedes(impressions[$0], impressions[$1])
    }
    guard let winner = ranked.first else { return InstallDecision(verdicts: verdicts) }
    var networks: [String] = []
    for (offset, index) in ranked.dropFirst().enumerated() {
      var evaluation = RuleEvaluation(of: DeviceRuleBook.installRunnerUp)
      _ = InstallCandidate(impressions[index], install: self, hasProduction: hasProduction).decide(&evaluation)
      let place = InstallPlace(
        kept: impressions[index], place: offset + 2, winner: impressions[winner], networks: networks, system: device.system)
      let reason = place.decide(&evaluation)
      verdicts[index] = InstallVerdict(
        kept: impressions[index], outcome: reason.map { .lost(place: place.place, $0) } ?? .runnerUp(place: place.place),
        evaluation: evaluation)
      if reason == nil { networks.append(impressions[index].impression.adNetworkIdentifier) }
    }
    return InstallDecision(verdicts: verdicts)
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

  package init(verdicts: [InstallVerdict]) {
    self.verdicts = verdicts
  }

  /// The ad that led to the install; nil if there is none.
  package var winner: KeptImpression? { verdicts.first { $0.outcome == .won }?.kept }

  /// The ads of other networks that receive a postback, too, in their order.
  package var runnersUp: [KeptImpression] {
    let placed = verdicts.compactMap { verdict -> (place: Int, kept: KeptImpression)? in
      guard case .runnerUp(let place) = verdict.outcome else { return nil }
      return (place, verdict.kept)
    }
    return placed.sorted { $0.place < $1.place }.map(\.kept)
  }

  /// The ads that were compared, also those after the sixth. They do not count for another install.
  package var compared: [Int64] {
    verdicts.filter { if case .notConsidered = $0.outcome { false } else { true } }.map(\.kept.id)
  }
}

/// Whether an ad won, is a runner-up, lost, or was not considered, and why.
package struct InstallVerdict: Hashable, Sendable {
  package let kept: KeptImpression
  package let outcome: Outcome
  /// The rules that decided. For the ads after the winner, those about their place follow.
  package let evaluation: RuleEvaluation

  package enum Outcome: Hashable, Sendable {
    case won
    /// - Parameter place: 2 to 6; the winner has place 1.
    case runnerUp(place: Int)
    /// The ad could have won, but receives no postback.
    case lost(place: Int, RunnerUpRejection)
    case notConsidered(InstallRejection)

    /// The stable name of the outcome.
    package var name: String {
      switch self {
      case .won: "won"
      case .runnerUp: "runner-up"
      case .lost: "lost"
      case .notConsidered: "not-considered"
      }
    }
  }
}
