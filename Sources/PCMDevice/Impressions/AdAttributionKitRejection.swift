package import PCMCore
package import PCMSignatures

/// Why a device does not accept an AdAttributionKit ad.
package enum AdAttributionKitRejection: Hashable, RuleViolation {
  case unsupportedPlatform(bundleIdentifier: String)
  case systemTooOld(OSVersion)
  case sdkTooOld(OSVersion)
  case noHandleView(OSVersion)
  /// - Parameter detail: The verifier's finding.
  case malformed(JWSFaultPart, _ detail: String)
  case networkInvalid(String)
  case networkNotLowerCase(String)
  case networkNotDeclared(String, bundleIdentifier: String)
  case networkNotRegistered(String)
  /// The remedy is nil if no common mistake explains the signature.
  case signatureInvalid(String, SignatureRemedy?)
  case publisherMismatch(Int64, expected: SourceAppExpectation)
  case tapNotVerified
  case tapBeforeCreation(createdAt: Instant)
  case impressionExpired(age: Interval)
  case viewTooShort(Interval)

  package var reason: Reason {
    let first = AdAttributionKitAd.firstSystem.text
    return switch self {
    case .unsupportedPlatform(let app):
      Reason("platform-unsupported", "\(app) is not an app for iPhone or iPad, and AdAttributionKit does nothing in it")
    case .systemTooOld(let system):
      Reason("system-too-old", "AdAttributionKit needs iOS \(first), and the device runs iOS \(system.text)")
    case .sdkTooOld(let sdk):
      Reason("sdk-too-old", "AdAttributionKit needs the iOS \(first) SDK, and the app was built with the iOS \(sdk.text) SDK")
    case .noHandleView(let system):
      Reason(
        "system-too-old",
        "handleView() needs iOS \(AdAttributionKitAd.firstSystemWithHandleView.text), and the device runs iOS \(system.text)")
    case .malformed(.components, let detail): Reason("jws-components-invalid", detail.asFragment)
    case .malformed(.header, let detail): Reason("jws-header-invalid", detail.asFragment)
    case .malformed(.payload, let detail): Reason("jws-payload-invalid", detail.asFragment)
    case .malformed(.signature, let detail): Reason("signature-malformed", detail.asFragment)
    case .networkInvalid(let network): .adNetworkIdentifierInvalid(network)
    case .networkNotLowerCase(let network): .adNetworkIdentifierNotLowerCase(network)
    case .networkNotDeclared(let network, let app):
      Reason("ad-network-not-declared", "AdNetworkIdentifiers in the Info.plist of \(app) does not list \(network)")
    case .networkNotRegistered(let network): .adNetworkNotRegistered(network)
    case .signatureInvalid(let text, let remedy):
      Reason(
        "signature-invalid",
        "the signature does not verify over \(text.asShown(upTo: ShownSize.signedText))"
          + (remedy?.finding.map { ": \($0.asFragment)" } ?? ""))
    case .publisherMismatch(let item, let expected):
      Reason("source-app-mismatch", "the ad is signed for publisher \(item), but \(expected.detail)")
    case .tapNotVerified: Reason("tap-not-verified", "the tap did not land on a UIEventAttributionView over the ad")
    case .tapBeforeCreation(let createdAt):
      Reason("app-impression-not-created", "the impression is created at \(createdAt.text), after the tap")
    case .impressionExpired(let age):
      Reason(
        "app-impression-expired",
        "the impression was created \(age.words) before the tap, and a tap counts for \(Self.tapLifetime)")
    case .viewTooShort(let displayed):
      Reason("view-too-short", "the ad was displayed for \(displayed.words), less than \(ViewTime.adAttributionKit.words)")
    }
  }

  package var change: String {
    let first = AdAttributionKitAd.firstSystem.text
    return switch self {
    case .malformed(.header, _):
      "sign with the identifier of the ad network as kid, equal to ad-network-identifier, and ES256 as alg"
    case .unsupportedPlatform: "display the ad in an app for iPhone or iPad"
    case .systemTooOld: "update the device to iOS \(first)"
    case .sdkTooOld: "build the app with the iOS \(first) SDK or a later one"
    case .noHandleView:
      "call beginView() and endView(), or update the device to iOS \(AdAttributionKitAd.firstSystemWithHandleView.text)"
    case .malformed: "correct the JSON Web Signature, and sign it again"
    case .networkInvalid: "sign under the identifier that Apple assigned to the ad network"
    case .networkNotLowerCase(let network): "sign as \"\(network.lowercased())\", and list it in AdNetworkIdentifiers"
    case .networkNotDeclared(let network, _): "add \(network) to AdNetworkIdentifiers, and register the app again"
    case .networkNotRegistered(let network): "register \(network) with its public key and its postback URL"
    case .signatureInvalid(_, let remedy):
      remedy?.instruction.asFragment ?? "sign with the private key that belongs to the registered key"
    case .publisherMismatch(_, let expected): expected.change("sign")
    case .tapNotVerified: "cover the ad with a UIEventAttributionView (tapVerified: true)"
    case .tapBeforeCreation: "create the AppImpression before the tap"
    case .impressionExpired: "create the AppImpression at most \(Self.tapLifetime) before the tap"
    case .viewTooShort(let displayed): "display the ad for \((ViewTime.adAttributionKit - displayed).words) longer"
    }
  }

  private static let tapLifetime = AdAttributionKitAd.tapLifetime.words

  /// The error that the app receives from `AppImpression`; nil for a view that is too short, which no call reports.
  package var appleError: AppleError? {
    switch self {
    case .malformed(.components, _): .adAttributionKit(.invalidImpressionJWSComponents)
    case .malformed(.header, _), .networkInvalid, .networkNotLowerCase: .adAttributionKit(.invalidImpressionJWSHeader)
    case .malformed(.payload, _), .publisherMismatch: .adAttributionKit(.invalidImpressionJWSPayload)
    case .malformed(.signature, _), .signatureInvalid, .networkNotRegistered: .adAttributionKit(.invalidImpressionJWSSignature)
    case .tapNotVerified: .adAttributionKit(.missingAttributionView)
    case .impressionExpired: .adAttributionKit(.impressionExpired)
    case .unsupportedPlatform, .systemTooOld, .sdkTooOld, .noHandleView, .networkNotDeclared, .tapBeforeCreation:
      .adAttributionKit(.unknown)
    case .viewTooShort: nil
    }
  }
}
