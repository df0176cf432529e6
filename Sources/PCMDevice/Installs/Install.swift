package import PCMCore

/// The installation of an app, for which the device searches its ads (references, section 3).
package struct Install: Sendable {
  package let app: DeviceApp
  /// Whether the account had the app before.
  package let isRedownload: Bool
  /// The bundle identifier of the marketplace. `BundleIdentifier` checks it.
  package let marketplace: String
  /// The country of the account, or of the install verification token of another marketplace; nil if unknown. `CountryCode`
  /// checks it.
  package let country: String?
  /// The past conversions of the app, for its cooldowns.
  package let past: PastConversions
  package let device: Device
  package let now: Instant
  /// Whether the decision keeps the values that its rules read.
  let keepsInputs: Bool

  package init(
    _ app: DeviceApp, isRedownload: Bool = false, marketplace: String = Install.appStore, country: String?,
    past: PastConversions = PastConversions(), device: Device, at now: Instant, keepsInputs: Bool = true
  ) {
    self.app = app
    self.isRedownload = isRedownload
    self.marketplace = marketplace
    self.country = country
    self.past = past
    self.device = device
    self.now = now
    self.keepsInputs = keepsInputs
  }

  /// The marketplace identifier of the App Store.
  package static let appStore = "com.apple.AppStore"

  /// Chooses the winning ad and the runners-up among the ads for the app. Ads for other apps are ignored.
  package func decide(among kept: [KeptImpression]) -> InstallDecision {
    var candidates = kept.filter { $0.impression.advertisedAppStoreItemIdentifier == app.itemIdentifier }.map {
      InstallCandidate(kept: $0, install: self)
    }
    let hasProduction = candidates.contains { !$0.kept.impression.isDevelopment && $0.isEligible }
    for index in candidates.indices {
      candidates[index].hasProduction = hasProduction
      candidates[index].judge()
    }
    let ranked = candidates.indices.filter { candidates[$0].rejection == nil }.sorted {
      Self.precedes(candidates[$0].kept, candidates[$1].kept)
    }
    var networks: [String] = []
    for (offset, index) in ranked.enumerated() {
      candidates[index].place = offset + 1
      guard offset > 0 else { continue }
      candidates[index].winningNetwork = candidates[ranked[0]].kept.impression.adNetworkIdentifier
      candidates[index].runnerUpNetworks = networks
      candidates[index].judge()
      if candidates[index].rejection == nil { networks.append(candidates[index].kept.impression.adNetworkIdentifier) }
    }
    return InstallDecision(install: self, candidates: candidates)
  }

  /// The order of preference: clicks before views, and recent ads first. For equal times, the ad with the later number comes
  /// first.
  private static func precedes(_ left: KeptImpression, _ right: KeptImpression) -> Bool {
    let (first, second) = (left.impression, right.impression)
    if first.interaction != second.interaction { return first.interaction == .click }
    return (first.recordedAt, left.id) > (second.recordedAt, right.id)
  }
}

/// The outcome of an install for each ad for the app that the device kept.
package struct InstallDecision: Sendable {
  package let install: Install
  /// The candidates, in the order of their ads.
  package let candidates: [InstallCandidate]

  /// The winning ad; nil if there is none.
  package var winner: KeptImpression? { candidates.first { $0.place == 1 }?.kept }

  /// The ads of other networks that also receive a postback, in order.
  package var runnersUp: [KeptImpression] {
    let placed = candidates.filter { $0.rejection == nil && $0.place ?? 1 > 1 }
    return placed.sorted { $0.place ?? 0 < $1.place ?? 0 }.map(\.kept)
  }

  /// All compared ads, including ads after the sixth. They do not count for another install.
  package var compared: [Int64] { candidates.lazy.filter { $0.place != nil }.map(\.kept.id) }

  /// Returns the reason an ad precedes the next ad, as a clause; nil for the last of several ads, and for an ad that was not
  /// considered.
  package func standing(of candidate: InstallCandidate) -> String? {
    guard let place = candidate.place else { return nil }
    guard let next = candidates.first(where: { $0.place == place + 1 }) else {
      return place == 1 ? "no other ad for the app counts" : nil
    }
    let (ad, other) = (candidate.kept.impression, next.kept.impression)
    let name = RecordName.impression(next.kept.id)
    if ad.interaction != other.interaction {
      return "it is a \(ad.interaction.rawValue), and \(name) is a \(other.interaction.rawValue)"
    }
    if ad.recordedAt > other.recordedAt { return "it is more recent than \(name)" }
    return "it was recorded after \(name), at the same time"
  }

  /// The catalog's entries for an install without an ad.
  static let reasons = [
    RuleTitle(
      reason: "item-identifier-missing", "The app is registered without an itemIdentifier. Ads name the app by it.",
      .signingStoreKitAds,
      change: "register the app with the itemIdentifier that its ads advertise, and install it again"),
    RuleTitle(
      reason: "no-impression", "The device keeps no ad for the app. An install without an ad has no postback.", .attributions,
      change: "display an ad for the app, and end its view or tap it, before the install"),
    RuleTitle(
      reason: "no-impression-counts", "The device keeps ads for the app. None of them counts.", .attributions,
      change: "make the change of one ad"),
  ]

  /// The reason the install has no winning ad; nil if there is a winner.
  package var absence: Violation? {
    guard winner == nil else { return nil }
    guard let item = install.app.itemIdentifier else {
      // Ads name an app by its identifier in the App Store, which an Info.plist does not contain.
      return Violation(
        "item-identifier-missing",
        "\(install.app.bundleIdentifier) is registered without an itemIdentifier, by which ads name the app",
        change: "register the app with the itemIdentifier that its ads advertise, and install it again")
    }
    guard !candidates.isEmpty else {
      return Violation(
        "no-impression", "the device keeps no ad for app \(item)",
        change: "display an ad for the app, and end its view or tap it, before the install")
    }
    let count = candidates.count
    return Violation(
      "no-impression-counts", count == 1 ? "the ad for the app does not count" : "none of \(count) ads for the app counts",
      change: "make the change of one ad")
  }
}
