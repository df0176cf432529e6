import PCMCore

/// Reads `AdAttributionKitConfigurations`, the attribution rules of an advertised app (AdAttributionKit reference, section 7).
struct ConfigurationReview {
  private(set) var globalWindows = AppAdAttribution.Windows()
  private(set) var networkWindows: [String: AppAdAttribution.Windows] = [:]
  private(set) var cooldowns = AppAdAttribution.Cooldowns()

  private static let key = InfoDictionary.CodingKeys.configurations.rawValue
  private static let (windows, cooldown, global, install) = ("AttributionWindows", "AttributionCooldown", "global", "install")
  private static let ignoredInteraction = "ignoreInteractionType"

  init(_ info: InfoDictionary, _ findings: inout FindingGroups) {
    let members = findings.members(of: info.configurations, at: Self.key, known: [Self.windows, Self.cooldown])
    readWindows(members[Self.windows], "\(Self.key)/\(Self.windows)", &findings)
    readCooldown(members[Self.cooldown], "\(Self.key)/\(Self.cooldown)", &findings)
  }

  private mutating func readWindows(_ value: PropertyListValue?, _ place: String, _ findings: inout FindingGroups) {
    var entries = findings.members(of: value, at: place, known: nil)
    let global = entries.removeValue(forKey: Self.global)
    globalWindows = Self.windows(global, "\(place)/\(Self.global)", AppAdAttribution.Windows(), isGlobal: true, &findings)
    let limit = AdNetworkReview.countLimit
    if entries.count > limit {
      findings.add(
        .tooManyAdNetworks, at: "\(place) has \(entries.count) ad networks",
        "only the first \(limit) in alphabetical order are read. Remove the others.")
    }
    for (name, entry) in entries.sorted(by: { $0.key < $1.key }).prefix(limit) {
      guard let network = findings.adNetworkIdentifier(name, at: place) else { continue }
      networkWindows[network] = Self.windows(entry, "\(place)/\(network)", globalWindows, isGlobal: false, &findings)
    }
  }

  /// - Parameter fallback: The windows that replace missing ones of the entry.
  private static func windows(
    _ value: PropertyListValue?, _ place: String, _ fallback: AppAdAttribution.Windows, isGlobal: Bool,
    _ findings: inout FindingGroups
  ) -> AppAdAttribution.Windows {
    var windows = fallback
    let entry = findings.members(of: value, at: place, known: [install])
    let place = "\(place)/\(install)"
    let members = findings.members(of: entry[install], at: place, known: ["click", "view", ignoredInteraction])
    if let days = findings.integer(
      members["click"], at: "\(place)/click", in: AppAdAttribution.Windows.clickDays, unit: "days after a click",
      .attributionWindowOutOfRange)
    {
      windows.click = .days(Int64(days))
    }
    if let days = findings.integer(
      members["view"], at: "\(place)/view", in: AppAdAttribution.Windows.viewDays, unit: "days after a view",
      .attributionWindowOutOfRange)
    {
      windows.view = .days(Int64(days))
    }
    let ignored = findings.interaction(members[ignoredInteraction], at: "\(place)/\(ignoredInteraction)", isGlobal: isGlobal)
    windows.ignoredInteraction = ignored
    return windows
  }

  private mutating func readCooldown(_ value: PropertyListValue?, _ place: String, _ findings: inout FindingGroups) {
    let (install, documented, other) = (
      "install-cooldown-hours", "re-engagement-cooldown-hours", "reengagement-cooldown-hours"
    )
    let members = findings.members(of: value, at: place, known: [install, documented], undocumented: other)
    func hours(_ key: String) -> Interval? {
      findings.integer(
        members[key], at: "\(place)/\(key)", in: AppAdAttribution.Cooldowns.hours, unit: "hours after a conversion",
        .cooldownOutOfRange
      ).map { .hours(Int64($0)) }
    }
    cooldowns.install = hours(install) ?? cooldowns.install
    cooldowns.reengagement = hours(members[documented] == nil ? other : documented) ?? cooldowns.reengagement
    guard members[other] != nil else { return }
    if members[documented] == nil {
      findings.add(
        .cooldownSpellingUncertain, at: "\(place)/\(other)",
        "Apple's documentation spells the key \(documented), and a sample of WWDC25 spells it like this. Write the documented key."
      )
    } else {
      findings.add(
        .cooldownSpelledTwice, at: "\(place)/\(other)",
        "the value is ignored because \(documented) is present, too. Remove one of the keys."
      )
    }
  }
}

extension FindingGroups {
  /// Returns the type of interactions that an ad network's windows ignore, and finds any other value.
  fileprivate mutating func interaction(
    _ value: PropertyListValue?, at place: String, isGlobal: Bool
  ) -> InteractionType? {
    guard let value else { return nil }
    guard !isGlobal else {
      add(
        .interactionTypeUnderGlobal, at: place,
        "the value is ignored, because only an ad network can have it. Move it to the identifiers of ad networks.")
      return nil
    }
    guard let text = value.string else {
      addWrongType(at: place, expected: "a string")
      return nil
    }
    guard let interaction = InteractionType(rawValue: text) else {
      add(
        .interactionTypeUnknown, at: "\(place) is \(text.asShown)",
        "the value is ignored. Write \(InteractionType.allCases.map(\.rawValue).joined(separator: " or ")).")
      return nil
    }
    return interaction
  }
}
