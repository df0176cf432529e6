package import PCMCore

/// What became of a click.
package struct ClickOutcome: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case stored, held, discarded
  }

  package let kind: Kind
  package let reasons: [Reason]
  /// Nil when it was discarded.
  package let click: KeptClick?
  /// The click that had to make room.
  package let replaced: Int64?
  /// The log event that tells of the decision.
  package let sequence: Int64
}

/// What became of a redirect.
package struct TriggerOutcome: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case attributed, unmatched, rejected, notTriggering
  }

  package let kind: Kind
  package let reasons: [Reason]
  /// What the event asked for; nil when it could not be read.
  package let trigger: AskedTrigger?
  /// The attribution that the event made or changed.
  package let attribution: Attribution?
  /// The log event of the decision.
  package let sequence: Int64
}
