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

/// Where a measurement SDK sends its requests: the strategies of Adjust's SDK, by the names of their constants (consent reference,
/// section A5). The hosts are facts for tests. pcm-browser does not contact them.
package enum SDKURLStrategy: String, Hashable, Codable, Sendable, CaseIterable {
  case standard = "default"
  case dataResidencyEU = "ADJDataResidencyEU"
  case dataResidencyTR = "ADJDataResidencyTR"
  case dataResidencyUS = "ADJDataResidencyUS"
  case china = "ADJUrlStrategyChina"
  case cn = "ADJUrlStrategyCn"
  case india = "ADJUrlStrategyIndia"

  /// The host of requests without consent.
  package var analyticsHost: String { "analytics.\(domain)" }
  /// The host of requests with consent.
  package var consentHost: String { "consent.\(domain)" }

  /// Returns whether a strategy has this host.
  package static func hasHost(_ host: String) -> Bool {
    let name = host.lowercased()
    let host = name.hasSuffix(".") ? String(name.dropLast()) : name
    return allCases.contains { [$0.analyticsHost, $0.consentHost].contains(host) }
  }

  private var domain: String {
    switch self {
    case .standard: "adjust.com"
    case .dataResidencyEU: "eu.adjust.com"
    case .dataResidencyTR: "tr.adjust.com"
    case .dataResidencyUS: "us.adjust.com"
    case .china: "adjust.world"
    case .cn: "adjust.cn"
    case .india: "adjust.net.in"
    }
  }
}
