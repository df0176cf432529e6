import PCMCore

/// How a value of an expectation is compared with what is.
indirect enum ExpectationForm: Hashable, Sendable {
  /// Objects by the members that are named, lists item by item, everything else by equality.
  case named
  /// With all members, in their order.
  case whole
  /// A half-open window of time, against a duration.
  case window
  /// An object some of whose members have forms of their own.
  ///
  /// - essential: the members that tell most, for an object that nobody expected.
  case object([String: ExpectationForm], essential: Set<String>)
  /// A list of items of a form.
  ///
  /// - isGrouped: a list within the list stands for items in any order.
  case list(ExpectationForm, isGrouped: Bool)
  /// A log event: a kind, or an object.
  case event

  static let events = list(.event, isGrouped: true)
  static let reports = list(.object(["due": .window], essential: ["recipient", "state"]), isGrouped: false)
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

/// `[EARLIEST, BEFORE]`, both since the scenario's start.
struct ExpectedWindow: Hashable, Sendable {
  let earliest: Interval
  let before: Interval

  /// Nil for what is no window.
  init?(_ node: SourceNode) {
    let ends = node.json.items.compactMap { $0.string.flatMap(Interval.init(text:)) }
    guard ends.count == 2, node.json.items.count == 2 else { return nil }
    (earliest, before) = (ends[0], ends[1])
  }

  func contains(_ time: Interval) -> Bool { earliest <= time && time < before }
}
