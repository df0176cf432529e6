import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  func addReportRoutes(to routes: inout RouteTable) {
    routes.on("/v1/browsers/:browser/reports", .get, parameters: [.repeatable("state"), "limit", "cursor"]) {
      request, context in
      let query = QueryReader(request)
      let (browser, limit) = (try browser(context), try query.limit())
      let cursors = ListCursors("reports", of: browser)
      let page = try await browser.reports(
        in: query.choices("state", of: Report.State.self), after: query.numericCursor(cursors), limit: limit + 1)
      let items = page.prefix(limit)
      let next = page.count > limit ? items.last?.id : nil
      return Response(json: Page.json(items.map(\.json), next: next.map(cursors.text)))
    }
    routes.on("/v1/browsers/:browser/reports/:report", .get) { _, context in
      Response(json: try await browser(context).report(named: try context.pathPart("report")).json)
    }
  }
}

extension Report {
  var json: JSON {
    [
      "id": .string(RecordName.report(id)),
      "attributionId": .string(RecordName.attribution(attribution)),
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
