import PCMCore

extension KeptClick {
  /// What the log says of a click.
  func detail(via: String, reasons: [Reason]) -> JSON {
    [
      "click": .string(RecordName.click(id)),
      "via": .string(via),
      "sourceSite": .string(click.key.source.domain),
      "destinationSite": .string(click.key.destination.domain),
      "sourceID": .number(Int64(click.sourceID)),
      "bundleIdentifier": .string(click.key.bundleIdentifier),
      "expiresAt": .string(click.expiresAt.text),
      "reasons": .array(reasons.map(\.json)),
    ]
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
  var detail: JSON {
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
    ]
  }
}
