/// What makes two clicks the same click: the unique key of both measurement tables (reference, section 3.1).
package struct ClickKey: Hashable, Sendable {
  package let source: Site
  package let destination: Site
  /// The app under which the click was made; Safari's for links and for URLs that an app opens.
  package let bundleIdentifier: String

  package init(source: Site, destination: Site, bundleIdentifier: String) {
    self.source = source
    self.destination = destination
    self.bundleIdentifier = bundleIdentifier
  }

  package func names(_ site: Site) -> Bool { source == site || destination == site }
}

/// One tapped ad or followed link (reference, section 2).
package struct Click: Hashable, Sendable {
  package let key: ClickKey
  package let sourceID: UInt8
  /// When the user acted, not when the page landed.
  package let clickedAt: Instant
  /// A valid nonce for the source token, verbatim; nil without one.
  package let nonce: String?
  /// The report endpoint exactly as the app's manifest has it; nil for a link.
  package let reportEndpoint: String?
  /// What the source's site signed for the nonce; nil until it has, and without a nonce.
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

  /// A click lives for 7 times 24 hours (reference, section 1).
  package static let lifetime = Interval.days(7)

  package var expiresAt: Instant { clickedAt + Self.lifetime }

  /// Exactly seven days old is still alive (reference, section 3.2).
  package func isExpired(at now: Instant) -> Bool { expiresAt < now }
}

/// A click that the browser keeps, under the number by which the log and the API know it.
package struct KeptClick: Hashable, Sendable {
  package let id: Int64
  package var click: Click

  package init(id: Int64, click: Click) {
    self.id = id
    self.click = click
  }
}

/// Bundle identifiers that belong to the browser rather than to an app.
package enum BundleIdentifier {
  /// Owns links and every URL that an app opens in the browser.
  package static let safari = "com.apple.mobilesafari"
}
