import Hummingbird
import PCMBrowser
import PCMCore
import PCMStore

extension ControlAPI {
  func addReportRoutes(to routes: inout RouteTable) {
    routes.on(
      "/v1/browsers/:browser/reports", .get,
      parameters: [.repeatable("state"), .repeatable("recipient"), .repeatable("site"), "limit", "cursor"],
      use: listReports)
    routes.on("/v1/browsers/:browser/reports/:report", .get) { _, context in
      Response(json: try await browser(context).report(named: try context.pathPart("report")).json)
    }
  }

  /// The maximum number of sites of a filter.
  private static var mostSites: Int { 16 }

  private func listReports(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = QueryReader(request)
    let (limit, start) = (try query.limit(), try query.position("cursor"))
    let (states, recipients) = (
      try query.choices("state", of: Report.State.self), try query.choices("recipient", of: Recipient.self)
    )
    let browser = try browser(context)
    // The sites are sorted so that the same request has the same problem.
    let sites = try query.texts("site", most: Self.mostSites).sorted().map { try site($0, of: browser) }
    let page = try await browser.reportPage(
      ReportSelection(states: states, recipients: recipients, sites: Set(sites)), after: start, limit: limit)
    return Response(json: Page.json(page.items.map(\.json), next: page.next.map { String($0) }))
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
