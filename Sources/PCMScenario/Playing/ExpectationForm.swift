import PCMCore

/// How an expected value is compared with the actual one.
indirect enum ExpectationForm: Hashable, Sendable {
  /// Compares the specified members of objects, the items of lists, and other values by equality.
  case named
  /// Compares all members, in order.
  case whole
  /// A half-open window of time that contains a duration.
  case window
  /// An object whose members have specific forms.
  ///
  /// - essential: The most important members, for an object without an expectation.
  case object([String: ExpectationForm], essential: Set<String>)
  /// A list of items with a form.
  ///
  /// - isGrouped: Whether a nested list contains items in any order.
  case list(ExpectationForm, isGrouped: Bool)
  /// A log event: a kind, or an object.
  case event

  static let events = list(.event, isGrouped: true)
  static let reports = list(.object(["due": .window], essential: ["recipient", "state"]), isGrouped: false)
  static let postbacks = list(
    .object(["due": .window], essential: ["recipient", "adNetworkIdentifier", "sequenceIndex", "state"]), isGrouped: false)
  static let droppedPostbacks = list(.object([:], essential: ["sequenceIndex", "reasons"]), isGrouped: false)
  static let impressions = list(
    .object([:], essential: ["state", "interaction", "adNetworkIdentifier"]), isGrouped: false)
  static let installs = list(.object([:], essential: ["bundleIdentifier"]), isGrouped: false)
  static let sent = list(.object(["within": .window, "body": .whole], essential: ["to", "kind"]), isGrouped: true)

  func member(_ name: String) -> ExpectationForm {
    switch self {
    case .object(let forms, _): forms[name] ?? .named
    case .named, .whole, .window, .list, .event: .named
    }
  }

  var item: ExpectationForm {
    guard case .list(let form, _) = self else { return .named }
    return form
  }

  var isGrouped: Bool {
    guard case .list(_, let isGrouped) = self else { return false }
    return isGrouped
  }
}

/// `[EARLIEST, BEFORE]`, both relative to the scenario's start.
struct ExpectedWindow: Hashable, Sendable {
  let earliest: Interval
  let before: Interval

  /// Nil for an invalid window.
  init?(_ node: SourceNode) {
    let ends = node.json.items.compactMap { $0.string.flatMap(Interval.init(text:)) }
    guard ends.count == 2, node.json.items.count == 2 else { return nil }
    (earliest, before) = (ends[0], ends[1])
  }

  func contains(_ time: Interval) -> Bool { earliest <= time && time < before }
}
