import Hummingbird
import PCMBrowser
import PCMCore
import PCMDevice

extension ControlAPI {
  /// Adds the list of an app's content cards. The other calls are operations.
  func addCardRoutes(to routes: inout RouteTable) {
    routes.on(CardFeedInput.path, .get, parameters: ["limit", "cursor"]) { request, context in
      let query = QueryReader(request)
      let (browser, limit) = (try await browser(context), try query.limit())
      let bundleIdentifier = try context.pathPart("bundleIdentifier")
      let cursors = ListCursors("cards-\(bundleIdentifier)", of: browser)
      let place = Int(try query.numericCursor(cursors))
      let (cards, now) = try await browser.cards(of: bundleIdentifier, after: place - 1, limit: limit + 1)
      return Response(
        json: Page.json(cards, limit: limit, cursor: { cursors.text(Int64($0.place) + 1) }, json: { $0.json(at: now) }))
    }
  }
}
