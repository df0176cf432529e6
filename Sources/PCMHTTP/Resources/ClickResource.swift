import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  /// Adds the clicks that operations made.
  func addClickRoutes(to routes: inout RouteTable) {
    routes.on(
      "/v1/browsers/:browser/clicks", .get, parameters: [.repeatable("state"), .repeatable("site"), "limit", "cursor"]
    ) { request, context in
      let (query, browser) = (QueryReader(request), try await browser(context))
      let cursors = ListCursors("clicks", of: browser)
      let filter = ClickFilter(
        try query.choices("state", of: ClickRecord.State.self), sites: try query.sites("site", in: browser))
      let page = try await browser.clicks(filter, after: try query.numericCursor(cursors), limit: try query.limit())
      return Response(json: page.json(cursors, of: \.json))
    }
    routes.on("/v1/browsers/:browser/clicks/:click", .get) { _, context in
      Response(json: try await browser(context).click(named: try context.pathPart("click")).json)
    }
  }
}
