package import PCMCore

/// The measurement settings in an app's Info.plist.
package struct AppManifest: Hashable, Sendable {
  package let bundleIdentifier: String
  /// The value of `NSAdvertisingAttributionReportEndpoint` as written, with `removed@` instead of user information; nil when it
  /// is missing or not a string.
  package let reportEndpoint: String?
  /// The parsed value when it is a URL, whether usable or not.
  package let endpoint: WebURL?
  /// Whether the app runs on a Mac or another device that is not an iPhone or iPad. See `DeviceSupport`.
  package let isMacCatalyst: Bool
  /// The values that a device reads for the attribution of app installs.
  package let adAttribution: AppAdAttribution
  /// The findings: errors, then warnings, then notes. A manifest without errors and warnings is valid.
  package let findings: [ManifestFinding]

  package init(
    bundleIdentifier: String, reportEndpoint: String?, endpoint: WebURL?, isMacCatalyst: Bool,
    adAttribution: AppAdAttribution, findings: [ManifestFinding]
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.reportEndpoint = reportEndpoint
    self.endpoint = endpoint
    self.isMacCatalyst = isMacCatalyst
    self.adAttribution = adAttribution
    self.findings = findings
  }

  /// The app as input of the rules for clicks.
  package var app: AppTap.App {
    AppTap.App(bundleIdentifier: bundleIdentifier, endpoint: tapEndpoint, isMacCatalyst: isMacCatalyst)
  }

  package var platform: AppBuild.Platform { isMacCatalyst ? .macCatalyst : .iPhoneOrIPad }

  /// The first finding that makes the endpoint unusable; nil when it is usable.
  package var endpointError: ManifestFinding? {
    findings.first { $0.severity == .error && $0.code != .macCatalyst }
  }

  private var tapEndpoint: AppTap.Endpoint {
    if let error = endpointError { return error.code == .endpointMissing ? .missing : .invalid(why: error.clause) }
    guard let endpoint, let reportEndpoint else { return .missing }
    return .valid(endpoint, written: reportEndpoint)
  }
}
