import PCMCore
import PCMManifest
import Testing

private func dictionary(_ members: String) -> String { "<dict>\(members)</dict>" }

private func configurations(_ members: String) -> String {
  "<key>AdAttributionKitConfigurations</key>\(dictionary(members))"
}

/// - Parameter entries: The members of `install`, by `global` or an ad network.
private func install(_ entries: KeyValuePairs<String, String>) -> String {
  let entries = entries.map { "<key>\($0)</key><dict><key>install</key><dict>\($1)</dict></dict>" }.joined()
  return configurations("<key>AttributionWindows</key>\(dictionary(entries))")
}

private func cooldowns(_ members: String) -> String {
  configurations("<key>AttributionCooldown</key>\(dictionary(members))")
}

private func integer(_ key: String, _ value: Int) -> String { "<key>\(key)</key><integer>\(value)</integer>" }

/// `AdAttributionKitConfigurations` and the switches.
@Suite struct ConfigurationTests {
  @Test(
    "A window is a number of days in its range",
    arguments: [
      ("click", 1, true), ("click", 30, true), ("click", 0, false), ("click", 31, false), ("click", -1, false),
      ("click", .max, false), ("view", 1, true), ("view", 7, true), ("view", 0, false), ("view", 8, false),
      ("view", .min, false),
    ])
  func window(_ kind: String, _ days: Int, _ isValid: Bool) throws {
    let manifest = try reader.readValid(install(["global": integer(kind, days)]))
    let expected = kind == "click" ? (isValid ? days : 30, 1) : (30, isValid ? days : 1)
    let values = manifest.adAttribution
    #expect((values.globalWindows.click, values.globalWindows.view) == (.days(Int64(expected.0)), .days(Int64(expected.1))))
    #expect(manifest.problems == (isValid ? [] : [.attributionWindowOutOfRange]))
    guard !isValid else { return }
    let range = kind == "click" ? "1 to 30 days after a click" : "1 to 7 days after a view"
    #expect(
      manifest.findings.first?.detail
        == "AdAttributionKitConfigurations/AttributionWindows/global/install/\(kind) is \(days): the range is \(range), and the "
        + "value is ignored. Write a number in this range.")
  }

  @Test("The value of a network precedes the global one, and a value out of range counts as missing")
  func precedence() throws {
    let manifest = try reader.readValid(
      install([
        "a.skadnetwork": integer("click", 2), "b.skadnetwork": integer("click", 99) + integer("view", 6),
        "c.skadnetwork": "", "global": integer("click", 20) + integer("view", 4),
      ]))
    #expect(
      manifest.adAttribution.networkWindows == [
        "a.skadnetwork": windows(2, 4), "b.skadnetwork": windows(20, 6),
        "c.skadnetwork": windows(20, 4),
      ])
    #expect(manifest.problems == [.attributionWindowOutOfRange])
  }

  @Test(
    "Only a network ignores a type of interactions, click or view",
    arguments: [
      ("a.skadnetwork", "<string>view</string>", .view, nil), ("a.skadnetwork", "<string>click</string>", .click, nil),
      ("a.skadnetwork", "<string>View</string>", nil, .interactionTypeUnknown),
      ("a.skadnetwork", "<string/>", nil, .interactionTypeUnknown), ("a.skadnetwork", "<true/>", nil, .wrongType),
      ("global", "<string>view</string>", nil, .interactionTypeUnderGlobal),
      ("global", "<integer>1</integer>", nil, .interactionTypeUnderGlobal),
    ] as [(String, String, InteractionType?, ManifestFinding.Code?)])
  func ignoredInteraction(
    _ name: String, _ value: String, _ expected: InteractionType?, _ code: ManifestFinding.Code?
  ) throws {
    let manifest = try reader.readValid(install([name: "<key>ignoreInteractionType</key>\(value)"]))
    let values = manifest.adAttribution
    #expect((values.networkWindows[name] ?? values.globalWindows).ignoredInteraction == expected)
    #expect(values.globalWindows.ignoredInteraction == nil)
    #expect(manifest.problems == [code].compactMap { $0 })
    #expect(
      manifest.findings[0].severity == .info || manifest.findings[0].detail.contains("/\(name)/install/ignoreInteractionType"))
  }

  @Test(
    "A name among the windows that is not global is an ad network identifier",
    arguments: [
      ("Global", .adNetworkIdentifierNotLowercase, false), ("default", .adNetworkIdentifierWithoutSuffix, true),
      ("a b", .adNetworkIdentifierInvalid, false),
    ] as [(String, ManifestFinding.Code, Bool)])
  func names(_ name: String, _ code: ManifestFinding.Code, _ isRead: Bool) throws {
    let manifest = try reader.readValid(install([name: integer("click", 2)]))
    #expect(manifest.problems == [code])
    #expect(manifest.adAttribution.networkWindows.keys.contains(name) == isRead)
    #expect(manifest.adAttribution.globalWindows == AppAdAttribution.Windows())
    let place = "AdAttributionKitConfigurations/AttributionWindows (\(name)): "
    #expect(manifest.findings.first?.detail.hasPrefix(place) == true)
  }

  @Test(
    "A cooldown is a number of hours from 0 to 720",
    arguments: [(0, true), (1, true), (720, true), (-1, false), (721, false)],
    ["install-cooldown-hours", "re-engagement-cooldown-hours"])
  func cooldown(_ value: (hours: Int, isValid: Bool), _ key: String) throws {
    let manifest = try reader.readValid(cooldowns(integer(key, value.hours)))
    let cooldowns = manifest.adAttribution.cooldowns
    let (read, other) =
      key.hasPrefix("i") ? (cooldowns.install, cooldowns.reengagement) : (cooldowns.reengagement, cooldowns.install)
    #expect((read, other) == (.hours(value.isValid ? Int64(value.hours) : 0), .hours(0)))
    #expect(manifest.problems == (value.isValid ? [] : [.cooldownOutOfRange]))
  }

  @Test("The spelling of the cooldown that Apple does not document has no effect, and a warning names the right key")
  func spellings() throws {
    let other = try reader.readValid(cooldowns(integer("reengagement-cooldown-hours", 5)))
    #expect(other.adAttribution.cooldowns.reengagement == .hours(0))
    #expect(other.problems == [.cooldownSpellingUncertain])
    #expect(
      other.findings.first?.detail
        == "AdAttributionKitConfigurations/AttributionCooldown/reengagement-cooldown-hours: the key has no effect: Apple documents "
        + "only re-engagement-cooldown-hours. Rename it.")
    let both = try reader.readValid(
      cooldowns(integer("reengagement-cooldown-hours", 5) + integer("re-engagement-cooldown-hours", 6)))
    #expect(both.adAttribution.cooldowns.reengagement == .hours(6))
    #expect(both.problems == [.cooldownSpelledTwice])
    #expect(
      both.findings.first?.detail
        == "AdAttributionKitConfigurations/AttributionCooldown/reengagement-cooldown-hours: the value is ignored because "
        + "re-engagement-cooldown-hours is present, too. Remove one of the keys.")
  }

  @Test("The undocumented spelling has no effect in JSON, either")
  func spellingInJSON() throws {
    let json: JSON = [
      "CFBundleIdentifier": "com.example.app",
      "AdAttributionKitConfigurations": ["AttributionCooldown": ["reengagement-cooldown-hours": 5]],
    ]
    let manifest = try reader.read(infoPlist: json)
    #expect(manifest.adAttribution.cooldowns.reengagement == .hours(0))
    #expect(manifest.problems == [.cooldownSpellingUncertain])
  }

  private static let windowsPath = "AdAttributionKitConfigurations/AttributionWindows"

  @Test(
    "A rule at another place is an error that names the right place",
    arguments: [
      ("<key>AttributionWindows</key><dict/>", "AttributionWindows", windowsPath),
      (
        "<key>install-cooldown-hours</key><integer>1</integer>", "install-cooldown-hours",
        "AdAttributionKitConfigurations/AttributionCooldown/install-cooldown-hours"
      ),
      (
        "<key>reengagement-cooldown-hours</key><integer>1</integer>", "reengagement-cooldown-hours",
        "AdAttributionKitConfigurations/AttributionCooldown/re-engagement-cooldown-hours"
      ),
      (configurations("<key>global</key><dict/>"), "AdAttributionKitConfigurations/global", "\(windowsPath)/global"),
      (
        configurations("<key>a.skadnetwork</key><dict/>"), "AdAttributionKitConfigurations/a.skadnetwork", windowsPath
      ),
      (configurations(integer("click", 2)), "AdAttributionKitConfigurations/click", "\(windowsPath)/global/install/click"),
      (
        configurations(integer("install-cooldown-hours", 2)), "AdAttributionKitConfigurations/install-cooldown-hours",
        "AdAttributionKitConfigurations/AttributionCooldown/install-cooldown-hours"
      ),
      (
        configurations("<key>AttributionCopyEndpoint</key><string>https://a.example</string>"),
        "AdAttributionKitConfigurations/AttributionCopyEndpoint", "the top level"
      ),
      (
        configurations("<key>AttributionWindows</key><dict>\(integer("view", 2))</dict>"), "\(windowsPath)/view",
        "\(windowsPath)/global/install/view"
      ),
      (
        configurations("<key>AttributionWindows</key><dict><key>global</key><dict>\(integer("view", 2))</dict></dict>"),
        "\(windowsPath)/global/view", "into the dictionary install"
      ),
    ])
  func misplaced(_ keys: String, _ place: String, _ target: String) throws {
    let manifest = try reader.readValid(keys)
    #expect(manifest.problems == [.keyMisplaced])
    let finding = try #require(manifest.findings.first)
    #expect(finding.severity == .error && finding.detail.hasPrefix(place), "\(finding.detail)")
    #expect(
      finding.detail.hasSuffix(target.hasPrefix("into") ? " Move it \(target)." : " Move it to \(target)."), "\(finding.detail)"
    )
    let defaults = try reader.readValid("").adAttribution
    #expect(manifest.adAttribution == defaults)
  }

  private static let cooldownPath = "AdAttributionKitConfigurations/AttributionCooldown"
  private static let days = dictionary(integer("click", 7))
  private static let entry = dictionary("<key>install</key>\(days)")

  @Test(
    "A rule at the top level is an error that names the right place",
    arguments: [
      ("global", entry, "\(windowsPath)/global"), ("global", "<dict/>", "\(windowsPath)/global"),
      ("global", days, "\(windowsPath)/global"), ("Global", entry, "\(windowsPath)/global"),
      ("install", days, "\(windowsPath)/global/install"), ("install", "<dict/>", "\(windowsPath)/global/install"),
      ("a.skadnetwork", entry, "\(windowsPath)/(ad network identifier)"),
      ("a.adattributionkit", "<dict/>", "\(windowsPath)/(ad network identifier)"),
      ("click", "<integer>7</integer>", "\(windowsPath)/global/install/click"),
      ("view", "<integer>1</integer>", "\(windowsPath)/global/install/view"),
      (
        "ignoreInteractionType", "<string>view</string>", "\(windowsPath)/(ad network identifier)/install/ignoreInteractionType"
      ),
      ("AttributionCooldown", dictionary(integer("install-cooldown-hours", 1)), cooldownPath),
      ("re-engagement-cooldown-hours", "<integer>1</integer>", "\(cooldownPath)/re-engagement-cooldown-hours"),
    ])
  func topLevelRules(_ name: String, _ value: String, _ place: String) throws {
    let keys = "<key>\(name)</key>\(value)"
    let manifest = try reader.readValid(keys)
    #expect(manifest.problems == [.keyMisplaced])
    let finding = try #require(manifest.findings.first)
    #expect(finding.severity == .error && finding.detail.hasPrefix(name), "\(finding.detail)")
    #expect(finding.detail.hasSuffix(" Move it to \(place)."), "\(finding.detail)")
    let judgment = try reader.review(propertyList(keys)).judgments.first { $0.participation == .adAttributionKitAdvertiser }
    #expect(judgment?.verdict == .bad)
  }

  @Test(
    "A rule in another dictionary is an error that names the right place",
    arguments: [
      ("Config", "global", entry, "Config/global", "\(windowsPath)/global"),
      ("Config", "AttributionWindows", "<dict><key>global</key>\(entry)</dict>", "Config/AttributionWindows", windowsPath),
      ("AdAttributionKit", "global", entry, "AdAttributionKit/global", "\(windowsPath)/global"),
      ("AdAttributionKit", "click", "<integer>7</integer>", "AdAttributionKit/click", "\(windowsPath)/global/install/click"),
    ])
  func rulesElsewhere(_ container: String, _ name: String, _ value: String, _ place: String, _ target: String) throws {
    let manifest = try reader.readValid("<key>\(container)</key><dict><key>\(name)</key>\(value)</dict>")
    let isNamed = container == "AdAttributionKit"
    #expect(manifest.problems == [isNamed ? .adAttributionKitDictionary : .keyMisplaced])
    let finding = try #require(manifest.findings.first)
    #expect(finding.severity == .error && finding.detail.hasPrefix("\(place): "), "\(finding.detail)")
    #expect(finding.detail.contains(isNamed ? "Write the value as \(target)," : "Move it to \(target)."), "\(finding.detail)")
  }

  @Test(
    "A rule in another dictionary of rules is an error that names the right place",
    arguments: [
      (cooldowns("<key>global</key>\(entry)"), "\(cooldownPath)/global", "to \(windowsPath)/global"),
      (cooldowns("<key>install</key>\(days)"), "\(cooldownPath)/install", "to \(windowsPath)/global/install"),
      (cooldowns("<key>a.skadnetwork</key>\(entry)"), "\(cooldownPath)/a.skadnetwork", "to \(windowsPath)"),
      (cooldowns("<key>AttributionWindows</key><dict/>"), "\(cooldownPath)/AttributionWindows", "to \(windowsPath)"),
      (
        cooldowns("<key>AdNetworkIdentifiers</key><array/>"), "\(cooldownPath)/AdNetworkIdentifiers", "to the top level"
      ),
      (
        configurations("<key>AttributionWindows</key><dict>\(integer("install-cooldown-hours", 2))</dict>"),
        "\(windowsPath)/install-cooldown-hours", "to \(cooldownPath)/install-cooldown-hours"
      ),
      (
        configurations("<key>AttributionWindows</key><dict><key>AttributionCooldown</key><dict/></dict>"),
        "\(windowsPath)/AttributionCooldown", "to \(cooldownPath)"
      ),
      (
        configurations(
          "<key>AttributionWindows</key><dict><key>global</key><dict><key>a.skadnetwork</key><dict/></dict></dict>"),
        "\(windowsPath)/global/a.skadnetwork", "to \(windowsPath)"
      ),
      (
        install(["global": integer("reengagement-cooldown-hours", 2)]),
        "\(windowsPath)/global/install/reengagement-cooldown-hours", "to \(cooldownPath)/re-engagement-cooldown-hours"
      ),
    ])
  func rulesAmongRules(_ keys: String, _ place: String, _ target: String) throws {
    let manifest = try reader.readValid(keys)
    #expect(manifest.problems == [.keyMisplaced], "\(manifest.findings.map(\.detail))")
    #expect(manifest.findings.first?.detail == "\(place): devices ignore this key here. Move it \(target).")
    #expect(manifest.adAttribution == (try reader.readValid("").adAttribution))
  }

  @Test(
    "Other dictionaries and numbers with the names of rules have no finding",
    arguments: [
      "<key>global</key><string>x</string>", "<key>install</key><dict><key>source</key><string>x</string></dict>",
      "<key>global</key><dict><key>theme</key><string>x</string></dict>", "<key>view</key><string>Main</string>",
      "<key>Analytics</key><dict>\(integer("click", 1))\(integer("view", 1))<key>install</key><dict/></dict>",
    ])
  func otherWords(_ keys: String) throws {
    #expect(try reader.readValid(keys).problems == [])
  }

  @Test(
    "A value of another type is ignored",
    arguments: [
      ("<key>AdAttributionKitConfigurations</key><array/>", "AdAttributionKitConfigurations", "a dictionary"),
      (
        configurations("<key>AttributionWindows</key><true/>"), "AdAttributionKitConfigurations/AttributionWindows",
        "a dictionary"
      ),
      (configurations("<key>AttributionCooldown</key><integer>2</integer>"), "…/AttributionCooldown", "a dictionary"),
      (configurations("<key>AttributionWindows</key><dict><key>global</key><array/></dict>"), "…/global", "a dictionary"),
      (
        configurations(
          "<key>AttributionWindows</key><dict><key>global</key><dict><key>install</key><real>1</real></dict></dict>"),
        "…/global/install", "a dictionary"
      ),
      (install(["global": "<key>click</key><string>7</string>"]), "…/install/click", "an integer"),
      (install(["global": "<key>view</key><true/>"]), "…/install/view", "an integer"),
      (install(["a.skadnetwork": "<key>view</key><real>1.5</real>"]), "…/a.skadnetwork/install/view", "an integer"),
      (cooldowns("<key>install-cooldown-hours</key><string>PT6H</string>"), "…/install-cooldown-hours", "an integer"),
      (
        "<key>EligibleForAdAttributionKitOverlappingConversions</key><string>YES</string>",
        "EligibleForAdAttributionKitOverlappingConversions", "a Boolean value"
      ),
      (
        "<key>EligibleForAdAttributionKitReengagementPostbackCopies</key><integer>1</integer>",
        "EligibleForAdAttributionKitReengagementPostbackCopies", "a Boolean value"
      ),
    ])
  func wrongType(_ keys: String, _ place: String, _ expected: String) throws {
    let manifest = try reader.readValid(keys)
    #expect(manifest.problems == [.wrongType])
    let detail = try #require(manifest.findings.first?.detail)
    #expect(detail.hasSuffix(": the value is ignored because it is not \(expected). Change its type."), "\(detail)")
    #expect(detail.contains(place.replacing("…", with: "") + ": "), "\(detail)")
    let defaults = try reader.readValid("").adAttribution
    #expect(manifest.adAttribution.globalWindows == defaults.globalWindows)
    #expect(manifest.adAttribution.cooldowns == defaults.cooldowns)
    #expect(!manifest.adAttribution.hasOverlappingConversions && !manifest.adAttribution.copiesReengagementPostbacks)
  }

  @Test(
    "An unknown member is found at its place, with the known ones",
    arguments: [
      (configurations("<key>AttributionWindow</key><dict/>"), "/AttributionWindow", "AttributionWindows"),
      (
        cooldowns(integer("install", 2)), "/AttributionCooldown/install", "install-cooldown-hours"
      ),
      (
        configurations("<key>AttributionWindows</key><dict><key>global</key><dict><key>Install</key><dict/></dict></dict>"),
        "/AttributionWindows/global/Install", "install"
      ),
      (install(["global": integer("clicks", 2)]), "/global/install/clicks", "click"),
      (install(["global": integer("tap", 2)]), "/global/install/tap", "click, view, ignoreInteractionType"),
    ])
  func unknownMembers(_ keys: String, _ place: String, _ known: String) throws {
    let manifest = try reader.readValid(keys)
    #expect(manifest.problems == [.unknownMember])
    let detail = try #require(manifest.findings.first?.detail)
    #expect(detail.contains("\(place): devices ignore this key. Expected: \(known). Rename or remove it."), "\(detail)")
  }

  @Test("The windows of the first 1,000 networks are read", arguments: [1_000, 1_001])
  func many(_ count: Int) throws {
    let entries = (0..<count).map { "<key>n\(1_000 + $0).skadnetwork</key><dict/>" }.joined()
    let global = "<key>global</key><dict><key>install</key><dict>\(integer("view", 2))</dict></dict>"
    let manifest = try reader.readValid(
      configurations("<key>AttributionWindows</key>\(dictionary(entries + global))"))
    let windows = manifest.adAttribution.networkWindows
    #expect(windows.count == 1_000 && windows["n1999.skadnetwork"]?.view == .days(2))
    #expect(manifest.problems == (count > 1_000 ? [.tooManyAdNetworks] : []))
  }
}
