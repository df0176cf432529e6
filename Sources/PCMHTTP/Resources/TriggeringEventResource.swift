import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  /// Adds triggering events, and the loads that cause them.
  func addTriggeringEventRoutes(to routes: inout RouteTable) {
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
    routes.on(LoadInput.path, .post) { request, context in
      let browser = try browser(context)
      return try await request.answerOnce(by: browser) { (load: LoadInput, keyed) in
        try await browser.load(load, for: keyed)
      } answer: { (outcome: LoadOutcome) in
        PostAnswer(json: outcome.json)
      }
    }
  }
}

extension LoadOutcome {
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
