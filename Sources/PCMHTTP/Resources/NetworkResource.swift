import Hummingbird
import PCMBrowser
import PCMCore
import PCMDevTools
import PCMNetwork
import PCMPages
import PCMScenario
import PCMSimulatedSites
import PCMStore

extension ControlAPI {
  /// Adds the network of a browser and its device, its simulated sites, and the messages that they received.
  func addNetworkRoutes(to routes: inout RouteTable) {
    routes.onWorld("/network", .get) { _, context in
      Response(json: Self.json(try await browser(context).networkMode()))
    }
    routes.onWorld("/network", .put) { request, context in
      let browser = try await browser(context)
      let mode = try await request.json(as: NetworkSpecification.self, in: context).mode
      try await browser.use(mode)
      return Response(json: Self.json(mode))
    }
    routes.onWorld("/sites", .get, parameters: ["limit", "cursor"], use: listSites)
    routes.onWorld("/sites/:host", .get) { _, context in
      let host = try context.host()
      return Response(json: Self.json(try await browser(context).siteBehavior(host), host: host))
    }
    routes.onWorld("/sites/:host", .put, use: putSite)
    routes.onWorld("/sites/:host", .delete) { _, context in
      let (browser, host) = (try await browser(context), try context.host())
      try await browser.removeSite(host)
      return Response(status: .noContent)
    }
    routes.on(
      "/v1/browsers/:browser/messages", .get, parameters: [.repeatable("host"), "limit", "cursor"],
      use: listMessages)
  }

  private func listSites(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = QueryReader(request)
    let (browser, limit) = (try await browser(context), try query.limit())
    let cursors = ListCursors("sites", of: browser)
    let sites = try await browser.simulatedSites(after: try query.cursor(cursors) ?? "", limit: limit + 1)
    return Response(
      json: Page.json(
        sites, limit: limit, cursor: { cursors.text($0.host) }, json: { Self.json($0.behavior, host: $0.host) }))
  }

  private func putSite(_ request: Request, _ context: APIContext) async throws -> Response {
    let (browser, host) = (try await browser(context), try context.host())
    let behavior = try await request.document(upTo: BodyLimit.json) { (bytes, format) throws(ScenarioErrors) in
      try SiteDocument.read(bytes, as: format)
    }
    let isNew = try await browser.put(behavior, at: host)
    let json = Self.json(behavior, host: host)
    guard isNew else { return Response(json: json) }
    return Response(json: json, status: .created, location: context.worldPath(of: browser, list: "sites", host))
  }

  private func listMessages(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = QueryReader(request)
    let hosts = try query.texts("host", maximumCount: Browser.maximumSites)
    let browser = try await browser(context)
    let cursors = ListCursors("messages", of: browser)
    let page = browser.messages(to: hosts, after: try query.numericCursor(cursors), limit: try query.limit())
    let members = Page.members(
      page.items, next: page.next.map(cursors.text), cursor: { cursors.text($0.number) }, json: \.json)
    return Response(json: .object(members + [.init("droppedCount", .number(page.droppedCount))]))
  }

  /// The part of the browser's page about its network.
  func networkView(of browser: Browser) async throws -> Markup {
    let sites = try await browser.simulatedSites(after: "", limit: QueryReader.maximumItems)
    var observed: [JSON] = []
    for entry in attachments?.entries(of: browser.record.incarnation) ?? [] { observed.append(await entry.json) }
    return NetworkView.markup(
      mode: try await browser.networkMode().rawValue,
      forwarded: browsers.environment.route.forwardTo.map { ($0.subject, $0.target) },
      sites: sites.map { Self.json($0.behavior, host: $0.host) },
      attachments: observed)
  }

  private static func json(_ mode: NetworkMode) -> JSON { ["mode": .string(mode.rawValue)] }

  private static func json(_ behavior: SiteBehavior, host: String) -> JSON {
    ["host": .string(host), "behavior": behavior.json]
  }
}

extension APIContext {
  /// Returns the host in the path.
  fileprivate func host() throws -> String {
    let host = try pathPart("host")
    guard SiteDocument.host.accepts(host) else {
      throw Problem.invalidParameter("host", "\"\(host)\" is not \(SiteDocument.host.expected)")
    }
    return host
  }
}
