package import PCMCore

/// The measurement settings in an app's Info.plist.
package struct AppManifest: Hashable, Sendable {
  package let bundleIdentifier: String
  /// The value of `NSAdvertisingAttributionReportEndpoint` as written; nil when it is missing or not a string.
  package let reportEndpoint: String?
  /// The parsed value when it is a URL, whether usable or not.
  package let endpoint: WebURL?
  /// Whether the app runs on a Mac or another device that is not an iPhone or iPad. See `DeviceSupport`.
  package let isMacCatalyst: Bool
  /// The findings: errors, then warnings, then notes. A manifest without errors and warnings is valid.
  package let findings: [ManifestFinding]

  package init(
    bundleIdentifier: String, reportEndpoint: String?, endpoint: WebURL?, isMacCatalyst: Bool, findings: [ManifestFinding]
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.reportEndpoint = reportEndpoint
    self.endpoint = endpoint
    self.isMacCatalyst = isMacCatalyst
    self.findings = findings
  }

  /// The app as input of the rules for clicks.
  package var app: AppTap.App {
    AppTap.App(bundleIdentifier: bundleIdentifier, endpoint: tapEndpoint, isMacCatalyst: isMacCatalyst)
  }

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

/// An error, a warning, or a note about a manifest.
package struct ManifestFinding: Hashable, Sendable {
  package let code: Code
  /// A description for people: the key, the problem, and the remedy.
  package let detail: String

  package var severity: Severity { code.severity }

  /// The detail without its period, for use in another sentence.
  package var clause: String { detail.hasSuffix(".") ? String(detail.dropLast()) : detail }

  package init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  package enum Severity: String, Hashable, Sendable, CaseIterable, Comparable {
    /// The browser discards clicks from the app.
    case error
    /// The browser measures clicks from the app, but a value may not have the intended effect.
    case warning
    case info

    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .error: 0
      case .warning: 1
      case .info: 2
      }
    }
  }

  /// Stable codes.
  package enum Code: String, Hashable, Sendable, CaseIterable {
    case endpointMissing = "endpoint-missing"
    case endpointNotAString = "endpoint-not-a-string"
    case endpointUnresolvedBuildSetting = "endpoint-unresolved-build-setting"
    case endpointNotAURL = "endpoint-not-a-url"
    case endpointNotHTTPS = "endpoint-not-https"
    case endpointIsAnAddress = "endpoint-is-an-address"
    case endpointWithoutRegistrableDomain = "endpoint-without-registrable-domain"
    case macCatalyst = "mac-catalyst"
    case endpointKeyMisspelled = "endpoint-key-misspelled"
    case endpointPadded = "endpoint-padded"
    case endpointHostNotASCII = "endpoint-host-not-ascii"
    case duplicateKeys = "duplicate-keys"
    case endpointSubdomainIgnored = "endpoint-subdomain-ignored"
    case endpointPathIgnored = "endpoint-path-ignored"
    case endpointQueryIgnored = "endpoint-query-ignored"
    case endpointFragmentIgnored = "endpoint-fragment-ignored"
    case endpointPortIgnored = "endpoint-port-ignored"
    case endpointCredentialsIgnored = "endpoint-credentials-ignored"
    case minimumOSVersionTooLow = "minimum-os-version-too-low"
    case skAdNetworkItems = "skadnetwork-items"
    case adAttributionKitKeys = "ad-attribution-kit-keys"

    package var severity: Severity {
      switch self {
      case .endpointMissing, .endpointNotAString, .endpointUnresolvedBuildSetting, .endpointNotAURL, .endpointNotHTTPS,
        .endpointIsAnAddress, .endpointWithoutRegistrableDomain, .macCatalyst:
        .error
      case .endpointKeyMisspelled, .endpointPadded, .endpointHostNotASCII, .duplicateKeys, .endpointSubdomainIgnored,
        .endpointPathIgnored, .endpointQueryIgnored, .endpointFragmentIgnored,
        .endpointPortIgnored, .endpointCredentialsIgnored, .minimumOSVersionTooLow:
        .warning
      case .skAdNetworkItems, .adAttributionKitKeys: .info
      }
    }
  }
}
