/// Why something happened or did not happen.
///
/// ```swift
/// let tap = try await browser.open(ad, from: app, tapVerified: false)
/// let reason = try #require(tap.reasons.first)
/// #expect(reason.code == .tapNotVerified, "\(reason.detail)")
/// ```
public struct Reason: Hashable, Sendable, Decodable {
  /// The stable code.
  public let code: Code
  /// A description for people.
  public let detail: String

  /// The stable code of a reason.
  public struct Code: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension Reason: CustomStringConvertible {
  /// `tap-not-verified, the tap did not land on …`
  public var description: String { "\(code), \(detail)" }
}

// Reasons for discarding a click.
extension Reason.Code {
  /// The tap is not on a control that a `UIEventAttributionView` covers.
  public static let tapNotVerified = Self("tap-not-verified")
  /// The app's manifest has no report endpoint.
  public static let noReportEndpoint = Self("no-report-endpoint")
  /// The report endpoint in the app's manifest is invalid.
  public static let reportEndpointInvalid = Self("report-endpoint-invalid")
  /// The app is not registered.
  public static let appUnknown = Self("app-unknown")
  /// The opened URL is on a different site than the destination.
  public static let destinationNotOpened = Self("destination-not-opened")
  /// The loaded page is on a different site than the destination.
  public static let landingSiteMismatch = Self("landing-site-mismatch")
  /// `SFSafariViewController` ignores the attribution for http URLs.
  public static let safariViewControllerHTTP = Self("safari-view-controller-http")
  /// The app is a Mac Catalyst app.
  public static let macCatalyst = Self("mac-catalyst")
  /// Measurement is disabled. This is also a reason to reject triggering events.
  public static let measurementDisabled = Self("measurement-disabled")
  /// The destination is on the same site as the page.
  public static let sameSite = Self("same-site")
  /// The link lacks an attribute: `attributionsourceid` or `attributiondestination`, or, for a web ad,
  /// `attributionsourcenonce`.
  public static let attributeMissing = Self("attribute-missing")
  /// The link's source identifier is not a number.
  public static let sourceIDNotANumber = Self("source-id-not-a-number")
  /// The link's source identifier is greater than 255.
  public static let sourceIDTooLarge = Self("source-id-too-large")
  /// The link's destination is not an http or https URL.
  public static let destinationNotHTTP = Self("destination-not-http")
  /// A script followed the link, not the user.
  public static let noUserGesture = Self("no-user-gesture")
  /// The page has no site that can be the source.
  public static let noSourceSite = Self("no-source-site")
  /// The link is in an iframe and does not navigate the main frame.
  public static let notMainFrame = Self("not-main-frame")
  /// The navigation of the link committed no page.
  public static let navigationDidNotCommit = Self("navigation-did-not-commit")
  /// The link is to the App Store, which has its own measurement.
  public static let appStoreLink = Self("app-store-link")
  /// The link is meant as a web ad, but it is not the App Store URL that Safari recognizes.
  public static let appStoreLinkMalformed = Self("app-store-link-malformed")
}

// Notes about a click that is kept.
extension Reason.Code {
  /// The nonce is invalid: a click is kept without it, and a web ad is discarded.
  public static let nonceInvalid = Self("nonce-invalid")
  /// The system may truncate the text.
  public static let textTruncated = Self("text-truncated")
  /// The app is for visionOS, where Safari's behavior is not established.
  public static let visionOS = Self("visionos")
  /// The click replaced an ephemeral click.
  public static let heldClickReplaced = Self("held-click-replaced")
  /// The click replaced an earlier click with the same sites and app.
  public static let clickReplaced = Self("click-replaced")
}

// Reasons why a load triggers nothing. `path-not-a-trigger` is also such a reason.
extension Reason.Code {
  /// The page requested the trigger URL itself, or a response named it without a redirect.
  public static let notARedirect = Self("not-a-redirect")
  /// The redirect belongs to a synchronous `XMLHttpRequest`.
  public static let synchronousRequest = Self("synchronous-request")
  /// A response of the load is not for other sites (`Cross-Origin-Resource-Policy`). This reason also ends loads.
  public static let resourcePolicyBlocked = Self("resource-policy-blocked")
  /// No response redirected to the trigger path.
  public static let noRedirect = Self("no-redirect")
}

// Reasons for rejecting a triggering event.
extension Reason.Code {
  /// The redirect does not have the trigger path.
  public static let pathNotATrigger = Self("path-not-a-trigger")
  /// The page has no site that can be the destination.
  public static let noFirstPartySite = Self("no-first-party-site")
  /// A page on https cannot request an http URL. This reason also ends loads.
  public static let mixedContentBlocked = Self("mixed-content-blocked")
  /// The trigger URL is not https.
  public static let notHTTPS = Self("not-https")
  /// The trigger URL contains a user name or a password.
  public static let hasCredentials = Self("has-credentials")
  /// The trigger URL contains a fragment.
  public static let hasFragment = Self("has-fragment")
  /// The trigger URL has a question mark without a parameter.
  public static let queryEmpty = Self("query-empty")
  /// The trigger URL has an unsupported parameter.
  public static let queryUnsupported = Self("query-unsupported")
  /// `attributionSource` has no value.
  public static let sourceParameterEmpty = Self("source-parameter-empty")
  /// `attributionSource` occurs more than once.
  public static let sourceParameterRepeated = Self("source-parameter-repeated")
  /// `attributionSource` is not a valid source.
  public static let sourceParameterInvalid = Self("source-parameter-invalid")
  /// `attributionDestinationNonce` has no value.
  public static let nonceParameterEmpty = Self("nonce-parameter-empty")
  /// `attributionDestinationNonce` occurs more than once.
  public static let nonceParameterRepeated = Self("nonce-parameter-repeated")
  /// The trigger data is not a number from 00 to 15.
  public static let dataInvalid = Self("data-invalid")
  /// The priority is not a number from 00 to 63.
  public static let priorityInvalid = Self("priority-invalid")
  /// The path contains neither data nor data and a priority.
  public static let pathUnrecognised = Self("path-unrecognised")
  /// The redirect is to a different site.
  public static let redirectNotSameSite = Self("redirect-not-same-site")
  /// A pixel on the page's own site must specify the source.
  public static let sameSiteNeedsSource = Self("same-site-needs-source")
  /// A pixel on a different site must not specify the source.
  public static let crossSiteForbidsSource = Self("cross-site-forbids-source")
  /// The browser could not get the destination's token.
  public static let destinationTokenFailed = Self("destination-token-failed")
  /// A note: the trigger URL is valid only because WebKit's number parser is lenient.
  public static let grammarLenient = Self("grammar-lenient")
  /// A note: the URL that responded with the redirect is not known, so its site was not checked.
  public static let redirectFromUnknown = Self("redirect-from-unknown")
}

// Reasons for a triggering event without a matching click.
extension Reason.Code {
  /// There is no matching click.
  public static let noClick = Self("no-click")
  /// The click has expired.
  public static let clickExpired = Self("click-expired")
  /// The click has a different destination.
  public static let otherDestination = Self("other-destination")
  /// The click was made in a different app.
  public static let otherApp = Self("other-app")
  /// A report has already been sent.
  public static let alreadyReported = Self("already-reported")
  /// An attribution of the same or a higher priority exists.
  public static let lowerOrEqualPriority = Self("lower-or-equal-priority")
  /// The ephemeral click does not match and is lost.
  public static let heldClickMismatch = Self("held-click-mismatch")
  /// The ephemeral click has expired.
  public static let heldClickExpired = Self("held-click-expired")
  /// There is no ephemeral click.
  public static let noHeldClick = Self("no-held-click")
}
