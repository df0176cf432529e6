import PCMBrowser
import PCMCore
import PCMStore

/// What the API answers, as ordered JSON: the same state is always the same bytes.
extension Configuration {
  var json: JSON {
    [
      "name": .string(name),
      "storage": .string(storage.rawValue),
      "seed": .string(seed),
      "clock": ["mode": .string(clockMode.rawValue), "now": .string(now.text)],
      "settings": settings.json,
    ]
  }
}

extension RegisteredApp {
  var json: JSON {
    [
      "bundleIdentifier": .string(bundleIdentifier),
      "reportEndpoint": .string(reportEndpoint),
      "sourceSite": .string(sourceSite),
      "reportURL": .string(reportURL),
      "findings": .verbatim(findings),
    ]
  }
}

extension KeptClick {
  var members: [JSON.Member] {
    [
      .init("id", .string(RecordName.click(id))),
      .init("sourceSite", .string(click.key.source.domain)),
      .init("destinationSite", .string(click.key.destination.domain)),
      .init("sourceID", .number(Int64(click.sourceID))),
      .init("bundleIdentifier", .string(click.key.bundleIdentifier)),
      .init("clickedAt", .string(click.clickedAt.text)),
      .init("expiresAt", .string(click.expiresAt.text)),
    ]
  }

  /// As it waits. What has just been kept has no token yet.
  var json: JSON { .object(members + [.init("sourceToken", click.token.json)]) }
}

extension SecretToken? {
  /// Which key signed; what it signed is for reports alone.
  fileprivate var json: JSON { map { ["keyID": .string($0.keyID)] } ?? .null }
}

extension ClickOutcome {
  var json: JSON {
    let replaced = JSON.string(replaced.map { RecordName.click($0) })
    return [
      "outcome": .string(kind.rawValue),
      "reasons": .array(reasons.map(\.json)),
      "click": click.map { .object($0.members + [.init("replaced", replaced)]) } ?? .null,
      "sequence": .number(sequence),
    ]
  }
}

extension TriggerOutcome {
  var json: JSON {
    [
      "outcome": .string(kind.rawValue),
      "reasons": .array(reasons.map(\.json)),
      "trigger": trigger?.json ?? .null,
      "attribution": attribution?.json ?? .null,
      "sequence": .number(sequence),
    ]
  }
}

extension AskedTrigger {
  var json: JSON {
    [
      "data": .number(Int64(trigger.data)),
      "priority": .number(Int64(trigger.priority)),
      "sourceSite": .string(source.domain),
      "destinationSite": .string(destination.domain),
    ]
  }
}

extension Attribution {
  var json: JSON {
    [
      "id": .string(RecordName.attribution(id)),
      "sourceSite": .string(key.source.domain),
      "destinationSite": .string(key.destination.domain),
      "sourceID": .number(Int64(click.click.sourceID)),
      "triggerData": .number(Int64(trigger.data)),
      "priority": .number(Int64(trigger.priority)),
      "bundleIdentifier": .string(key.bundleIdentifier),
      "attributedAt": .string(attributedAt.text),
      "sourceReport": .string(source.map { RecordName.report($0.report) }),
      "destinationReport": .string(destination.map { RecordName.report($0.report) }),
      "sourceToken": click.click.token.json,
      "destinationToken": destinationToken.json,
    ]
  }
}

extension Measurements {
  var json: JSON {
    [
      "unattributed": .array(unattributed.map(\.json)),
      "attributed": .array(attributed.map(\.json)),
      "held": held?.json ?? .null,
      "next": .string(next.map { String($0) }),
    ]
  }
}

extension Report {
  var json: JSON {
    [
      "id": .string(RecordName.report(id)),
      "attribution": .string(RecordName.attribution(attribution)),
      "recipient": .string(recipient.rawValue),
      "url": .string(url),
      "dueAt": .string(dueAt.text),
      "retryAt": .instant(retryAt),
      "state": .string(state.rawValue),
      "body": .verbatim(body),
      "attempts": .array(attempts.map { .verbatim($0) }),
    ]
  }
}

extension LogEvent {
  var json: JSON {
    [
      "sequence": .number(sequence),
      "at": .string(at.text),
      "kind": .string(kind.rawValue),
      "detail": detail,
    ]
  }
}

extension Advanced {
  var json: JSON {
    ["now": .string(now.text), "events": .array(events.map(\.json))]
  }
}

/// One page of a list: the items, and the cursor that leads to the next page or null on the last.
enum Page {
  static func json(_ items: [JSON], next: String?) -> JSON {
    ["items": .array(items), "next": .string(next)]
  }
}
