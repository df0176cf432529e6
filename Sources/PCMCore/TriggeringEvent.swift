/// A redirect of a page's load to the well-known trigger path (reference, sections 4.1 to 4.3).
package struct TriggeringEvent: Hashable, Sendable {
  package let target: TriggerURL
  /// R, the site of the redirect target.
  package let redirectSite: Site
  /// H, the host of the hop that sent the redirect.
  package let hopHost: String
  /// F, the host and site of the top page.
  package let firstPartyHost: String
  package let firstPartySite: Site
  /// The app in which the page runs.
  package let bundleIdentifier: String

  package init(
    target: TriggerURL, redirectSite: Site, hopHost: String, firstPartyHost: String, firstPartySite: Site,
    bundleIdentifier: String
  ) {
    self.target = target
    self.redirectSite = redirectSite
    self.hopHost = hopHost
    self.firstPartyHost = firstPartyHost
    self.firstPartySite = firstPartySite
    self.bundleIdentifier = bundleIdentifier
  }

  /// Only the last hop matters. Earlier hops may be on any site.
  package var isRedirectSameSite: Bool { redirectSite.contains(host: hopHost) }
  package var isFirstPartyRedirect: Bool { redirectSite.contains(host: firstPartyHost) }

  /// The table of section 4.3, followed by the destination's nonce.
  package static let rules: [Rule<TriggeringEvent, RejectionReason>] = [
    Rule(
      "redirect-is-same-site",
      inputs: ["hopHost": { .string($0.hopHost) }, "pixelSite": { .string($0.redirectSite.domain) }]
    ) { event in
      event.isRedirectSameSite ? nil : .redirectNotSameSite(from: event.hopHost, to: event.redirectSite)
    },
    Rule(
      "same-site-pixel-names-source",
      inputs: [
        "pageHost": { .string($0.firstPartyHost) }, "pixelSite": { .string($0.redirectSite.domain) },
        "attributionSource": { .string($0.target.attributionSource?.domain) },
      ]
    ) { event in
      guard event.isFirstPartyRedirect, event.target.attributionSource == nil else { return nil }
      return .sameSiteNeedsSource(event.redirectSite)
    },
    Rule(
      "cross-site-pixel-names-no-source",
      inputs: [
        "pageHost": { .string($0.firstPartyHost) }, "pixelSite": { .string($0.redirectSite.domain) },
        "attributionSource": { .string($0.target.attributionSource?.domain) },
      ]
    ) { event in
      guard !event.isFirstPartyRedirect, event.target.attributionSource != nil else { return nil }
      return .crossSiteForbidsSource(redirect: event.redirectSite, firstParty: event.firstPartySite)
    },
    // WebKit first fetches the key and posts an empty object, which every server rejects (section 8.3).
    Rule(
      "destination-nonce-is-valid", inputs: ["attributionDestinationNonce": { .string($0.target.destinationNonce) }]
    ) { event in
      guard let nonce = event.target.destinationNonce, !Nonce.isValid(nonce) else { return nil }
      return .destinationTokenFailed(why: "the nonce \"\(nonce)\" is not 16 bytes in base64url")
    },
  ]

  /// The key of the click that an accepted event refers to.
  package var key: ClickKey {
    ClickKey(
      source: target.attributionSource ?? redirectSite, destination: firstPartySite, bundleIdentifier: bundleIdentifier)
  }
}
