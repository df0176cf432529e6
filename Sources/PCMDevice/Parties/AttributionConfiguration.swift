package import PCMCore
package import PCMSignatures

/// What an advertised app configures for AdAttributionKit in its Info.plist (AdAttributionKit reference, sections 4, 6, and 7).
///
/// The windows and cooldowns are in the dictionary `AdAttributionKitConfigurations`, and count from iOS 18.4 on.
package struct AttributionConfiguration: Hashable, Sendable {
  /// How long after an interaction an install counts. A missing value, or one outside its range, leaves the decision to the
  /// next level: network, global, default.
  package struct Windows: Hashable, Sendable {
    /// 1 to 30 days.
    package var clickDays: Int64?
    /// 1 to 7 days.
    package var viewDays: Int64?
    /// Interactions of this type do not count. Only the windows of a network have it.
    package var ignoredInteraction: InteractionType?

    package init(clickDays: Int64? = nil, viewDays: Int64? = nil, ignoredInteraction: InteractionType? = nil) {
      self.clickDays = clickDays
      self.viewDays = viewDays
      self.ignoredInteraction = ignoredInteraction
    }

    fileprivate func days(_ interaction: InteractionType) -> Int64? {
      let days = interaction == .click ? clickDays : viewDays
      return days.flatMap { Self.range(interaction).contains($0) ? $0 : nil }
    }

    package static func range(_ interaction: InteractionType) -> ClosedRange<Int64> {
      interaction == .click ? 1...30 : 1...7
    }
  }

  package var global: Windows
  /// By the identifier of an ad network.
  package var networks: [String: Windows]
  /// 0 to 720 hours after an install conversion, in which there is no new conversion.
  package var installCooldownHours: Int64
  /// 0 to 720 hours after a re-engagement conversion, in which there is no new conversion.
  package var reengagementCooldownHours: Int64
  /// `EligibleForAdAttributionKitOverlappingConversions`.
  package var allowsOverlappingConversions: Bool
  /// `EligibleForAdAttributionKitReengagementPostbackCopies`.
  package var copiesReengagementPostbacks: Bool

  package init(
    global: Windows = Windows(), networks: [String: Windows] = [:], installCooldownHours: Int64 = 0,
    reengagementCooldownHours: Int64 = 0, allowsOverlappingConversions: Bool = false,
    copiesReengagementPostbacks: Bool = false
  ) {
    self.global = global
    self.networks = networks
    self.installCooldownHours = installCooldownHours
    self.reengagementCooldownHours = reengagementCooldownHours
    self.allowsOverlappingConversions = allowsOverlappingConversions
    self.copiesReengagementPostbacks = copiesReengagementPostbacks
  }

  /// The version from which a device reads the windows, the cooldowns, and the permission to overlap.
  package static let firstSystem = OSVersion(18, 4)
  package static let cooldownHours: ClosedRange<Int64> = 0...720

  /// The time in which an install counts after an interaction with an ad of a network.
  package func window(_ interaction: InteractionType, network: String, on system: OSVersion) -> Interval {
    guard system >= Self.firstSystem else { return Self.standardWindow(interaction) }
    let days = networks[network]?.days(interaction) ?? global.days(interaction)
    return days.map { .days($0) } ?? Self.standardWindow(interaction)
  }

  /// The time in which an install counts by default: 24 hours after a view, 30 days after a click.
  package static func standardWindow(_ interaction: InteractionType) -> Interval {
    interaction == .click ? .days(30) : .hours(24)
  }

  /// The longest time that any configuration allows.
  static func longestWindow(_ interaction: InteractionType) -> Interval {
    .days(Windows.range(interaction).upperBound)
  }

  func ignores(_ interaction: InteractionType, network: String, on system: OSVersion) -> Bool {
    system >= Self.firstSystem && networks[network]?.ignoredInteraction == interaction
  }

  /// The end of the time without new conversions; nil if there is none.
  func cooldownEnd(_ past: PastConversions, on system: OSVersion) -> Instant? {
    guard system >= Self.firstSystem else { return nil }
    let hours = [(past.installAt, installCooldownHours), (past.reengagementAt, reengagementCooldownHours)]
    return hours.compactMap { instant, hours in
      hours > 0 && Self.cooldownHours.contains(hours) ? instant.map { $0 + .hours(hours) } : nil
    }.max()
  }
}

/// When an app last had a conversion of AdAttributionKit, for its cooldowns.
package struct PastConversions: Hashable, Sendable {
  package var installAt: Instant?
  package var reengagementAt: Instant?

  package init(installAt: Instant? = nil, reengagementAt: Instant? = nil) {
    self.installAt = installAt
    self.reengagementAt = reengagementAt
  }
}
