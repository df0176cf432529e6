/// The effect of a triggering event on the click and the attribution under its key: the decision table of section 5.2.
package enum AttributionRule {
  package enum Decision: Hashable, Sendable {
    /// The pending click becomes the attribution with this trigger and replaces an older attribution.
    case attribute(KeptClick, replaces: Attribution?)
    /// The pending click is consumed: the existing attribution has a higher priority.
    case consume(KeptClick, keeps: Attribution, Violation)
    /// The attribution receives the new trigger and new send times.
    case retrigger(Attribution)
    /// Nothing changes.
    case ignore(Violation)
  }

  /// The stored records under the key of an event.
  package struct Situation: Sendable {
    /// The unattributed click. Expired clicks are already removed.
    package let click: KeptClick?
    package let attribution: Attribution?
    package let trigger: Trigger
    /// The reason when there is neither: the nearest miss.
    package let nearestMiss: Violation

    package init(click: KeptClick?, attribution: Attribution?, trigger: Trigger, nearestMiss: Violation) {
      self.click = click
      self.attribution = attribution
      self.trigger = trigger
      self.nearestMiss = nearestMiss
    }
  }

  package static let rules: [Rule<Situation>] = [
    Rule(
      "a-click-is-stored",
      "A click from the source to the destination is stored, in the same app, and did not expire.",
      .webkit("PrivateClickMeasurementDatabase.cpp"),
      reasons: [
        "no-click": "store a click from the source to the destination, in the same app, before the event",
        "click-expired": "trigger the event earlier, or click again",
        "other-destination": "trigger the event on a page of the click's destination",
        "other-app": "set \"bundleIdentifier\" of the triggering event to the app of the click",
      ],
      inputs: [
        "clickId": { .string($0.click.map { RecordName.click($0.id) }) },
        "attributionId": { .string($0.attribution.map { RecordName.attribution($0.id) }) },
      ]
    ) { situation in
      situation.click == nil && situation.attribution == nil ? situation.nearestMiss : nil
    },
    Rule(
      "no-report-has-gone-out",
      "No report about the click was sent.",
      .webkit("PrivateClickMeasurementDatabase.cpp"),
      reasons: ["already-reported": "click again: a new click with a higher priority starts over"],
      inputs: [
        "clickId": { .string($0.click.map { RecordName.click($0.id) }) },
        "reportsGoneOut": { situation in situation.attribution.map { .bool($0.isHalfSent) } ?? .null },
      ]
    ) { situation in
      guard situation.click == nil, let attribution = situation.attribution, attribution.isHalfSent else { return nil }
      let id = attribution.id
      return Violation(
        "already-reported",
        later: { "a report of \(RecordName.attribution(id)) has gone out; only a new click can change it" })
    },
    Rule(
      "priority-is-higher",
      "The priority is higher than the priority of the click's earlier triggering event.",
      .webkit("PrivateClickMeasurementDatabase.cpp"),
      reasons: ["lower-or-equal-priority": "give the trigger a priority above the one of the earlier event"],
      inputs: [
        "priority": { .number(Int64($0.trigger.priority)) },
        "attributionPriority": { situation in situation.attribution.map { .number(Int64($0.trigger.priority)) } ?? .null },
      ]
    ) { situation in
      let priority = situation.trigger.priority
      guard let attribution = situation.attribution, priority <= attribution.trigger.priority else { return nil }
      let (kept, id) = (attribution.trigger.priority, attribution.id)
      return Violation(
        "lower-or-equal-priority",
        later: { "priority \(priority) is not above the \(kept) of \(RecordName.attribution(id))" },
        change: { kept < 63 ? "give the trigger a priority above \(kept)" : "nothing: \(kept) is the highest priority" })
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

extension ClickKey {
  fileprivate var description: String { "click from \(source.domain) to \(destination.domain)" }
}

/// The nearest misses of an event without a click and an attribution.
extension Violation {
  package static func noClick(_ key: ClickKey) -> Violation {
    Violation(
      "no-click", later: { "no \(key.description) is stored under \(key.bundleIdentifier)" },
      change: { "store a \(key.description) under \(key.bundleIdentifier) before the event" })
  }

  package static func clickExpired(_ click: KeptClick, at now: Instant) -> Violation {
    let (id, expiredAt) = (click.id, click.click.expiresAt)
    return Violation(
      "click-expired",
      later: {
        "\(RecordName.click(id)) had expired \((now - expiredAt).words) before, at \(expiredAt.text), 7 days after it was made"
      },
      change: { earlier(by: (now - expiredAt).words) })
  }

  static func earlier(by time: String) -> String { "trigger the event at least \(time) earlier, or click again" }

  package static func otherDestination(wanted: Site, clicked: Site) -> Violation {
    Violation(
      "other-destination", later: { "the event is on \(wanted.domain), the click leads to \(clicked.domain)" },
      change: { "trigger the event on a page of \(clicked.domain), or click with \(wanted.domain) as the destination" })
  }

  package static func otherApp(wanted: String, clicked: String) -> Violation {
    let change =
      switch BundleIdentifier.safari {
      case clicked: "remove \"bundleIdentifier\" from the triggering event"
      case wanted: "add \"bundleIdentifier\": \"\(clicked)\" to the triggering event"
      default: "set \"bundleIdentifier\" to \"\(clicked)\" in the triggering event"
      }
    return Violation("other-app", "the event is under \(wanted), the click was made under \(clicked)", change: change)
  }
}
