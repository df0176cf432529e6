import PCMDelivery

/// The codes that are allowed as label values. A test compares the list with the sources. Other codes count as `other`.
package enum ReasonCodes {
  package static let all: Set<String> = clicks.union(triggers).union(deliveries).union(loads).union(waiting).union(tokens)
    .union(device)

  /// Reasons for discarded clicks, and notes about kept clicks.
  private static let clicks: Set<String> = [
    "app-store-link", "app-store-link-malformed", "app-unknown", "attribute-missing", "click-replaced",
    "destination-not-http", "destination-not-opened",
    "held-click-replaced", "landing-site-mismatch", "mac-catalyst", "measurement-disabled", "no-report-endpoint",
    "no-source-site", "no-user-gesture", "nonce-invalid", "not-main-frame", "report-endpoint-invalid",
    "safari-view-controller-http",
    "same-site", "source-id-not-a-number", "source-id-too-large", "tap-not-verified", "text-truncated", "visionos",
  ]

  /// Reasons for rejected and unmatched triggering events, and notes about accepted ones.
  private static let triggers: Set<String> = [
    "already-reported", "click-expired", "cross-site-forbids-source", "data-invalid", "destination-token-failed",
    "grammar-lenient", "has-credentials", "has-fragment", "held-click-expired", "held-click-mismatch",
    "lower-or-equal-priority", "mixed-content-blocked", "no-click", "no-held-click", "nonce-parameter-empty",
    "nonce-parameter-repeated", "not-https", "other-app", "other-destination", "path-not-a-trigger", "path-unrecognised",
    "priority-invalid", "query-empty", "query-unsupported",
    "redirect-not-same-site", "same-site-needs-source", "source-parameter-empty", "source-parameter-invalid",
    "source-parameter-repeated",
  ]

  /// Reasons for a missing token.
  private static let tokens: Set<String> = [
    "token-key-invalid", "token-key-unavailable", "token-late", "token-signature-invalid", "token-signature-unavailable",
  ]

  /// Reasons for the end of a load.
  private static let loads: Set<String> = [
    "location-invalid", "location-not-http", "no-redirect", "not-a-redirect", "session-ended", "synchronous-request",
    "too-many-redirects",
  ]

  /// Reasons for an unsent report, in explanations.
  private static let waiting: Set<String> = [
    "cleared", "not-due", "nothing-left", "superseded", "timer-not-fired", "timer-not-running",
  ]

  /// Reasons for rejected ads, ads without a postback, rejected values, and windows without a postback.
  private static let device: Set<String> = [
    "ad-network-id-invalid", "ad-network-id-not-lower-case", "ad-network-key-wrong-curve", "ad-network-not-declared",
    "ad-network-not-registered", "advertised-app-invalid", "already-registered", "app-impression-expired",
    "app-impression-not-created", "app-not-from-store", "beyond-six", "re-engagement-url-dropped",
    "registration-not-mirrored", "view-not-ended",
    "campaign-out-of-range", "coarse-value-missing", "conversion-ended", "conversion-superseded",
    "conversion-tag-not-supported", "conversion-tag-unknown", "conversion-value-out-of-range", "cooldown",
    "development-impression", "development-impression-ignored", "first-update-too-late", "impression-expired",
    "impression-used", "interaction-ignored", "item-identifier-missing", "no-impression", "no-impression-counts",
    "too-many-impressions", "jws-components-invalid", "jws-header-invalid", "jws-payload-invalid",
    "launch-too-late", "lowest-tier", "network-already-runner-up", "network-won", "never-launched", "never-updated",
    "no-conversion-of-type", "no-update-in-window", "nonce-not-a-uuid", "not-eligible-for-re-engagement", "nothing-pending",
    "other-framework", "other-marketplace", "payload-content-type", "payload-invalid", "payload-member-unknown",
    "payload-mismatch",
    "payload-not-an-object", "payload-status", "payload-version", "platform-unsupported", "postback-url-not-https",
    "private-session", "re-engagement-needs-a-click", "runner-up-version", "sdk-too-old", "signature-invalid",
    "signature-malformed", "source-app-invalid", "source-app-mismatch", "source-identifier-out-of-range", "system-too-old",
    "timestamp-not-milliseconds", "timestamp-off", "too-many-views", "value-missing", "value-not-greater",
    "version-not-supported", "version-unknown", "view-not-started", "view-replaced", "view-through-too-old",
    "view-too-short", "window-locked",
    "below-privacy-threshold", "copy-endpoint-missing", "copy-not-requested", "copy-not-supported", "country-not-supported",
    "country-unknown",
    "fine-value-ignored",
    "runner-up", "tier-too-low", "value-not-reported", "version-without-values",
  ]

  /// Reasons for a failed attempt to deliver a report.
  static let deliveries = Set(TransportFailure.Code.allCases.map(\.rawValue)).union(["http-status"])

  static func bounded(_ code: String) -> String { all.contains(code) ? code : "other" }
}
