/// The status of App Tracking Transparency for an app (consent reference, section A1). The raw value is Apple's code.
package enum TrackingStatus: Int64, Hashable, Codable, Sendable, CaseIterable {
  /// The user has not answered the prompt.
  case notDetermined = 0
  /// Tracking is blocked on the device.
  case restricted = 1
  /// The user denied tracking, or apps may not ask.
  case denied = 2
  case authorized = 3

  /// The name of Apple's constant.
  package var name: String {
    switch self {
    case .notDetermined: "notDetermined"
    case .restricted: "restricted"
    case .denied: "denied"
    case .authorized: "authorized"
    }
  }
}

/// The system-wide setting of tracking.
package enum SystemTrackingSetting: String, Hashable, Codable, Sendable, CaseIterable {
  /// Apps may ask.
  case allowed
  /// "Allow Apps to Request to Track" is off.
  case off
  /// Supervision, or a child account.
  case restricted
}

/// The strategies of Adjust's SDK 4, by the names of their constants (consent reference, section A5).
package enum SDKURLStrategy: String, Hashable, Codable, Sendable, CaseIterable {
  case standard = "default"
  case dataResidencyEU = "ADJDataResidencyEU"
  case dataResidencyTR = "ADJDataResidencyTR"
  case dataResidencyUS = "ADJDataResidencyUS"
  case china = "ADJUrlStrategyChina"
  case cn = "ADJUrlStrategyCn"
  case cnOnly = "ADJUrlStrategyCnOnly"
  case india = "ADJUrlStrategyIndia"

  package var hosts: SDKHosts { SDKHosts(domains: domains) }

  /// Returns whether a strategy has this host.
  package static func hasHost(_ host: String) -> Bool {
    let name = host.lowercased()
    let host = name.hasSuffix(".") ? String(name.dropLast()) : name
    return allCases.contains { strategy in
      [true, false].contains { strategy.hosts.names(withConsent: $0).contains(host) }
    }
  }

  /// The domains, in the order in which the SDK tries them.
  private var domains: [String] {
    switch self {
    case .standard: ["adjust.com", "adjust.world"]
    case .dataResidencyEU: ["eu.adjust.com"]
    case .dataResidencyTR: ["tr.adjust.com"]
    case .dataResidencyUS: ["us.adjust.com"]
    case .china: ["adjust.world", "adjust.com"]
    case .cn: ["adjust.cn", "adjust.com"]
    case .cnOnly: ["adjust.cn"]
    case .india: ["adjust.net.in", "adjust.com"]
    }
  }
}

/// Where a measurement SDK sends its requests. The hosts are facts for tests. pcm-browser does not contact them.
package struct SDKHosts: Hashable, Codable, Sendable {
  /// The domains, in the order in which the SDK tries them.
  package let domains: [String]
  /// Whether the SDK puts `analytics` or `consent` before a domain.
  package let usesSubdomains: Bool

  package init(domains: [String], usesSubdomains: Bool = true) {
    self.domains = domains
    self.usesSubdomains = usesSubdomains
  }

  /// Returns the hosts of requests, in the order in which the SDK tries them.
  package func names(withConsent hasConsent: Bool) -> [String] {
    domains.map { usesSubdomains ? "\(hasConsent ? "consent" : "analytics").\($0)" : $0 }
  }
}
