/// A decision as the log keeps it: what its rules saw and, if one failed, which one and what would have satisfied it.
package struct RecordedDecision: Hashable, Sendable, Decodable {
  /// Every value that a rule looked at, each once.
  package let saw: [JSON.Member]
  /// The name of the rule that failed; nil when all passed.
  package let failed: String?
  /// The smallest change that would have satisfied it; nil when all passed.
  package let change: String?

  package init(saw: [JSON.Member], failed: String? = nil, change: String? = nil) {
    self.saw = saw
    self.failed = failed
    self.change = change
  }

  package init(_ trace: RuleTrace) {
    self.init(saw: trace.seen, failed: trace.failed?.rule, change: trace.failed?.change)
  }

  package init(from decoder: any Decoder) throws {
    var members = try EventReader(decoder)
    saw = try members.json("saw").members
    failed = try members.optionalText("failed")
    change = try members.optionalText("change")
    try members.finish()
  }

  var json: JSON {
    var members: [JSON.Member] = [.init("saw", .object(saw))]
    if let failed {
      members.append(.init("failed", .string(failed)))
      members.append(.init("change", .string(change)))
    }
    return .object(members)
  }
}
