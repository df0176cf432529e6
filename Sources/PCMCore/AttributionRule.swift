/// What a triggering event does to the click and the attribution under its key: the decision table of section 5.2.
package enum AttributionRule {
  package enum Decision: Hashable, Sendable {
    /// The pending click becomes the attribution with this trigger and replaces an older one.
    case attribute(KeptClick, replaces: Attribution?)
    /// The pending click is consumed: the existing attribution has a higher priority.
    case consume(KeptClick, keeps: Attribution, UnmatchedReason)
    /// The attribution receives the new trigger and new send times.
    case retrigger(Attribution)
    /// Nothing changes.
    case ignore(UnmatchedReason)
  }

  /// What is stored under the key of an event.
  package struct Situation: Sendable {
    /// The unattributed click. Expired clicks are already removed.
    package let click: KeptClick?
    package let attribution: Attribution?
    package let trigger: Trigger
    /// The reason when there is neither: the nearest miss.
    package let nearestMiss: UnmatchedReason

    package init(click: KeptClick?, attribution: Attribution?, trigger: Trigger, nearestMiss: UnmatchedReason) {
      self.click = click
      self.attribution = attribution
      self.trigger = trigger
      self.nearestMiss = nearestMiss
    }
  }

  package static let rules: [Rule<Situation, UnmatchedReason>] = [
    Rule(
      "a-click-is-stored",
      inputs: [
        "clickId": { .string($0.click.map { RecordName.click($0.id) }) },
        "attributionId": { .string($0.attribution.map { RecordName.attribution($0.id) }) },
      ]
    ) { situation in
      situation.click == nil && situation.attribution == nil ? situation.nearestMiss : nil
    },
    Rule(
      "no-report-has-gone-out",
      inputs: [
        "clickId": { .string($0.click.map { RecordName.click($0.id) }) },
        "reportsGoneOut": { situation in situation.attribution.map { .bool($0.isHalfSent) } ?? .null },
      ]
    ) { situation in
      guard situation.click == nil, let attribution = situation.attribution, attribution.isHalfSent else { return nil }
      return .alreadyReported(attribution: attribution.id)
    },
    Rule(
      "priority-is-higher",
      inputs: [
        "priority": { .number(Int64($0.trigger.priority)) },
        "attributionPriority": { situation in situation.attribution.map { .number(Int64($0.trigger.priority)) } ?? .null },
      ]
    ) { situation in
      guard let attribution = situation.attribution, situation.trigger.priority <= attribution.trigger.priority
      else { return nil }
      return .lowerOrEqualPriority(
        priority: situation.trigger.priority, kept: attribution.trigger.priority, attribution: attribution.id)
    },
  ]

  package static func decide(_ situation: Situation, _ evaluation: inout RuleEvaluation) -> Decision {
    let violation = evaluation.firstViolation(of: rules, to: situation)
    return switch (violation, situation.click, situation.attribution) {
    case (nil, let click?, let attribution): .attribute(click, replaces: attribution)
    case (nil, nil, let attribution?): .retrigger(attribution)
    case (let reason?, let click?, let attribution?): .consume(click, keeps: attribution, reason)
    case (let reason, _, _): .ignore(reason ?? situation.nearestMiss)
    }
  }
}
