package import PCMCore

/// An error, a warning, or a note about a manifest.
package struct ManifestFinding: Hashable, Sendable {
  package let code: Code
  package let severity: Severity
  /// A description for people: the key, the problem, and the remedy.
  package let detail: String
  /// The parts of the app that the finding concerns; none for a finding about the whole manifest.
  package let participations: Set<Participation>

  /// The detail without its period, for use in another sentence.
  package var clause: String { detail.hasSuffix(".") ? String(detail.dropLast()) : detail }

  /// - Parameters:
  ///   - severity: The severity, if the code usually has another.
  ///   - participations: The parts that it concerns, if the code usually has others.
  package init(
    _ code: Code, _ detail: String, severity: Severity? = nil, about participations: Set<Participation>? = nil
  ) {
    self.code = code
    self.severity = severity ?? code.severity
    self.detail = detail
    self.participations = participations ?? code.participations
  }

  /// The finding in the API.
  package var json: JSON {
    ["code": .string(code.rawValue), "severity": .string(severity.rawValue), "detail": .string(detail)]
  }

  /// The severities, the worst first.
  package enum Severity: String, Hashable, Sendable, CaseIterable {
    /// A measurement in which the app takes part does not work.
    case error
    /// The measurement works, but a value may not have the intended effect.
    case warning
    case info
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
    case endpointHostUnclear = "endpoint-host-unclear"
    case duplicateKeys = "duplicate-keys"
    case bundleIdentifierInvalid = "bundle-identifier-invalid"
    case endpointSubdomainIgnored = "endpoint-subdomain-ignored"
    case endpointPathIgnored = "endpoint-path-ignored"
    case endpointQueryIgnored = "endpoint-query-ignored"
    case endpointFragmentIgnored = "endpoint-fragment-ignored"
    case endpointPortIgnored = "endpoint-port-ignored"
    case endpointCredentialsIgnored = "endpoint-credentials-ignored"
    case minimumOSVersionTooLow = "minimum-os-version-too-low"
    case copyEndpointNotAString = "copy-endpoint-not-a-string"
    case copyEndpointUnresolvedBuildSetting = "copy-endpoint-unresolved-build-setting"
    case copyEndpointNotAURL = "copy-endpoint-not-a-url"
    case copyEndpointNotHTTPS = "copy-endpoint-not-https"
    case copyEndpointIsAnAddress = "copy-endpoint-is-an-address"
    case copyEndpointWithoutRegistrableDomain = "copy-endpoint-without-registrable-domain"
    case copyEndpointPadded = "copy-endpoint-padded"
    case copyEndpointHostNotASCII = "copy-endpoint-host-not-ascii"
    case copyEndpointHostUnclear = "copy-endpoint-host-unclear"
    case copyEndpointSubdomainIgnored = "copy-endpoint-subdomain-ignored"
    case copyEndpointPathIgnored = "copy-endpoint-path-ignored"
    case copyEndpointQueryIgnored = "copy-endpoint-query-ignored"
    case copyEndpointFragmentIgnored = "copy-endpoint-fragment-ignored"
    case copyEndpointPortIgnored = "copy-endpoint-port-ignored"
    case copyEndpointCredentialsIgnored = "copy-endpoint-credentials-ignored"
    case reengagementCopiesWithoutEndpoint = "reengagement-copies-without-endpoint"
    case keyMisspelled = "key-misspelled"
    case keyMisplaced = "key-misplaced"
    case wrongType = "wrong-type"
    case unknownMember = "unknown-member"
    case adNetworkListEmpty = "ad-network-list-empty"
    case adNetworkListUnusable = "ad-network-list-unusable"
    case tooManyAdNetworks = "too-many-ad-networks"
    case adNetworkIdentifierMissing = "ad-network-identifier-missing"
    case adNetworkIdentifierInvalid = "ad-network-identifier-invalid"
    case adNetworkIdentifierNotLowercase = "ad-network-identifier-not-lowercase"
    case adNetworkIdentifierWithoutSuffix = "ad-network-identifier-without-suffix"
    case duplicateAdNetworks = "duplicate-ad-networks"
    case attributionWindowOutOfRange = "attribution-window-out-of-range"
    case interactionTypeUnknown = "interaction-type-unknown"
    case interactionTypeUnderGlobal = "interaction-type-under-global"
    case cooldownOutOfRange = "cooldown-out-of-range"
    case cooldownSpelledTwice = "cooldown-spelled-twice"
    case adAttributionKitDictionary = "ad-attribution-kit-dictionary"
    case cooldownSpellingUncertain = "cooldown-spelling-uncertain"
    case endpointAbsent = "endpoint-absent"
    case visionOS = "visionos"
    case skAdNetworkItems = "skadnetwork-items"
    case adAttributionKitKeys = "ad-attribution-kit-keys"
    case trackingUsageEmpty = "tracking-usage-empty"
    case configPlugins = "config-plugins"

    /// The usual severity.
    package var severity: Severity {
      switch self {
      case .endpointMissing, .endpointNotAString, .endpointNotAURL, .endpointNotHTTPS, .endpointIsAnAddress,
        .endpointWithoutRegistrableDomain, .macCatalyst, .copyEndpointNotAString, .copyEndpointNotAURL, .copyEndpointNotHTTPS,
        .copyEndpointIsAnAddress, .copyEndpointWithoutRegistrableDomain, .keyMisplaced, .adNetworkListUnusable,
        .bundleIdentifierInvalid, .trackingUsageEmpty:
        .error
      case .endpointAbsent, .visionOS, .skAdNetworkItems, .adAttributionKitKeys, .configPlugins: .info
      default: .warning
      }
    }

    /// The parts that findings with this code usually concern.
    package var participations: Set<Participation> {
      switch self {
      case .endpointMissing, .endpointAbsent, .endpointKeyMisspelled, .macCatalyst, .visionOS, .minimumOSVersionTooLow:
        [.clicks]
      case .duplicateKeys: []
      case .skAdNetworkItems: [.skAdNetworkPublisher]
      case .trackingUsageEmpty: [.tracking]
      default:
        if rawValue.hasPrefix("copy-endpoint-") || self == .adAttributionKitDictionary
          || self == .reengagementCopiesWithoutEndpoint
        {
          [.adAttributionKitAdvertiser]
        } else if rawValue.hasPrefix("endpoint-") {
          [.clicks, .skAdNetworkAdvertiser]
        } else {
          []
        }
      }
    }
  }
}
