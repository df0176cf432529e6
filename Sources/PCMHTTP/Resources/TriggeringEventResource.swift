import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  /// Adds triggering events, and the loads that cause them.
  func addTriggeringEventRoutes(to routes: inout RouteTable) {
    routes.on("/v1/browsers/:browser/triggering-events", .post, isShort: true) { request, context in
      let browser = try browser(context)
      return try await request.answerOnce(by: browser) { request, keyed in
        try await browser.observe(try await request.json(as: TriggeringEventInput.self), for: keyed)
      } answer: { outcome in
        outcome.created(in: browser)
      }
    }
    routes.on(
      "/v1/browsers/:browser/triggering-events", .get,
      parameters: [.repeatable("outcome"), .repeatable("site"), "limit", "cursor"]
    ) { request, context in
      let (query, browser) = (QueryReader(request), try browser(context))
      let cursors = ListCursors("triggering-events", of: browser)
      let filter = TriggeringEventFilter(
        try query.choices("outcome", of: TriggerOutcome.Kind.self), sites: try query.sites("site", in: browser))
      let page = try await browser.triggeringEvents(filter, after: try query.numericCursor(cursors), limit: try query.limit())
      return Response(json: page.json(cursors, of: \.json))
    }
    routes.on("/v1/browsers/:browser/triggering-events/:event", .get) { _, context in
      Response(json: try await browser(context).triggeringEvent(named: try context.pathPart("event")).json)
    }
    routes.on("/v1/browsers/:browser/loads", .post) { request, context in
      let browser = try browser(context)
      return try await request.answerOnce(by: browser) { request, keyed in
        let load = try await request.json(as: LoadInput.self)
        return try await browser.load(load, for: keyed)
      } answer: { (outcome: LoadOutcome) in
        outcome.answer
      }
    }
  }
}

extension TriggerOutcome {
  fileprivate func created(in browser: Browser) -> PostAnswer {
    let path = browser.path(of: "triggering-events", RecordName.triggeringEvent(sequence))
    return PostAnswer(json: record.json, status: .created, location: path)
  }
}

extension TriggeringEventRecord {
  fileprivate var json: JSON {
    [
      "id": .string(RecordName.triggeringEvent(id)),
      "at": .string(at.text),
      "outcome": .string(outcome.rawValue),
      "reasons": .array(reasons.map(\.json)),
      "trigger": trigger?.json ?? .null,
      "attribution": attribution?.json ?? .null,
      "sequence": .number(id),
    ]
  }
}

extension RequestedTrigger {
  fileprivate var json: JSON {
    [
      "data": .number(Int64(trigger.data)),
      "priority": .number(Int64(trigger.priority)),
      "sourceSite": .string(source.domain),
      "destinationSite": .string(destination.domain),
    ]
  }
}

extension LoadOutcome {
  fileprivate var answer: PostAnswer { PostAnswer(json: json) }

  var json: JSON {
    [
      "hops": .array(hops.map(\.json)),
      "triggeringEvents": .array(triggeringEvents.map(\.record.json)),
      "ignored": .array(ignored.map(\.record.json)),
      "reason": reason?.json ?? .null,
      "error": error?.json ?? .null,
    ]
  }
}

extension LoadOutcome.Hop {
  fileprivate var json: JSON {
    [
      "url": .string(url),
      "status": status.map { .number(Int64($0)) } ?? .null,
      "location": .string(location),
      "error": error?.json ?? .null,
    ]
  }
}
