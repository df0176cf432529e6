/// When the conversion windows of production begin: Apple's pages disagree (SKAdNetwork reference, section 13, point 3;
/// AdAttributionKit reference, section 13).
package enum ConversionWindowStart: String, Hashable, Codable, Sendable, CaseIterable {
  /// With the first launch of the app.
  case launch
  /// With the first update of the conversion value.
  case firstUpdate = "first-update"
}

/// The times of a conversion, in production or shorter for a test (SKAdNetwork reference, section 10;
/// AdAttributionKit reference, section 10).
package enum ConversionTiming: String, Hashable, Codable, Sendable, CaseIterable {
  case production
  /// Developer mode, only for ads that serve for tests.
  case developerMode = "developer-mode"
  case testingProfile = "testing-profile"

  /// The ends of the three windows after their start.
  package var windowEnds: [Interval] {
    switch self {
    case .production: [.days(2), .days(7), .days(35)]
    case .developerMode: [.minutes(3), .minutes(6), .minutes(9)]
    case .testingProfile: []
    }
  }

  /// The length of the rolling timer.
  package var timerLength: Interval {
    switch self {
    case .production: .hours(24)
    case .developerMode: .minutes(3)
    case .testingProfile: .minutes(5)
    }
  }
}

/// The site that `source_domain` of a web ad names (SKAdNetwork reference, section 2.3).
package enum SourceDomainChoice: String, Hashable, Codable, Sendable, CaseIterable {
  /// The website that displays the ad.
  case displayingSite = "displaying-site"
  /// The ad network that seeks attribution.
  case adNetwork = "ad-network"
}

/// The keys with which a device signs its postbacks of AdAttributionKit.
package enum PostbackKeyChoice: String, Hashable, Codable, Sendable, CaseIterable {
  /// The published test keys. Development postbacks use the first one.
  case test
  /// The same, except that development postbacks use the second one.
  case secondDevelopment = "test-second-development"
  /// A fault: the published test keys under Apple's key identifiers, which a receiver with Apple's keys must reject.
  case appleIdentifiers = "apple-identifiers"
}

/// The country of an account, such as `US`.
package enum CountryCode {
  /// Returns whether the text is two upper-case letters.
  package static func isValid(_ text: String) -> Bool {
    text.utf8.count == 2 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}
