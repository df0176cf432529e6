package import PCMCore

/// The device's application of an advertised app's attribution rules (AdAttributionKit reference, section 7).
extension AppAdAttribution {
  /// The first system that supports configured windows, cooldowns, and overlapping conversions.
  package static let firstSystem = OSVersion(18, 4)

  /// Returns the period after an interaction with a network's ad in which an install counts.
  package func window(_ interaction: InteractionType, network: String, on system: OSVersion) -> Interval {
    guard system >= Self.firstSystem else { return Self.standardWindow(interaction) }
    let windows = networkWindows[network] ?? globalWindows
    return interaction == .click ? windows.click : windows.view
  }

  /// Returns the default period in which an install counts: 24 hours after a view, 30 days after a click.
  package static func standardWindow(_ interaction: InteractionType) -> Interval {
    interaction == .click ? Windows().click : Windows().view
  }

  /// Returns the maximum period that a configuration allows.
  static func longestWindow(_ interaction: InteractionType) -> Interval {
    .days(Int64((interaction == .click ? Windows.clickDays : Windows.viewDays).upperBound))
  }

  func ignores(_ interaction: InteractionType, network: String, on system: OSVersion) -> Bool {
    system >= Self.firstSystem && networkWindows[network]?.ignoredInteraction == interaction
  }

  /// Returns the end of the cooldown; nil if there is none.
  func cooldownEnd(_ past: PastConversions, on system: OSVersion) -> Instant? {
    guard system >= Self.firstSystem else { return nil }
    return [past.installAt.map { $0 + cooldowns.install }, past.reengagementAt.map { $0 + cooldowns.reengagement }]
      .compactMap { $0 }.max()
  }
}
