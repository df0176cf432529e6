import Hummingbird
import PCMBrowser
import PCMCore
import PCMStore

extension ControlAPI {
  func addReportRoutes(to routes: inout RouteTable) {
    routes.on(
      "/v1/browsers/:browser/reports", .get,
      parameters: [
        .repeatable("state"), .repeatable("recipient"), .repeatable("site"), .repeatable("include"), "limit", "cursor",
      ], use: listReports)
    routes.on("/v1/browsers/:browser/reports/:report", .get) { _, context in
      Response(json: try await browser(context).report(named: try context.pathPart("report")).json)
    }
  }

  private func listReports(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = QueryReader(request)
    let limit = try query.limit()
    let (states, recipients) = (
      try query.choices("state", of: Report.State.self), try query.choices("recipient", of: Recipient.self)
    )
    let parts = try query.choices("include", of: ReportPart.self)
    let browser = try await browser(context)
    let cursors = ListCursors("reports", of: browser)
    let selection = ReportSelection(states: states, recipients: recipients, sites: try query.sites("site", in: browser))
    let page = try await browser.departingReportPage(selection, after: query.numericCursor(cursors), limit: limit)
    return Response(json: page.json(cursors) { $0.json(with: parts) })
  }
}
