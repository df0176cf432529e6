/// Why something happened, or did not.
public struct Reason: Hashable, Sendable, Decodable {
  /// A stable name.
  public let code: Code
  /// For people.
  public let detail: String

  /// The stable name of a reason.
  public struct Code: Term {
    /// The value as the service writes it.
    public let rawValue: String

    /// Any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension Reason: CustomStringConvertible {
  /// `tap-not-verified, the tap did not land on …`
  public var description: String { "\(code), \(detail)" }
}

// Why clicks are discarded.
extension Reason.Code {
  /// The tap did not land on a control that a `UIEventAttributionView` covers.
  public static let tapNotVerified = Self("tap-not-verified")
  /// The app's manifest names no report endpoint.
  public static let noReportEndpoint = Self("no-report-endpoint")
  /// The report endpoint of the app's manifest cannot be used.
  public static let reportEndpointInvalid = Self("report-endpoint-invalid")
  /// No such app is registered.
  public static let appUnknown = Self("app-unknown")
  /// The opened URL is on another site than the destination.
  public static let destinationNotOpened = Self("destination-not-opened")
  /// The page that loaded is on another site than the destination.
  public static let landingSiteMismatch = Self("landing-site-mismatch")
  /// `SFSafariViewController` ignores the attribution when it opens http.
  public static let safariViewControllerHTTP = Self("safari-view-controller-http")
  /// The app is a Mac Catalyst app.
  public static let macCatalyst = Self("mac-catalyst")
  /// Measurement is switched off. Triggering events are rejected for it, too.
  public static let measurementDisabled = Self("measurement-disabled")
  /// The destination is on the page's own site.
  public static let sameSite = Self("same-site")
  /// The link lacks an attribute.
  public static let attributeMissing = Self("attribute-missing")
  /// The link's source identifier is no number.
  public static let sourceIDNotANumber = Self("source-id-not-a-number")
  /// The link's source identifier is above 255.
  public static let sourceIDTooLarge = Self("source-id-too-large")
  /// The link's destination is no http or https URL.
  public static let destinationNotHTTP = Self("destination-not-http")
  /// A script followed the link, not the user.
  public static let noUserGesture = Self("no-user-gesture")
  /// The page has no site that could be the source.
  public static let noSourceSite = Self("no-source-site")
  /// The link leads to the App Store, which has a measurement of its own.
  public static let appStoreLink = Self("app-store-link")
}

// What clicks are kept in spite of.
extension Reason.Code {
  /// The nonce is dropped.
  public static let nonceInvalid = Self("nonce-invalid")
  /// The system may cut the text.
  public static let textTruncated = Self("text-truncated")
  /// Another click was in the slot and is gone.
  public static let heldClickReplaced = Self("held-click-replaced")
  /// An earlier click with the same sites and app is gone.
  public static let clickReplaced = Self("click-replaced")
}

// Why triggering events are rejected.
extension Reason.Code {
  /// The redirect leads elsewhere than to the trigger path.
  public static let pathNotATrigger = Self("path-not-a-trigger")
  /// A page on https requests no http URL. Loads end for this reason, too.
  public static let mixedContentBlocked = Self("mixed-content-blocked")
  /// The trigger URL is not https.
  public static let notHTTPS = Self("not-https")
  /// The trigger URL carries a user name or a password.
  public static let hasCredentials = Self("has-credentials")
  /// The trigger URL carries a fragment.
  public static let hasFragment = Self("has-fragment")
  /// There is a question mark without a parameter behind it.
  public static let queryEmpty = Self("query-empty")
  /// There is a parameter that has no meaning.
  public static let queryUnsupported = Self("query-unsupported")
  /// `attributionSource` has no value.
  public static let sourceParameterEmpty = Self("source-parameter-empty")
  /// `attributionSource` stands twice.
  public static let sourceParameterRepeated = Self("source-parameter-repeated")
  /// `attributionSource` is no source.
  public static let sourceParameterInvalid = Self("source-parameter-invalid")
  /// `attributionDestinationNonce` has no value.
  public static let nonceParameterEmpty = Self("nonce-parameter-empty")
  /// `attributionDestinationNonce` stands twice.
  public static let nonceParameterRepeated = Self("nonce-parameter-repeated")
  /// The trigger data is not a number from 00 to 15.
  public static let dataInvalid = Self("data-invalid")
  /// The priority is not a number from 00 to 63.
  public static let priorityInvalid = Self("priority-invalid")
  /// The path is neither data nor data and priority.
  public static let pathUnrecognised = Self("path-unrecognised")
  /// The redirect led to another site.
  public static let redirectNotSameSite = Self("redirect-not-same-site")
  /// A pixel on the page's own site must name the source.
  public static let sameSiteNeedsSource = Self("same-site-needs-source")
  /// A pixel on another site must not name the source.
  public static let crossSiteForbidsSource = Self("cross-site-forbids-source")
  /// The destination's token could not be had.
  public static let destinationTokenFailed = Self("destination-token-failed")
  /// A note: only WebKit's number parser accepts the trigger URL.
  public static let grammarLenient = Self("grammar-lenient")
}

// Why triggering events match nothing.
extension Reason.Code {
  /// There is no such click.
  public static let noClick = Self("no-click")
  /// The click is too old.
  public static let clickExpired = Self("click-expired")
  /// The click leads to another site.
  public static let otherDestination = Self("other-destination")
  /// The click was made under another app.
  public static let otherApp = Self("other-app")
  /// A report has gone out already.
  public static let alreadyReported = Self("already-reported")
  /// There is an attribution of at least the same priority.
  public static let lowerOrEqualPriority = Self("lower-or-equal-priority")
  /// The click in the slot is another one, and is lost.
  public static let heldClickMismatch = Self("held-click-mismatch")
  /// The click in the slot is too old.
  public static let heldClickExpired = Self("held-click-expired")
  /// The slot is empty.
  public static let noHeldClick = Self("no-held-click")
}
