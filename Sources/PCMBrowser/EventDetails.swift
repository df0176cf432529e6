import PCMCore

extension KeptClick {
  /// What the log says of a click.
  func detail(via: ClickOrigin, reasons: [Reason], trace: RuleTrace?) -> JSON {
    var members: [JSON.Member] = [
      .init("click", .string(RecordName.click(id))),
      .init("via", .string(via.rawValue)),
      .init("sourceSite", .string(click.key.source.domain)),
      .init("destinationSite", .string(click.key.destination.domain)),
      .init("sourceID", .number(Int64(click.sourceID))),
      .init("bundleIdentifier", .string(click.key.bundleIdentifier)),
      .init("expiresAt", .string(click.expiresAt.text)),
      .init("reasons", .array(reasons.map(\.json))),
    ]
    if let trace { members.append(.init("decision", trace.json)) }
    return .object(members)
  }
}

extension TriggerOutcome.AskedTrigger {
  var members: [JSON.Member] {
    [
      .init("data", .number(Int64(trigger.data))),
      .init("priority", .number(Int64(trigger.priority))),
      .init("sourceSite", .string(source.domain)),
      .init("destinationSite", .string(destination.domain)),
    ]
  }

  func detail(_ more: JSON.Member...) -> JSON { .object(members + more) }
}

extension Attribution {
  /// What the log says of an attribution.
  ///
  /// - Parameter triggeringEvent: the number of the event that was accepted.
  func detail(triggeringEvent: Int64?, trace: RuleTrace) -> JSON {
    [
      "attribution": .string(RecordName.attribution(id)),
      "click": .string(RecordName.click(click.id)),
      "sourceSite": .string(key.source.domain),
      "destinationSite": .string(key.destination.domain),
      "sourceID": .number(Int64(click.click.sourceID)),
      "triggerData": .number(Int64(trigger.data)),
      "priority": .number(Int64(trigger.priority)),
      "bundleIdentifier": .string(key.bundleIdentifier),
      "sourceReport": .string(source.map { RecordName.report($0.report) }),
      "destinationReport": .string(destination.map { RecordName.report($0.report) }),
      "triggeringEvent": triggeringEvent.map { .number($0) } ?? .null,
      "decision": trace.json,
    ]
  }
}
