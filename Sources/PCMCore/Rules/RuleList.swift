/// The ordered rule list of each decision, taken from the rules that decide. A decision refers to its list.
package enum RuleBook {
  package static let eventAttribution = RuleList(MeasurementSettings.rules) + RuleList(AppTap.rules)
  package static let linkClick = RuleList(MeasurementSettings.rules) + RuleList(LinkClick.rules)
  package static let triggeringEvent =
    RuleList(TriggerPath.rules) + RuleList(MeasurementSettings.rules) + RuleList(FirstParty.rules)
    + RuleList(MixedContent.rules)
    + RuleList(TriggerURL.rules) + RuleList(EphemeralClick.rules) + RuleList(TriggeringEvent.rules)
    + RuleList(DestinationToken.rules) + RuleList(AttributionRule.rules)
  package static let ignoredTrigger = RuleList(IgnoredTrigger.rules)
  /// The reasons that no rule has: notes on clicks and triggering events, and tokens that fail.
  package static let clickNotes = RuleList(reasons: AppTap.notes + [LinkClick.malformedWebAd])
  package static let triggerNotes = RuleList(reasons: [TriggerURL.leniencyTitle, TriggeringEvent.unknownRedirectTitle])
  package static let tokens = RuleList(reasons: Violation.titlesOfTokens)
  package static let sending =
    RuleList(MeasurementSettings.sendRules) + RuleList(ReportTimer.firingRules) + RuleList(ReportTimer.roundRules)
}

/// The ordered rules of a decision, as an explanation lists them.
///
/// The log refers to a list by its identifier, and a store keeps each list once. An old decision is therefore explained by
/// the rules that made it, even when rules were renamed since.
package struct RuleList: Hashable, Sendable {
  private let parts: Boxed<Parts>

  package var headings: [RuleHeading] { parts.value.headings }
  /// An identifier derived from the content: the same rules have the same identifier in every version of the service.
  package var id: String { parts.value.id }
  /// One line for each rule: its name and the names of the values that it reads, separated by spaces.
  package var text: String { parts.value.text }

  package init(_ headings: [RuleHeading]) {
    let text = headings.map { ([$0.name] + $0.inputs).joined(separator: " ") }.joined(separator: "\n")
    parts = Boxed(Parts(headings: headings, id: Self.id(of: text), text: text))
  }

  private struct Parts: Hashable, Sendable {
    let headings: [RuleHeading]
    let id: String
    let text: String
  }

  package init<Subject>(_ rules: [Rule<Subject>]) { self.init(rules.map(\.heading)) }

  /// Creates a list of reasons that no rule has.
  package init(reasons: [RuleTitle]) { self.init(reasons.map { RuleHeading($0, inputs: []) }) }

  /// Creates a list from its stored text.
  package init(text: String) {
    self.init(
      text.split(separator: "\n").map { line in
        let words = line.split(separator: " ").map(String.init)
        return RuleHeading(name: words.first ?? "", inputs: Array(words.dropFirst()))
      })
  }

  package static func == (left: Self, right: Self) -> Bool { left.id == right.id }
  package func hash(into hasher: inout Hasher) { hasher.combine(id) }

  package static func + (left: RuleList, right: RuleList) -> RuleList { RuleList(left.headings + right.headings) }

  /// Returns 48 bits of FNV-1a: twelve characters fit into a string without allocation.
  private static func id(of text: String) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let digits = String(hash >> 16, radix: 16)
    return String(repeating: "0", count: 12 - digits.count) + digits
  }

  /// A decision's reference to its list. References with equal identifiers are equal.
  package struct Reference: Hashable, Sendable {
    package let id: String
    /// The rules; nil when the decision was read from the log, which stores only the identifier.
    package let list: RuleList?

    init(_ list: RuleList) { (id, self.list) = (list.id, list) }
    init(id: String) { (self.id, list) = (id, nil) }

    package static func == (left: Self, right: Self) -> Bool { left.id == right.id }
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }
}

/// The title of a rule and the names of its values, without the code that decides.
package struct RuleHeading: Hashable, Sendable {
  package let title: RuleTitle
  package let inputs: [String]

  package var name: String { title.name }

  package init(_ title: RuleTitle, inputs: [String]) {
    self.title = title
    self.inputs = inputs
  }

  package static func == (left: Self, right: Self) -> Bool { left.name == right.name && left.inputs == right.inputs }
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// Creates the heading of a rule in the log.
  package init(name: String, inputs: [String]) { self.init(RuleTitle(name, "", nil, reasons: []), inputs: inputs) }
}
