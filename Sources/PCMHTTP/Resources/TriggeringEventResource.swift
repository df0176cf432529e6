import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  /// Adds the triggering events that were handled.
  func addTriggeringEventRoutes(to routes: inout RouteTable) {
    routes.on(
      "/v1/browsers/:browser/triggering-events", .get,
      parameters: [.repeatable("outcome"), .repeatable("site"), "limit", "cursor"]
    ) { request, context in
      let (query, browser) = (QueryReader(request), try await browser(context))
      let cursors = ListCursors("triggering-events", of: browser)
      let filter = TriggeringEventFilter(
        try query.choices("outcome", of: TriggerOutcome.Kind.self), sites: try query.sites("site", in: browser))
      let page = try await browser.triggeringEvents(filter, after: try query.numericCursor(cursors), limit: try query.limit())
      return Response(json: page.json(cursors, of: \.json))
    }
    routes.on("/v1/browsers/:browser/triggering-events/:event", .get) { _, context in
      Response(json: try await browser(context).triggeringEvent(named: try context.pathPart("event")).json)
    }
  }
}
