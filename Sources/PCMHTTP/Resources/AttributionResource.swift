import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  func addAttributionRoutes(to routes: inout RouteTable) {
    routes.on(
      "/v1/browsers/:browser/attributions", .get, parameters: [.repeatable("state"), .repeatable("site"), "limit", "cursor"]
    ) { request, context in
      let (query, browser) = (QueryReader(request), try await browser(context))
      let cursors = ListCursors("attributions", of: browser)
      let filter = AttributionFilter(
        try query.choices("state", of: AttributionRecord.State.self), sites: try query.sites("site", in: browser))
      let page = try await browser.attributions(filter, after: try query.numericCursor(cursors), limit: try query.limit())
      return Response(json: page.json(cursors, of: \.json))
    }
    routes.on("/v1/browsers/:browser/attributions/:attribution", .get) { _, context in
      Response(json: try await browser(context).attribution(named: try context.pathPart("attribution")).json)
    }
  }
}
