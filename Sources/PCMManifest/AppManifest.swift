package import PCMCore

/// The contents of an app's manifest, with findings. The app may be unknown.
package struct ManifestReview: Hashable, Sendable {
  /// The value of `NSAdvertisingAttributionReportEndpoint` as written, with `removed@` instead of user information; nil when it
  /// is missing or not a string.
  package let reportEndpoint: String?
  /// The parsed value when it is a URL, whether usable or not.
  package let endpoint: WebURL?
  /// The platform of the app in the manifest. See `DeviceSupport`.
  package let platform: AppBuild.Platform
  /// The values that a device reads for the attribution of app installs.
  package let adAttribution: AppAdAttribution
  /// The findings: errors, then warnings, then notes. A manifest without errors and warnings is valid.
  package let findings: [ManifestFinding]
  /// The parts that an app can take in measurements, each with its verdict.
  package let judgments: [Judgment]
  /// The bundle identifier; nil when it is missing, invalid, or a build setting.
  package let bundleIdentifier: String?

  /// The first finding that makes the endpoint for clicks unusable; nil when it is usable or absent.
  package var endpointError: ManifestFinding? {
    findings.first { ManifestFinding.Code.ofUnusableEndpoints.contains($0.code) }
  }

  /// The endpoint as input of the rules for clicks.
  package var clickEndpoint: AppTap.Endpoint {
    if let error = endpointError { return error.code == .endpointMissing ? .missing : .invalid(why: error.clause) }
    guard let endpoint, let reportEndpoint else { return .missing }
    return .valid(endpoint, written: reportEndpoint)
  }
}

/// The manifest of a known app.
@dynamicMemberLookup
package struct AppManifest: Hashable, Sendable {
  package let bundleIdentifier: String
  package let review: ManifestReview

  package subscript<Value>(dynamicMember path: KeyPath<ManifestReview, Value>) -> Value { review[keyPath: path] }

  /// The app as input of the rules for clicks.
  package var app: AppTap.App {
    AppTap.App(bundleIdentifier: bundleIdentifier, endpoint: review.clickEndpoint, platform: review.platform)
  }
}

extension ManifestFinding.Code {
  fileprivate static let ofUnusableEndpoints: Set<Self> = [
    .endpointMissing, .endpointNotAString, .endpointUnresolvedBuildSetting, .endpointNotAURL, .endpointNotHTTPS,
    .endpointIsAnAddress, .endpointWithoutRegistrableDomain,
  ]
}
