package import PCMCore

/// Why a device does not accept an ad of AdAttributionKit.
package enum AdAttributionKitRejection: Hashable, RuleViolation {
  case unsupportedPlatform(bundleIdentifier: String)
  case systemTooOld(OSVersion)
  case sdkTooOld(OSVersion)
  /// - Parameter detail: The verifier's finding.
  case malformed(JWSFaultPart, _ detail: String)
  case networkNotLowerCase(String)
  case networkNotDeclared(String, bundleIdentifier: String)
  case networkNotRegistered(String)
  case signatureInvalid(String, fix: String?)
  case publisherMismatch(Int64, expected: SourceAppExpectation)
  case tapNotVerified
  case impressionExpired(age: Interval)
  case viewTooShort(Interval)

  package var reason: Reason {
    let first = AdAttributionKitAd.firstSystem.text
    return switch self {
    case .unsupportedPlatform(let app):
      Reason("platform-unsupported", "\(app) is not an app for iPhone or iPad, and AdAttributionKit does nothing in it")
    case .systemTooOld(let system):
      Reason("system-too-old", "AdAttributionKit needs iOS \(first), and the device has iOS \(system.text)")
    case .sdkTooOld(let sdk):
      Reason("sdk-too-old", "AdAttributionKit needs the iOS \(first) SDK, and the app was built with the iOS \(sdk.text) SDK")
    case .malformed(.components, let detail): Reason("jws-components-invalid", detail)
    case .malformed(.header, let detail): Reason("jws-header-invalid", detail)
    case .malformed(.payload, let detail): Reason("jws-payload-invalid", detail)
    case .malformed(.signature, let detail): Reason("signature-malformed", detail)
    case .networkNotLowerCase(let network):
      Reason("ad-network-id-not-lower-case", "\"\(network)\" has upper-case letters, and a device does not recognize it")
    case .networkNotDeclared(let network, let app):
      Reason("ad-network-not-declared", "AdNetworkIdentifiers in the Info.plist of \(app) does not list \(network)")
    case .networkNotRegistered(let network): Reason("ad-network-not-registered", "no ad network \(network) is registered")
    case .signatureInvalid(let text, _): Reason("signature-invalid", "the signature does not verify over \(text)")
    case .publisherMismatch(let item, let expected):
      Reason("source-app-mismatch", "the ad is signed for publisher \(item), but \(expected.detail)")
    case .tapNotVerified: Reason("tap-not-verified", "the tap did not land on a UIEventAttributionView over the ad")
    case .impressionExpired(let age):
      Reason("app-impression-expired", "the impression was created \(age.words) before the tap, and a tap counts for 15 min")
    case .viewTooShort(let displayed):
      Reason("view-too-short", "the ad was displayed for \(displayed.words), less than \(ViewTime.adAttributionKit.words)")
    }
  }

  package var change: String {
    let first = AdAttributionKitAd.firstSystem.text
    return switch self {
    case .unsupportedPlatform: "display the ad in an app for iPhone or iPad"
    case .systemTooOld: "update the device to iOS \(first)"
    case .sdkTooOld: "build the app with the iOS \(first) SDK or a later one"
    case .malformed: "correct the JSON Web Signature, and sign it again"
    case .networkNotLowerCase(let network): "sign as \"\(network.lowercased())\", and list it in AdNetworkIdentifiers"
    case .networkNotDeclared(let network, _): "add \(network) to AdNetworkIdentifiers, and register the app again"
    case .networkNotRegistered(let network): "register \(network) with its public key and its postback URL"
    case .signatureInvalid(_, let fix):
      fix.map(SKAdNetworkRejection.instruction) ?? "sign with the private key that belongs to the registered key"
    case .publisherMismatch(_, let expected): "sign \(expected.change)"
    case .tapNotVerified: "cover the ad with a UIEventAttributionView (tapVerified: true)"
    case .impressionExpired: "create the AppImpression at most 15 min before the tap"
    case .viewTooShort(let displayed): "display the ad for \((ViewTime.adAttributionKit - displayed).words) longer"
    }
  }

  /// The error that the app receives; nil for an ad that StoreKit renders, which is displayed and does not count.
  package var appleError: AppleError? {
    switch self {
    case .malformed(.components, _): .adAttributionKit(.invalidImpressionJWSComponents)
    case .malformed(.header, _), .networkNotLowerCase: .adAttributionKit(.invalidImpressionJWSHeader)
    case .malformed(.payload, _), .publisherMismatch: .adAttributionKit(.invalidImpressionJWSPayload)
    case .malformed(.signature, _), .signatureInvalid, .networkNotRegistered: .adAttributionKit(.invalidImpressionJWSSignature)
    case .tapNotVerified: .adAttributionKit(.missingAttributionView)
    case .impressionExpired: .adAttributionKit(.impressionExpired)
    case .unsupportedPlatform, .systemTooOld, .sdkTooOld, .networkNotDeclared: .adAttributionKit(.unknown)
    case .viewTooShort: nil
    }
  }
}
