package import PCMCore

/// The device: its system, its account, and what a developer switched on.
package struct Device: Hashable, Sendable {
  package var system: OSVersion
  /// The country of the App Store account, two letters; nil if unknown.
  package var country: String?
  /// When developer mode was switched on (Settings > Developer > Ad Attribution Testing); nil if it is off. iOS 18 and later.
  package var developerModeSince: Instant?
  /// When the testing profile was installed; nil without one. Before iOS 18.
  package var testingProfileSince: Instant?
  package var settings: DeviceSettings

  package init(
    system: OSVersion = OSVersion(18, 6), country: String? = "US", developerModeSince: Instant? = nil,
    testingProfileSince: Instant? = nil, settings: DeviceSettings = DeviceSettings()
  ) {
    self.system = system
    self.country = country
    self.developerModeSince = developerModeSince
    self.testingProfileSince = testingProfileSince
    self.settings = settings
  }

  /// Developer mode and the testing profile turn themselves off after two weeks.
  package static let testingLifetime = Interval.days(14)

  package func isInDeveloperMode(at now: Instant) -> Bool {
    system >= OSVersion(18) && Self.isActive(developerModeSince, at: now)
  }

  /// Whether the testing profile shortens the times of a framework. It does nothing from iOS 18 on.
  package func hasTestingProfile(_ framework: AdFramework, at now: Instant) -> Bool {
    let first = framework == .skadnetwork ? OSVersion(14) : OSVersion(17, 4)
    return system >= first && system < OSVersion(18) && Self.isActive(testingProfileSince, at: now)
  }

  private static func isActive(_ since: Instant?, at now: Instant) -> Bool {
    since.map { now >= $0 && now < $0 + testingLifetime } ?? false
  }
}

/// What a test chooses where Apple's documentation leaves a device's behavior open.
package struct DeviceSettings: Hashable, Sendable {
  /// How long a view-through ad of SKAdNetwork must be displayed. Apple has an error for shorter views, but no number.
  package var minimumViewTime: Interval
  package var sourceDomain: SourceDomainChoice

  package init(
    minimumViewTime: Interval = ViewTime.adAttributionKit, sourceDomain: SourceDomainChoice = .displayingSite
  ) {
    self.minimumViewTime = minimumViewTime
    self.sourceDomain = sourceDomain
  }
}

/// The site that `source_domain` of a web ad names (SKAdNetwork reference, section 2.3).
package enum SourceDomainChoice: String, Hashable, Sendable, CaseIterable {
  /// The website that displays the ad.
  case displayingSite = "displaying-site"
  /// The ad network that seeks attribution.
  case adNetwork = "ad-network"
}

/// How long an ad must be displayed to count as a view.
package enum ViewTime {
  /// AdAttributionKit records a view after two seconds (AdAttributionKit reference, section 2).
  package static let adAttributionKit = Interval.seconds(2)
}
