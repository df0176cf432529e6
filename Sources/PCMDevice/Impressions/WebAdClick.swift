package import PCMCore
internal import PCMCrypto

/// A click on a web ad: a link to the App Store with the attributes of an ad network (SKAdNetwork reference, section 2.3).
///
/// The browser recognizes the link and passes its values to the device (`AppStoreDonation`). The device then requests the
/// signed values from the ad network. The click counts when they arrive.
package struct WebAdClick: Sendable {
  package let donation: AppStoreDonation
  package let isPrivateSession: Bool
  package let device: Device
  package let now: Instant

  package init(_ donation: AppStoreDonation, isPrivateSession: Bool, device: Device, at now: Instant) {
    self.donation = donation
    self.isPrivateSession = isPrivateSession
    self.device = device
    self.now = now
  }

  package enum Decision: Hashable, Sendable {
    case request(SignedPayloadRequest)
    case reject(Violation)
  }

  package static let firstSystem = VersionEligibility.first(.v4)

  package static let rules: [Rule<WebAdClick>] = [
    Rule(
      "system-supports-web-ads",
      "The system is iOS \(firstSystem.text) or later. Web ads exist from version 4.0 on.", .webAds,
      reasons: ["system-too-old": "update the device to iOS \(firstSystem.text)"],
      inputs: ["systemVersion": { .string($0.device.system.text) }]
    ) { click in
      guard click.device.system < firstSystem else { return nil }
      return Violation(
        "system-too-old", "web ads need iOS \(firstSystem.text), and the device runs iOS \(click.device.system.text)")
    },
    Rule(
      "session-is-not-private", "The session is not private. In private browsing, the link only opens the App Store.",
      .webkit("HTMLAnchorElement.cpp"), reasons: ["private-session": "set privateBrowsing to false"],
      inputs: ["privateBrowsing": { .bool($0.isPrivateSession) }]
    ) { click in
      guard click.isPrivateSession else { return nil }
      return Violation(
        "private-session", "a private session does not measure web ads")
    },
    Rule(
      .advertisedAppIsValid, inputs: ["linkedItemIdentifier": { .string(String($0.donation.itemID)) }]
    ) { click in
      guard !(1...UInt64(Int64.max)).contains(click.donation.itemID) else { return nil }
      return Violation(
        "advertised-app-invalid", "\(click.donation.itemID) is not the identifier of an app in the App Store",
        change: "link to the page of an app in the App Store")
    },
  ]

  package func decide(_ evaluation: inout RuleEvaluation) -> Decision {
    if let violation = evaluation.firstViolation(of: Self.rules, to: self) { return .reject(violation) }
    return .request(
      SignedPayloadRequest(
        donation: donation, sourceDomain: sourceDomain, isDevelopment: device.isInDeveloperMode(at: now), clickedAt: now))
  }

  private var sourceDomain: String {
    switch device.settings.sourceDomain {
    case .displayingSite: donation.source.domain
    case .adNetwork: donation.adNetwork.domain
    }
  }
}

/// The request for the signed values of a web ad.
package struct SignedPayloadRequest: Hashable, Sendable {
  package let donation: AppStoreDonation
  package let sourceDomain: String
  /// Whether the ad is for development, because developer mode was on.
  package let isDevelopment: Bool
  package let clickedAt: Instant

  /// The path has no trailing slash.
  package var url: String { "https://\(donation.adNetwork.domain)/.well-known/skadnetwork/get-signed-payload" }

  /// The body of the POST.
  package var body: JSON {
    [
      "source_domain": .string(sourceDomain), "source_engagement_type": "click_to_App_Store",
      "source_nonce": .string(donation.impressionID), "version": "4.0",
    ]
  }

  /// The nonce as a UUID in lower case, as the ad network signs it. Text that is not a nonce is unchanged.
  package var nonce: String { Nonce.bytes(of: donation.impressionID).flatMap(UUIDText.text) ?? donation.impressionID }
}
