import PCMCore

/// The columns of a file of events: resolved once, and shared by all lines.
final class EventColumns: Sendable {
  let names: [String]
  let user: Int
  let time: Int
  let kind: Int
  /// How a profile reads the columns; nil without one.
  let profile: ProfiledColumns?
  /// The columns of the numbers of the steps that share an action; empty unless each number has one column.
  let numbers: (link: [Int], trigger: [Int], ad: [Int])
  /// The columns that are not in the keys of actions, in their order: of all steps, and of links, triggering events, and ads with valid
  /// numbers.
  let keyGaps: (all: [Int], link: [Int], trigger: [Int], ad: [Int])
  /// The names of the profile that may be paths of nested JSON members, such as `properties.id`.
  let nested: [(index: Int, path: [String])]

  /// The columns of a file without a header.
  static let standard = EventColumns(known: shared + short.map(\.column))
  /// All columns: the standard columns, and the members of the steps.
  static let all = EventColumns(known: standard.names + EventStep.members.filter { !standard.names.contains($0) })

  /// Whether the first cells have a time or a kind of event. The header of another program has neither.
  func canRead(_ row: [String]) -> Bool {
    var times = EventTime()
    return row.count > kind && EventStep(name: row[kind]) != nil
      || row.count > time && times.read(Array(row[time].utf8)[...]) != nil
  }

  private static let shared = ["user", "time", "kind"]

  private convenience init(known names: [String]) { self.init(names, user: 0, time: 1, kind: 2) }

  /// - Parameter profile: How a profile reads the columns, whose names are the file's.
  init(_ names: [String], user: Int, time: Int, kind: Int, profile: ProfiledColumns? = nil) {
    (self.names, self.user, self.time, self.kind, self.profile) = (names, user, time, kind, profile)
    func indices(_ columns: String..., butNot others: [String]) -> [Int] {
      let indices = columns.compactMap { names.firstIndex(of: $0) }
      return indices.count == columns.count && !names.contains(where: others.contains) ? indices : []
    }
    numbers = (
      indices("source_id", butNot: ["attributionSourceID"]), indices("data", "priority", butNot: ["triggerData"]),
      indices("source_id", butNot: ["sourceIdentifier", "signature", "jws"])
    )
    let others = [user, time].filter { $0 >= 0 }
    keyGaps = (
      others.sorted(), (others + numbers.link).sorted(), (others + numbers.trigger).sorted(), (others + numbers.ad).sorted()
    )
    nested = names.enumerated().compactMap { index, name in
      let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      return path.count > 1 ? (index, path) : nil
    }
  }

  /// Reads a header.
  convenience init(_ names: [String]) throws(EventError) {
    for (index, name) in names.enumerated() {
      guard Self.all.names.contains(name) else { throw .unknown(name) }
      guard !names[..<index].contains(name) else { throw EventError(column: name, detail: "the column is given twice") }
    }
    guard let user = names.firstIndex(of: "user"), let time = names.firstIndex(of: "time"),
      let kind = names.firstIndex(of: "kind")
    else { throw EventError(column: "kind", detail: "the column is missing") }
    self.init(names, user: user, time: time, kind: kind)
  }

  /// The short columns, with the member that each means in a step; nil for a step without it.
  static let short: [(column: String, members: [EventStep: String])] = [
    ("source", [.link: "pageURL", .tap: "reportEndpoint", .trigger: "pixelOf", .impression: "bundleIdentifier"]),
    (
      "destination",
      [
        .link: "attributionDestination", .tap: "destinationURL", .trigger: "firstPartyURL",
        .impression: "advertisedAppStoreItemIdentifier", .install: "bundleIdentifier", .launch: "bundleIdentifier",
        .conversionValue: "bundleIdentifier",
      ]
    ),
    ("source_id", [.link: "attributionSourceID", .tap: "sourceIdentifier", .impression: "sourceIdentifier"]),
    ("data", [.trigger: "triggerData", .conversionValue: "fineValue"]),
    ("priority", [.trigger: "priority"]),
  ]
}

/// A kind of event: a step of a scenario.
enum EventStep: String, CaseIterable, Sendable {
  case link = "link-click"
  case tap = "event-attribution"
  case trigger = "triggering-event"
  case clear
  case settings
  case impression
  case impressionEnd = "impression-end"
  case impressionTap = "impression-tap"
  case install
  case launch
  case conversionValue = "conversion-value"

  /// - Parameter name: The name of the step, or a short name.
  init?(name: String) {
    switch name {
    case "click": self = .link
    case "trigger": self = .trigger
    default: self.init(rawValue: name)
    }
  }

  /// Whether the step is an action of the user's device, with an app in place of a site.
  var isOfDevice: Bool {
    switch self {
    case .link, .tap, .trigger, .clear, .settings: false
    case .impression, .impressionEnd, .impressionTap, .install, .launch, .conversionValue: true
    }
  }

  static let names = ["click", "trigger"] + allCases.map(\.rawValue)

  /// The members that a cell can have.
  static let members = allCases.reduce(into: [String]()) { names, step in
    for member in step.members where !names.contains(member.name) { names.append(member.name) }
  }

  /// The members of the step, without objects and without a time, which the column `time` has.
  var members: [(name: String, kind: ValueDescription.Kind)] { Self.membersBySteps[self] ?? [] }

  private static let membersBySteps = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.ownMembers) })

  private var ownMembers: [(name: String, kind: ValueDescription.Kind)] {
    let own: [(name: String, kind: ValueDescription.Kind)] =
      switch self {
      case .tap: [("reportEndpoint", .text)]
      case .clear: [("site", .text)]
      case .link, .trigger, .settings, .impression, .impressionEnd, .impressionTap, .install, .launch, .conversionValue: []
      }
    return bodies.flatMap(\.members).reduce(into: own) { members, member in
      guard member.name != "clickedAt", !members.contains(where: { $0.name == member.name }) else { return }
      switch member.value.kind {
      case .text, .flag, .integer: members.append((member.name, member.value.kind))
      case .list where self == .conversionValue: members.append((member.name, member.value.kind))
      case .number, .list, .object: break
      }
    }
  }

  /// The bodies of the step. An ad has values that the test ad network signs, or a signature.
  private var bodies: [BodyDescription] {
    switch self {
    case .link: [LinkClickInput.definition.description]
    case .tap: [EventAttributionInput.definition.description]
    case .trigger: [TriggeringEventInput.definition.description]
    case .settings: [SettingsChange.definition.description]
    case .clear: []
    case .impression: [SignedAdInput.definition.description, ImpressionInput.definition.description]
    case .impressionEnd: [ImpressionEndInput.definition.description]
    case .impressionTap: [ImpressionTapInput.definition.description]
    case .install: [InstallInput.definition.description]
    case .launch: [LaunchInput.definition.description]
    case .conversionValue: [ConversionValueInput.definition.description]
    }
  }
}
