package import PCMCore
package import PCMSignatures

/// Why a device does not accept an SKAdNetwork ad.
package enum SKAdNetworkRejection: Hashable, RuleViolation {
  case unsupportedPlatform(AppBuild.Platform, bundleIdentifier: String)
  case versionUnknown(String)
  case viewThroughTooOld(SKAdNetworkVersion)
  case versionNotSupported(SKAdNetworkVersion, VersionIneligibility)
  case valueMissing([String])
  case networkInvalid(String)
  case networkNotLowerCase(String)
  case networkNotDeclared(String, bundleIdentifier: String)
  case networkNotRegistered(String)
  case campaignOutOfRange(Int64)
  case sourceIdentifierOutOfRange(Int64)
  case advertisedAppInvalid(Int64)
  case sourceAppInvalid(Int64)
  case sourceAppMismatch(Int64, expected: SourceAppExpectation)
  case nonceInvalid(String)
  case timestampNotMilliseconds(Int64)
  case signatureMalformed
  /// The remedy is nil if no common mistake explains the signature.
  case signatureInvalid(SignedText, SignatureRemedy?)

  package var reason: Reason {
    switch self {
    case .unsupportedPlatform(let platform, let app):
      Reason("platform-unsupported", "\(app) is \(platform.description), where SKAdNetwork does nothing")
    case .versionUnknown(let text): Reason("version-unknown", "\"\(text.shown)\" is not a version of SKAdNetwork")
    case .viewThroughTooOld(let version):
      Reason(
        "view-through-too-old",
        "view-through ads exist from version \(Self.firstViewThrough) on, and the ad has version \(version.rawValue)")
    case .versionNotSupported(let version, let why): Reason("version-not-supported", why.detail(version))
    case .valueMissing(let names): Reason("value-missing", "the ad lacks \(names.joined(separator: ", "))")
    case .networkInvalid(let network): .adNetworkIdentifierInvalid(network)
    case .networkNotLowerCase(let network): .adNetworkIdentifierNotLowerCase(network)
    case .networkNotDeclared(let network, let app):
      Reason("ad-network-not-declared", "SKAdNetworkItems in the Info.plist of \(app) does not list \(network)")
    case .networkNotRegistered(let network): .adNetworkNotRegistered(network)
    case .campaignOutOfRange(let campaign):
      Reason("campaign-out-of-range", "campaign \(campaign) is not from \(CampaignIdentifier.campaigns.words)")
    case .sourceIdentifierOutOfRange(let identifier):
      Reason(
        "source-identifier-out-of-range",
        "source identifier \(identifier) is not from \(CampaignIdentifier.sourceIdentifiers.words)")
    case .advertisedAppInvalid(let item):
      Reason("advertised-app-invalid", "\(item) is not the identifier of an app in the App Store")
    case .sourceAppInvalid(let item): Reason("source-app-invalid", "\(item) is not the identifier of an app in the App Store")
    case .sourceAppMismatch(let item, let expected):
      Reason("source-app-mismatch", "the ad is signed for source app \(item), but \(expected.detail)")
    case .nonceInvalid(let text): Reason("nonce-not-a-uuid", "the nonce \"\(text.shown)\" is not a UUID")
    case .timestampNotMilliseconds(let timestamp):
      Reason("timestamp-not-milliseconds", "the timestamp \(timestamp) is not in milliseconds since 1970")
    case .signatureMalformed: Reason("signature-malformed", "the signature is not Base64 of an ECDSA signature in DER")
    case .signatureInvalid(let text, let remedy): .signatureInvalid(over: text.visible, remedy)
    }
  }

  package var change: String {
    switch self {
    case .unsupportedPlatform: "display the ad in an app for iPhone or iPad"
    case .versionUnknown:
      "pass one of \(SKAdNetworkVersion.allCases.map(\.rawValue).joined(separator: ", ")) as the version"
    case .viewThroughTooOld: "sign the ad for version \(Self.firstViewThrough) or later"
    case .versionNotSupported(let version, let why): why.change(version)
    case .valueMissing(let names): "pass \(names.joined(separator: ", "))"
    case .networkInvalid: "sign and pass the identifier that Apple assigned to the ad network"
    case .networkNotLowerCase(let network): "sign and pass \"\(network.lowercased())\", and list it in SKAdNetworkItems"
    case .networkNotDeclared(let network, _):
      "add a dictionary with SKAdNetworkIdentifier \(network) to SKAdNetworkItems, and register the app again"
    case .networkNotRegistered(let network): "register \(network) with its public key and its postback URL"
    case .campaignOutOfRange: "sign and pass a campaign from \(CampaignIdentifier.campaigns.words)"
    case .sourceIdentifierOutOfRange: "sign and pass a source identifier with up to four digits"
    case .advertisedAppInvalid: "sign and pass the identifier of the advertised app in the App Store"
    case .sourceAppInvalid: "sign and pass the identifier of the source app, or 0 for an app that is signed for development"
    case .sourceAppMismatch(_, let expected): expected.change("sign and pass")
    case .nonceInvalid: "pass a UUID, and sign it in lower case"
    case .timestampNotMilliseconds(let timestamp):
      "sign and pass \(SignedTime.milliseconds(ofSeconds: timestamp).map { "\($0)" } ?? "milliseconds since 1970")"
    case .signatureMalformed: "encode the signature in DER, and the DER bytes in Base64"
    case .signatureInvalid(_, let remedy): remedy.change
    }
  }

  /// The first version with view-through ads.
  private static let firstViewThrough = SKAdNetworkVersion.v22.rawValue

  /// The error of `startImpression`. `loadProduct` reports none: it displays the ad, which then does not count.
  package var appleError: AppleError {
    let code: SKANErrorCode =
      switch self {
      case .unsupportedPlatform, .versionNotSupported: .unsupported
      case .versionUnknown, .viewThroughTooOld: .invalidVersion
      case .valueMissing: .impressionMissingRequiredValue
      case .networkInvalid, .networkNotLowerCase, .networkNotDeclared: .adNetworkIdMissing
      case .campaignOutOfRange, .sourceIdentifierOutOfRange: .invalidCampaignId
      case .advertisedAppInvalid: .invalidAdvertisedAppId
      case .sourceAppInvalid: .invalidSourceAppId
      case .sourceAppMismatch: .mismatchedSourceAppId
      case .networkNotRegistered, .nonceInvalid, .timestampNotMilliseconds, .signatureMalformed, .signatureInvalid: .unknown
      }
    return .skan(code)
  }
}

extension AppBuild.Platform {
  fileprivate var description: String {
    switch self {
    case .iPhoneOrIPad: "an app for iPhone or iPad"
    case .macCatalyst: "a Mac Catalyst app"
    case .appClip: "an App Clip"
    case .visionOS: "an app for visionOS"
    }
  }
}
