/// The identity of a click: the unique key of both measurement tables (reference, section 3.1).
package struct ClickKey: Hashable, Sendable {
  private let parts: Boxed<Parts>

  package var source: Site { parts.value.source }
  package var destination: Site { parts.value.destination }
  /// The bundle identifier of the app in which the user clicked; Safari's for links and for URLs that an app opens.
  package var bundleIdentifier: String { parts.value.bundleIdentifier }

  package init(source: Site, destination: Site, bundleIdentifier: String) {
    parts = Boxed(Parts(source: source, destination: destination, bundleIdentifier: bundleIdentifier))
  }

  package func names(_ site: Site) -> Bool { source == site || destination == site }

  private struct Parts: Hashable, Sendable {
    /// It is compared first.
    let hash: Int
    let source: Site
    let destination: Site
    let bundleIdentifier: String

    init(source: Site, destination: Site, bundleIdentifier: String) {
      (self.source, self.destination, self.bundleIdentifier) = (source, destination, bundleIdentifier)
      var hasher = Hasher()
      hasher.combine(source)
      hasher.combine(destination)
      hasher.combine(bundleIdentifier)
      hash = hasher.finalize()
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
  }
}

/// A tapped ad or followed link (reference, section 2).
package struct Click: Hashable, Sendable {
  package let key: ClickKey
  package private(set) var sourceID: UInt8
  /// When the user tapped or clicked, not when the page loaded.
  package var clickedAt: Instant
  private var extras: Extras?

  /// The nonce for the source token, verbatim; nil when there is no valid one.
  package var nonce: String? { extras?.nonce }
  /// The report endpoint exactly as in the app's manifest; nil for a link.
  package var reportEndpoint: String? { extras?.reportEndpoint }
  /// The token that the source site signed for the nonce; nil until then, or when there is no nonce.
  package var token: SecretToken? {
    get { extras?.token }
    set { extras = Extras(nonce: nonce, reportEndpoint: reportEndpoint, token: newValue) }
  }

  package init(
    key: ClickKey, sourceID: UInt8, clickedAt: Instant, nonce: String? = nil, reportEndpoint: String? = nil,
    token: SecretToken? = nil
  ) {
    self.key = key
    self.sourceID = sourceID
    self.clickedAt = clickedAt
    extras = Extras(nonce: nonce, reportEndpoint: reportEndpoint, token: token)
  }

  /// The members that most links lack. Copies of a click share them.
  private struct Extras: Hashable, Sendable {
    private let parts: Boxed<Parts>

    var nonce: String? { parts.value.nonce }
    var reportEndpoint: String? { parts.value.reportEndpoint }
    var token: SecretToken? { parts.value.token }

    /// Returns nil if everything is absent.
    init?(nonce: String?, reportEndpoint: String?, token: SecretToken?) {
      if nonce == nil, reportEndpoint == nil, token == nil { return nil }
      parts = Boxed(Parts(nonce: nonce, reportEndpoint: reportEndpoint, token: token))
    }

    struct Parts: Hashable, Sendable {
      let nonce: String?
      let reportEndpoint: String?
      let token: SecretToken?
    }
  }

  /// Returns the same click at another time and with another identifier.
  package func made(at time: Instant, sourceID: UInt8) -> Click {
    var click = self
    (click.clickedAt, click.sourceID) = (time, sourceID)
    return click
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
