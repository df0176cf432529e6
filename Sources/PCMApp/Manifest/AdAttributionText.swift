import PCMCore

/// The lines about app installs in the explanation of a manifest.
struct AdAttributionText {
  let values: AppAdAttribution

  /// The maximum number of ad networks that are shown of each kind. JSON has all.
  private static let shownLimit = 10

  var lines: [String] {
    let cooldowns = values.cooldowns
    return [
      "SKAdNetwork",
      "  ad networks    \(Self.list(values.skAdNetworkIdentifiers) ?? "none (SKAdNetworkItems)")",
      "  copies go to   \(values.skAdNetworkCopyURL ?? "nowhere")",
      "AdAttributionKit",
      "  ad networks    \(Self.list(values.adNetworkIdentifiers) ?? "none (AdNetworkIdentifiers)")",
      "  copy endpoint  \(values.copyEndpoint?.withoutUserInformation ?? "none (AttributionCopyEndpoint)")",
      "  copies go to   \(values.adAttributionKitCopyURL ?? "nowhere")",
      "  install window \(Self.text(values.globalWindows))",
    ] + networkLines + [
      "  cooldown       \(Self.text(cooldowns.install)) after an install, \(Self.text(cooldowns.reengagement)) after a re-engagement",
      "  switches       overlapping conversions: \(values.hasOverlappingConversions ? "yes" : "no"), "
        + "copies of re-engagement postbacks: \(values.copiesReengagementPostbacks ? "yes" : "no")",
    ]
  }

  private var networkLines: [String] {
    let networks = values.networkWindows.sorted { $0.key < $1.key }
    let lines = networks.prefix(Self.shownLimit).map { "    \($0): \(Self.text($1))" }
    return networks.count > Self.shownLimit ? lines + ["    and \(networks.count - Self.shownLimit) more"] : lines
  }

  private static func list(_ identifiers: [String]) -> String? {
    guard !identifiers.isEmpty else { return nil }
    let more = identifiers.count - shownLimit
    return "\(identifiers.count): \(identifiers.prefix(shownLimit).joined(separator: ", "))"
      + (more > 0 ? " and \(more) more" : "")
  }

  private static func text(_ windows: AppAdAttribution.Windows) -> String {
    let times = "\(windows.click.words) after a click, \(windows.view.words) after a view"
    return windows.ignoredInteraction.map { "\(times), \($0.rawValue)s ignored" } ?? times
  }

  private static func text(_ cooldown: Interval) -> String {
    cooldown == .hours(0) ? "none" : cooldown.words
  }
}
