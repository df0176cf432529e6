/// Something about a manifest that its author should know.
package struct ManifestFinding: Hashable, Sendable {
  package let code: Code
  /// A sentence or two for people: the key, what is wrong with it, and what to write instead.
  package let detail: String

  package var severity: Severity { code.severity }

  /// The detail without its final period, for use inside another sentence.
  package var clause: String { detail.hasSuffix(".") ? String(detail.dropLast()) : detail }

  package init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  package enum Severity: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Clicks from the app are discarded.
    case error
    /// Clicks count, but something does not have the effect that its author may expect.
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

  /// Stable names.
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
