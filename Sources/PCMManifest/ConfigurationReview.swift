import PCMCore

/// Reads `AdAttributionKitConfigurations`, the attribution rules of an advertised app (AdAttributionKit reference, section 7).
struct ConfigurationReview {
  private(set) var globalWindows = AppAdAttribution.Windows()
  private(set) var networkWindows: [String: AppAdAttribution.Windows] = [:]
  private(set) var cooldowns = AppAdAttribution.Cooldowns()

  private static let key = InfoDictionary.CodingKeys.configurations.rawValue
  private static let (windows, cooldown, global, install) = ("AttributionWindows", "AttributionCooldown", "global", "install")
  private static let ignoredInteraction = "ignoreInteractionType"
  private static let (installCooldown, documentedCooldown) = ("install-cooldown-hours", "re-engagement-cooldown-hours")
  /// The spelling of a slide of WWDC25, which Apple documents nowhere.
  private static let undocumentedCooldown = "reengagement-cooldown-hours"
  private static let cooldownNames = [installCooldown, documentedCooldown]
  private static let windowNames = ["click", "view"]

  init(_ info: InfoDictionary, _ findings: inout FindingGroups) {
    findings.participations = [.adAttributionKitAdvertiser]
    let (windows, cooldown) = ("\(Self.key)/\(Self.windows)", "\(Self.key)/\(Self.cooldown)")
    var elsewhere = Dictionary(InfoDictionary.attributionKeys.map { ($0.rawValue, "to the top level") }) { $1 }
    elsewhere[Self.global] = "to \(windows)/\(Self.global)"
    elsewhere[Self.install] = "to \(windows)/\(Self.global)/\(Self.install)"
    for name in Self.cooldownNames { elsewhere[name] = "to \(cooldown)/\(name)" }
    for name in Self.windowNames { elsewhere[name] = "to \(windows)/\(Self.global)/\(Self.install)/\(name)" }
    elsewhere[Self.undocumentedCooldown] = "to \(cooldown)/\(Self.documentedCooldown)"
    elsewhere[Self.ignoredInteraction] = "to \(windows)/(ad network identifier)/\(Self.install)/\(Self.ignoredInteraction)"
    if case .dictionary(let members)? = info.configurations {
      let networks = members.keys.filter { name in FindingGroups.networkSuffixes.contains { name.hasSuffix($0) } }
      for name in networks { elsewhere[name] = "to \(windows)" }
    }
    let members = findings.members(
      of: info.configurations, at: Self.key, known: [Self.windows, Self.cooldown], elsewhere: elsewhere)
    readWindows(members[Self.windows], windows, &findings)
    readCooldown(members[Self.cooldown], cooldown, &findings)
  }

  private mutating func readWindows(_ value: PropertyListValue?, _ place: String, _ findings: inout FindingGroups) {
    var elsewhere = [Self.install: "to \(place)/\(Self.global)/\(Self.install)"]
    for name in Self.windowNames { elsewhere[name] = "to \(place)/\(Self.global)/\(Self.install)/\(name)" }
    elsewhere[Self.ignoredInteraction] = "to \(place)/(ad network identifier)/\(Self.install)/\(Self.ignoredInteraction)"
    var entries = findings.members(of: value, at: place, known: nil, elsewhere: elsewhere)
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
    let inner = windowNames + [ignoredInteraction]
    let entry = findings.members(
      of: value, at: place, known: [install],
      elsewhere: Dictionary(inner.map { ($0, "into the dictionary \(install)") }) { $1 })
    let place = "\(place)/\(install)"
    let members = findings.members(of: entry[install], at: place, known: inner)
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
    let (documented, other) = (Self.documentedCooldown, Self.undocumentedCooldown)
    let members = findings.members(of: value, at: place, known: Self.cooldownNames, undocumented: other)
    func hours(_ key: String) -> Interval? {
      findings.integer(
        members[key], at: "\(place)/\(key)", in: AppAdAttribution.Cooldowns.hours, unit: "hours after a conversion",
        .cooldownOutOfRange
      ).map { .hours(Int64($0)) }
    }
    cooldowns.install = hours(Self.installCooldown) ?? cooldowns.install
    cooldowns.reengagement = hours(documented) ?? cooldowns.reengagement
    guard members[other] != nil else { return }
    if members[documented] == nil {
      findings.add(
        .cooldownSpellingUncertain, at: "\(place)/\(other)",
        "the key has no effect: Apple documents only \(documented). Rename it.")
    } else {
      findings.add(
        .cooldownSpelledTwice, at: "\(place)/\(other)",
        "the value is ignored because \(documented) is present, too. Remove one of the keys.")
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
