import Hummingbird
import PCMBrowser
import PCMCore
import PCMStore

extension ControlAPI {
  func addBrowserRoutes(to routes: inout RouteTable) {
    routes.on("/v1/browsers", .get, parameters: ["limit", "cursor"], use: listBrowsers)
    routes.on("/v1/browsers/:browser", .get) { _, context in
      Response(json: try browser(context).configuration.json)
    }
    routes.on("/v1/browsers", .post, use: postBrowser)
    routes.on("/v1/browsers/:browser", .put, use: putBrowser)
    routes.on("/v1/browsers/:browser", .patch, use: patchBrowser)
    routes.on("/v1/browsers/:browser", .delete) { _, context in
      try await browsers.delete(try context.pathPart("browser"))
      return Response(status: .noContent)
    }
    routes.on("/v1/browsers/:browser/clock/advance", .post) { request, context in
      let browser = try browser(context)
      let move = ClockMove(try await request.json(as: ClockAdvance.self))
      return Response(json: try await context.cancellingOnClose { try await browser.advance(move).json })
    }
  }

  private func listBrowsers(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = QueryReader(request)
    let limit = try query.limit()
    let page = browsers.browsers(after: query.text("cursor") ?? "", limit: limit + 1)
    var items: [JSON] = []
    for browser in page.prefix(limit) { items.append(browser.configuration.json) }
    return Response(json: Page.json(items, next: page.count > limit ? page[limit - 1].record.name : nil))
  }

  private func putBrowser(_ request: Request, _ context: APIContext) async throws -> Response {
    let name = try context.pathPart("browser")
    guard BrowserName.isValid(name) else {
      throw Problem.invalidParameter(
        "browser", "\"\(name)\" is not a browser name; use 1 to 64 of a-z, 0-9, dot, underscore, and hyphen")
    }
    // The body and all its members are optional.
    let body = try await request.optionalJSON(as: BrowserSpecification.self)
    if let given = body?.name, given != name {
      throw Problem.invalid([InputError(["name"], "differs from \(name) in the path; omit the member or use the same name")])
    }
    let (browser, isNew) = try await browsers.put(name, body ?? BrowserSpecification())
    return isNew ? created(browser) : Response(json: browser.configuration.json)
  }

  private func postBrowser(_ request: Request, _ context: APIContext) async throws -> Response {
    let body = try await request.optionalJSON(as: BrowserSpecification.self) ?? BrowserSpecification()
    if let name = body.name {
      throw Problem.invalid([InputError(["name"], "POST generates the name; PUT /v1/browsers/\(name) creates one with a name")])
    }
    return created(try await browsers.create(body))
  }

  private func created(_ browser: Browser) -> Response {
    Response(json: browser.configuration.json, status: .created, location: "/v1/browsers/\(browser.record.name)")
  }

  private func patchBrowser(_ request: Request, _ context: APIContext) async throws -> Response {
    let browser = try browser(context)
    try await browser.change(try await request.json(as: BrowserChange.self).settings)
    return Response(json: browser.configuration.json)
  }
}

extension Configuration {
  var json: JSON {
    [
      "name": .string(name),
      "storage": .string(storage.rawValue),
      "seed": .string(seed),
      "clock": ["mode": .string(clockMode.rawValue), "start": .string(start.text), "now": .string(now.text)],
      "settings": settings.json,
    ]
  }
}

extension Advanced {
  var json: JSON {
    var members: [JSON.Member] = [.init("now", .string(now.text))]
    if let target { members.append(.init("target", .string(target.text))) }
    members += [
      .init("finished", .bool(isFinished)), .init("idle", .bool(isIdle)), .init("eventCount", .number(eventCount)),
      .init("events", .array(events.map(\.json))), .init("next", .string(next.map { String($0) })),
    ]
    return .object(members)
  }
}

/// The rule for browser names.
enum BrowserName {
  static func isValid(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}
