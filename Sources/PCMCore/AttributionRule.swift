/// What a triggering event does to the click and the attribution under its key: the decision table of section 5.2.
package enum AttributionRule {
  package enum Decision: Hashable, Sendable {
    /// The pending click takes the trigger and becomes the attribution, in place of an older one if there is one.
    case attribute(KeptClick, replaces: Attribution?)
    /// The pending click took the trigger but loses against the attribution, and is gone.
    case consume(KeptClick, keeps: Attribution)
    /// The attribution takes the new trigger and fresh times.
    case retrigger(Attribution)
    /// Nothing changes.
    case ignore(Attribution, UnmatchedReason)
    /// There is neither.
    case nothing
  }

  /// - Parameters:
  ///   - click: the unattributed click under the event's key, expired ones already gone.
  ///   - attribution: the attribution under the same key.
  package static func decide(click: KeptClick?, attribution: Attribution?, trigger: Trigger) -> Decision {
    switch (click, attribution) {
    case (let click?, nil): .attribute(click, replaces: nil)
    case (let click?, let attribution?):
      trigger.priority > attribution.trigger.priority
        ? .attribute(click, replaces: attribution) : .consume(click, keeps: attribution)
    case (nil, let attribution?):
      if attribution.isHalfSent {
        .ignore(attribution, .alreadyReported(attribution: attribution.id))
      } else if trigger.priority > attribution.trigger.priority {
        .retrigger(attribution)
      } else {
        .ignore(attribution, lower(trigger, than: attribution))
      }
    case (nil, nil): .nothing
    }
  }

  package static func lower(_ trigger: Trigger, than attribution: Attribution) -> UnmatchedReason {
    .lowerOrEqualPriority(
      priority: trigger.priority, kept: attribution.trigger.priority, attribution: attribution.id)
  }
}
