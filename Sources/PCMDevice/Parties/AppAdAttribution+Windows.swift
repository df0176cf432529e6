package import PCMCore

/// The attribution rules of an advertised app as a device applies them (AdAttributionKit reference, section 7).
extension AppAdAttribution {
  /// The first system that reads the windows, the cooldowns, and the permission to overlap.
  package static let firstSystem = OSVersion(18, 4)

  /// The time in which an install counts after an interaction with an ad of a network.
  package func window(_ interaction: InteractionType, network: String, on system: OSVersion) -> Interval {
    guard system >= Self.firstSystem else { return Self.standardWindow(interaction) }
    let windows = networkWindows[network] ?? globalWindows
    return interaction == .click ? windows.click : windows.view
  }

  /// The time in which an install counts by default: 24 hours after a view, 30 days after a click.
  package static func standardWindow(_ interaction: InteractionType) -> Interval {
    interaction == .click ? Windows().click : Windows().view
  }

  /// The longest time that any configuration allows.
  static func longestWindow(_ interaction: InteractionType) -> Interval {
    .days(Int64((interaction == .click ? Windows.clickDays : Windows.viewDays).upperBound))
  }

  func ignores(_ interaction: InteractionType, network: String, on system: OSVersion) -> Bool {
    system >= Self.firstSystem && networkWindows[network]?.ignoredInteraction == interaction
  }

  /// The end of the time without new conversions; nil if there is none.
  func cooldownEnd(_ past: PastConversions, on system: OSVersion) -> Instant? {
    guard system >= Self.firstSystem else { return nil }
    return [past.installAt.map { $0 + cooldowns.install }, past.reengagementAt.map { $0 + cooldowns.reengagement }]
      .compactMap { $0 }.max()
  }
}
