import Hummingbird
import PCMBrowser
import PCMCore
import PCMDevice

extension ControlAPI {
  /// Adds the reading of a device's tracking.
  func addTrackingRoutes(to routes: inout RouteTable) {
    routes.on("/v1/devices/:device/apps/:bundleIdentifier/tracking", .get) { _, context in
      Response(json: try await browser(context).tracking(of: try context.pathPart("bundleIdentifier")).json)
    }
    routes.on("/v1/devices/:device/sdk-requests", .get, parameters: ["limit", "cursor"]) { request, context in
      let query = QueryReader(request)
      let (browser, limit) = (try await browser(context), try query.limit())
      let cursors = ListCursors("sdk-requests", of: browser)
      let found = try await browser.sdkRequests(after: try query.numericCursor(cursors), limit: limit + 1)
      return Response(json: Page.json(found, limit: limit, cursor: { cursors.text($0.id) }, json: \.json))
    }
  }
}
