import PCMCore

/// The members of `AdAttributionKitConfigurations` and their places (AdAttributionKit reference, section 7).
enum Rule {
  static let configurations = InfoDictionary.Key.configurations.rawValue
  static let (windows, cooldown, global, install) = ("AttributionWindows", "AttributionCooldown", "global", "install")
  static let (click, view, ignoredInteraction) = ("click", "view", "ignoreInteractionType")
  static let (installCooldown, reengagementCooldown) = ("install-cooldown-hours", "re-engagement-cooldown-hours")
  /// The spelling of a slide of WWDC25, which Apple documents nowhere.
  static let undocumentedCooldown = "reengagement-cooldown-hours"
  /// The members of a dictionary `install`.
  static let inInstall = [click, view, ignoredInteraction]

  private static let ofNetwork = "\(windows)/(ad network identifier)"

  /// The path of each member inside of `AdAttributionKitConfigurations`.
  static let paths = [
    windows: windows, cooldown: cooldown, global: "\(windows)/\(global)", install: "\(windows)/\(global)/\(install)",
    click: "\(windows)/\(global)/\(install)/\(click)", view: "\(windows)/\(global)/\(install)/\(view)",
    ignoredInteraction: "\(ofNetwork)/\(install)/\(ignoredInteraction)",
    installCooldown: "\(cooldown)/\(installCooldown)", reengagementCooldown: "\(cooldown)/\(reengagementCooldown)",
    undocumentedCooldown: "\(cooldown)/\(reengagementCooldown)",
  ]

  /// The names that have another meaning in other dictionaries.
  static let words = [global, install, click, view]

  /// The members of a dictionary of rules that belong elsewhere, with the direction.
  ///
  /// - Parameter known: The members that belong there.
  static func directions(for value: PropertyListValue?, except known: [String]) -> [String: String] {
    var directions = paths.mapValues { "to \(configurations)/\($0)" }
    for key in InfoDictionary.attributionKeys { directions[key.rawValue] = "to the top level" }
    if case .dictionary(let members)? = value {
      for name in members.keys where isNetwork(name) { directions[name] = "to \(configurations)/\(windows)" }
    }
    return directions.filter { !known.contains($0.key) }
  }

  /// Returns the rule that a member of another dictionary is by its name and its members.
  ///
  /// - Parameters:
  ///   - members: The names of the members of a dictionary; nil for a number.
  ///   - isLikely: Whether an empty dictionary or a number is also a rule.
  static func key(named name: String, members: [String]?, isLikely: Bool) -> AttributionKey? {
    let name = name.lowercased()
    guard let members = members.map(Set.init) else {
      return isLikely && [click, view].contains(name) ? paths[name].map { AttributionKey(rule: $0) } : nil
    }
    let hasWindows = !members.isDisjoint(with: inInstall) || isLikely && members.isEmpty
    if name == install { return hasWindows ? paths[install].map { AttributionKey(rule: $0) } : nil }
    guard name == global || isNetwork(name), members.contains(install) || isLikely && hasWindows else { return nil }
    return AttributionKey(rule: name == global ? "\(windows)/\(global)" : ofNetwork)
  }

  private static func isNetwork(_ name: String) -> Bool { AdNetworkIdentifier.suffixes.contains { name.hasSuffix($0) } }
}
