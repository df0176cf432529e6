/// A redirect of a page's load to the well-known trigger path (reference, sections 4.1 to 4.3).
package struct TriggeringEvent: Hashable, Sendable {
  package let target: TriggerURL
  /// The site of the redirect target, R.
  package let redirectSite: Site
  /// The host of the hop that answered with the redirect, H.
  package let hopHost: String
  /// The top page's host and site, F.
  package let firstPartyHost: String
  package let firstPartySite: Site
  /// The app under which the page runs.
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

  /// Only the last hop matters; an earlier one may be on any site.
  package var isRedirectSameSite: Bool { redirectSite.contains(host: hopHost) }
  package var isFirstPartyRedirect: Bool { redirectSite.contains(host: firstPartyHost) }

  /// The table of section 4.3; then the destination's nonce.
  package static let rules: [Rule<TriggeringEvent, RejectionReason>] = [
    Rule(
      "redirect-is-same-site",
      sees: ["hopHost": { .string($0.hopHost) }, "pixelSite": { .string($0.redirectSite.domain) }]
    ) { event in
      event.isRedirectSameSite ? nil : .redirectNotSameSite(from: event.hopHost, to: event.redirectSite)
    },
    Rule(
      "same-site-pixel-names-source",
      sees: [
        "pageHost": { .string($0.firstPartyHost) }, "pixelSite": { .string($0.redirectSite.domain) },
        "attributionSource": { .string($0.target.attributionSource?.domain) },
      ]
    ) { event in
      guard event.isFirstPartyRedirect, event.target.attributionSource == nil else { return nil }
      return .sameSiteNeedsSource(event.redirectSite)
    },
    Rule(
      "cross-site-pixel-names-no-source",
      sees: [
        "pageHost": { .string($0.firstPartyHost) }, "pixelSite": { .string($0.redirectSite.domain) },
        "attributionSource": { .string($0.target.attributionSource?.domain) },
      ]
    ) { event in
      guard !event.isFirstPartyRedirect, event.target.attributionSource != nil else { return nil }
      return .crossSiteForbidsSource(redirect: event.redirectSite, firstParty: event.firstPartySite)
    },
    // WebKit fetches the key and posts an empty object first, which every server refuses (section 8.3).
    Rule(
      "destination-nonce-is-valid", sees: ["attributionDestinationNonce": { .string($0.target.destinationNonce) }]
    ) { event in
      guard let nonce = event.target.destinationNonce, !Nonce.isValid(nonce) else { return nil }
      return .destinationTokenFailed(why: "the nonce \"\(nonce)\" is not 16 bytes in base64url")
    },
  ]

  /// The click that an accepted event asks for.
  package var key: ClickKey {
    ClickKey(
      source: target.attributionSource ?? redirectSite, destination: firstPartySite, bundleIdentifier: bundleIdentifier)
  }
}
