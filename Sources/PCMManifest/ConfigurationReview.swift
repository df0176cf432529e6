import PCMCore

/// Reads `AdAttributionKitConfigurations`, the attribution rules of an advertised app (AdAttributionKit reference, section 7).
struct ConfigurationReview {
  private(set) var globalWindows = AppAdAttribution.Windows()
  private(set) var networkWindows: [String: AppAdAttribution.Windows] = [:]
  private(set) var cooldowns = AppAdAttribution.Cooldowns()

  init(_ info: InfoDictionary, _ findings: inout FindingGroups) {
    findings.participations = [.adAttributionKitAdvertiser]
    let (windows, cooldown) = ("\(Rule.configurations)/\(Rule.windows)", "\(Rule.configurations)/\(Rule.cooldown)")
    let known = [Rule.windows, Rule.cooldown]
    let members = findings.members(
      of: info[.configurations], at: Rule.configurations, known: known,
      elsewhere: Rule.directions(for: info[.configurations], except: known))
    readWindows(members[Rule.windows], windows, &findings)
    readCooldown(members[Rule.cooldown], cooldown, &findings)
  }

  private mutating func readWindows(_ value: PropertyListValue?, _ place: String, _ findings: inout FindingGroups) {
    // All other names are ad networks.
    var entries = findings.members(
      of: value, at: place, known: nil, elsewhere: Rule.directions(for: nil, except: [Rule.global]))
    let global = entries.removeValue(forKey: Rule.global)
    globalWindows = Self.windows(global, "\(place)/\(Rule.global)", AppAdAttribution.Windows(), isGlobal: true, &findings)
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

  /// - Parameter fallback: The windows that replace missing windows of the entry.
  private static func windows(
    _ value: PropertyListValue?, _ place: String, _ fallback: AppAdAttribution.Windows, isGlobal: Bool,
    _ findings: inout FindingGroups
  ) -> AppAdAttribution.Windows {
    var windows = fallback
    let nearby = Dictionary(Rule.inInstall.map { ($0, "into the dictionary \(Rule.install)") }) { $1 }
    let entry = findings.members(
      of: value, at: place, known: [Rule.install],
      elsewhere: Rule.directions(for: value, except: [Rule.install]).merging(nearby) { $1 })
    let place = "\(place)/\(Rule.install)"
    let members = findings.members(
      of: entry[Rule.install], at: place, known: Rule.inInstall,
      elsewhere: Rule.directions(for: entry[Rule.install], except: Rule.inInstall))
    if let days = findings.integer(
      members[Rule.click], at: "\(place)/\(Rule.click)", in: AppAdAttribution.Windows.clickDays, unit: "days after a click",
      .attributionWindowOutOfRange)
    {
      windows.click = .days(Int64(days))
    }
    if let days = findings.integer(
      members[Rule.view], at: "\(place)/\(Rule.view)", in: AppAdAttribution.Windows.viewDays, unit: "days after a view",
      .attributionWindowOutOfRange)
    {
      windows.view = .days(Int64(days))
    }
    let ignored = findings.interaction(
      members[Rule.ignoredInteraction], at: "\(place)/\(Rule.ignoredInteraction)", isGlobal: isGlobal)
    windows.ignoredInteraction = ignored
    return windows
  }

  private mutating func readCooldown(_ value: PropertyListValue?, _ place: String, _ findings: inout FindingGroups) {
    let (documented, other) = (Rule.reengagementCooldown, Rule.undocumentedCooldown)
    let known = [Rule.installCooldown, documented]
    var elsewhere = Rule.directions(for: value, except: known + [other])
    // A number is meant as the hours after an install.
    if case .dictionary(let members)? = value, case .integer? = members[Rule.install] { elsewhere[Rule.install] = nil }
    let members = findings.members(of: value, at: place, known: known, undocumented: other, elsewhere: elsewhere)
    func hours(_ key: String) -> Interval? {
      findings.integer(
        members[key], at: "\(place)/\(key)", in: AppAdAttribution.Cooldowns.hours, unit: "hours after a conversion",
        .cooldownOutOfRange
      ).map { .hours(Int64($0)) }
    }
    cooldowns.install = hours(Rule.installCooldown) ?? cooldowns.install
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
