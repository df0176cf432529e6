/// The identity of a click: the unique key of both measurement tables (reference, section 3.1).
package struct ClickKey: Hashable, Sendable {
  package let source: Site
  package let destination: Site
  /// The bundle identifier of the app in which the user clicked; Safari's for links and for URLs that an app opens.
  package let bundleIdentifier: String

  package init(source: Site, destination: Site, bundleIdentifier: String) {
    self.source = source
    self.destination = destination
    self.bundleIdentifier = bundleIdentifier
  }

  package func names(_ site: Site) -> Bool { source == site || destination == site }
}

/// A tapped ad or followed link (reference, section 2).
package struct Click: Hashable, Sendable {
  package let key: ClickKey
  package let sourceID: UInt8
  /// When the user tapped or clicked, not when the page loaded.
  package var clickedAt: Instant
  /// The nonce for the source token, verbatim; nil when there is no valid one.
  package let nonce: String?
  /// The report endpoint exactly as in the app's manifest; nil for a link.
  package let reportEndpoint: String?
  /// The token that the source site signed for the nonce; nil until then, or when there is no nonce.
  package var token: SecretToken?

  package init(
    key: ClickKey, sourceID: UInt8, clickedAt: Instant, nonce: String? = nil, reportEndpoint: String? = nil,
    token: SecretToken? = nil
  ) {
    self.key = key
    self.sourceID = sourceID
    self.clickedAt = clickedAt
    self.nonce = nonce
    self.reportEndpoint = reportEndpoint
    self.token = token
  }

  /// A click expires after 7 times 24 hours (reference, section 1).
  package static let lifetime = Interval.days(7)

  package var expiresAt: Instant { clickedAt + Self.lifetime }

  /// Returns whether the click has expired. It has not when it is exactly seven days old (reference, section 3.2).
  package func isExpired(at now: Instant) -> Bool { expiresAt < now }
}

/// A click that the browser keeps, with its number in the log and the API.
package struct KeptClick: Hashable, Identifiable, Sendable {
  package let id: Int64
  package var click: Click

  package init(id: Int64, click: Click) {
    self.id = id
    self.click = click
  }
}

/// Bundle identifiers: the rule for them, and the identifier of the browser.
package enum BundleIdentifier {
  package static let maximumLength = 255

  /// Whether the text has only the characters that Apple allows, or the underscore, which tools accept. Canonically
  /// equivalent texts of these characters are equal byte by byte, so all stores compare them alike. A path of the API cannot
  /// contain the segments `.` and `..`.
  package static func hasAllowedCharacters(_ text: String) -> Bool {
    text != "." && text != ".."
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// The owner of links and of every URL that an app opens in the browser.
  package static let safari = "com.apple.mobilesafari"
}

/// The decision about a click. A stored click has notes about its flaws.
package enum ClickDecision: Hashable, Sendable {
  /// The click is stored in the table of unattributed clicks.
  case store(Click, [Reason])
  /// The click becomes the ephemeral click.
  case storeEphemeral(Click, [Reason])
  case discard(Violation)
}

extension Reason {
  /// The note on a click whose nonce is invalid.
  static func nonceInvalid(_ text: String) -> Reason {
    Reason("nonce-invalid", "the nonce \"\(text)\" is not 16 bytes in base64url; the click is kept without it")
  }
}

extension RuleTitle {
  static let landingIsOnDestination = RuleTitle(
    "landing-is-on-destination", "After redirects, the page is on the site of the ad's destination.",
    .webkit("WebPageProxy.cpp"),
    reasons: ["landing-site-mismatch": "redirect to a page on the destination's site, or change the destination"])

  static let invalidNonceOfClick = RuleTitle(
    reason: "nonce-invalid", "The nonce of the click is not 16 bytes in base64url. The click is kept without it.",
    .webkit("HTMLAnchorElement.cpp"), change: "make the nonce 16 bytes in base64url (22 characters), or remove it")
}

extension Violation {
  static func landingSiteMismatch(landing: Site, destination: Site) -> Violation {
    Violation(
      "landing-site-mismatch",
      "the page that loaded is on \(landing.domain), the click's destination is \(destination.domain)",
      change: "redirect to a page on \(destination.domain), or make \(landing.domain) the destination")
  }
}
