/// A redirect of a page's load to the well-known trigger path (reference, sections 4.1 to 4.3).
package struct TriggeringEvent: Hashable, Sendable {
  private let parts: Boxed<Parts>

  package var target: TriggerURL { parts.value.target }
  /// R, the site of the redirect target.
  package var redirectSite: Site { parts.value.redirectSite }
  /// H, the host of the hop that sent the redirect; nil when it is not known. Only the last hop matters. Earlier hops may be on
  /// any site.
  package var hopHost: String? { parts.value.hopHost }
  /// F, the host and site of the top page.
  package var firstPartyHost: String { parts.value.firstPartyHost }
  package var firstPartySite: Site { parts.value.key.destination }
  /// The observation of the page. No rule reads it.
  package var observed: Provenance? { parts.value.observed }
  /// The key of the click that an accepted event refers to. It has the app in which the page runs.
  package var key: ClickKey { parts.value.key }

  package init(
    target: TriggerURL, redirectSite: Site, hopHost: String?, firstPartyHost: String, firstPartySite: Site,
    bundleIdentifier: String, observed: Provenance? = nil
  ) {
    let key = ClickKey(
      source: target.attributionSource ?? redirectSite, destination: firstPartySite, bundleIdentifier: bundleIdentifier)
    parts = Boxed(
      Parts(
        target: target, redirectSite: redirectSite, hopHost: hopHost, firstPartyHost: firstPartyHost, key: key,
        observed: observed))
  }

  private struct Parts: Hashable, Sendable {
    let target: TriggerURL
    let redirectSite: Site
    let hopHost: String?
    let firstPartyHost: String
    let key: ClickKey
    let observed: Provenance?
  }

  package var isFirstPartyRedirect: Bool { redirectSite.contains(host: firstPartyHost) }

  /// The table of section 4.3, followed by the destination's nonce.
  package static let rules: [Rule<TriggeringEvent>] = [
    Rule(
      "redirect-is-same-site",
      "The host that redirects is on the same site as the trigger URL.",
      .webkit("PrivateClickMeasurementManager.cpp"),
      reasons: ["redirect-not-same-site": "redirect from a URL on the trigger URL's site"],
      inputs: ["hopHost": { .string($0.hopHost) }, "pixelSite": { .string($0.redirectSite.domain) }]
    ) { event in
      guard let from = event.hopHost, !event.redirectSite.contains(host: from) else { return nil }
      let to = event.redirectSite.domain
      return Violation(
        "redirect-not-same-site", "the hop on \(from) redirected to another site, \(to)",
        change: "redirect from a URL on \(to), or from \(from) to a trigger URL on its own site")
    },
    Rule(
      "same-site-pixel-names-source",
      "A pixel on the page's own site names the source with attributionSource.",
      .webkit("PrivateClickMeasurementManager.cpp"), reasons: ["same-site-needs-source": namingSource(nil)],
      inputs: [
        "pageHost": { .string($0.firstPartyHost) }, "pixelSite": { .string($0.redirectSite.domain) },
        "attributionSource": { .string($0.target.attributionSource?.domain) },
      ]
    ) { event in
      guard event.isFirstPartyRedirect, event.target.attributionSource == nil else { return nil }
      return Violation(
        "same-site-needs-source",
        "the pixel is on the page's own site, \(event.redirectSite.domain), and lacks attributionSource",
        change: namingSource(nil))
    },
    Rule(
      "cross-site-pixel-names-no-source",
      "A pixel on the source's site has no attributionSource.",
      .webkit("PrivateClickMeasurementManager.cpp"),
      reasons: ["cross-site-forbids-source": "remove attributionSource, or redirect within the page's site"],
      inputs: [
        "pageHost": { .string($0.firstPartyHost) }, "pixelSite": { .string($0.redirectSite.domain) },
        "attributionSource": { .string($0.target.attributionSource?.domain) },
      ]
    ) { event in
      guard !event.isFirstPartyRedirect, event.target.attributionSource != nil else { return nil }
      let (redirect, firstParty) = (event.redirectSite.domain, event.firstPartySite.domain)
      return Violation(
        "cross-site-forbids-source",
        "the pixel on \(redirect) is cross-site to \(firstParty) and must not carry attributionSource",
        change: "remove attributionSource, because the source is \(redirect) itself, or redirect within \(firstParty)")
    },
    // WebKit first fetches the key and posts an empty object, which every server rejects (section 8.3).
    Rule(
      "destination-nonce-is-valid",
      "The nonce in attributionDestinationNonce has 16 bytes in base64url.",
      .ours("WebKit posts an empty object for an invalid nonce, which every server rejects"),
      reasons: [
        "destination-token-failed": "give attributionDestinationNonce 16 bytes in base64url (22 characters), or remove it"
      ], inputs: ["attributionDestinationNonce": { .string($0.target.destinationNonce) }]
    ) { event in
      guard let nonce = event.target.destinationNonce, !Nonce.isValid(nonce) else { return nil }
      return .destinationTokenFailed(
        "the nonce \"\(nonce)\" is not 16 bytes in base64url",
        change: "give attributionDestinationNonce 16 bytes in base64url (22 characters), or remove it")
    },
  ]

  package func violation(_ evaluation: inout RuleEvaluation) -> Violation? {
    evaluation.firstViolation(of: Self.rules, to: self)
  }

  /// The title of the note about an event whose redirecting URL is not known.
  static let unknownRedirectTitle = RuleTitle(
    reason: "redirect-from-unknown",
    "The URL that responded with the redirect is not known, so redirect-is-same-site is not checked.",
    .ours("an observer of a page does not see this URL when the request outlives the page"),
    change: "give redirect.from if the URL is known")

  /// Notes about an accepted event.
  package var notes: [Reason] {
    var notes = target.isLenient ? [TriggerURL.leniency] : []
    if hopHost == nil {
      notes.append(
        Reason(
          "redirect-from-unknown",
          "the URL that responded with the redirect is not known, so its site was not compared with \(redirectSite.domain)"))
    }
    return notes
  }

  /// Returns the change for a same-site pixel without a source, with the source site if one is known.
  package static func namingSource(_ source: Site?) -> String {
    guard let source else { return "add ?attributionSource= with the origin of the click's source site to the trigger URL" }
    return "add ?attributionSource=https://\(source.domain) to the trigger URL"
  }
}
