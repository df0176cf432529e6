import Hummingbird
import PCMBrowser
import PCMCore
import PCMDevTools
import PCMDevice
import PCMStore

extension ControlAPI {
  func addBrowserRoutes(to routes: inout RouteTable) {
    routes.on(
      "/v1/browsers", .get, parameters: ["limit", "cursor", .repeatable("label")], use: listBrowsers)
    routes.onWorld("", .get) { _, context in
      Response(json: try await browser(context).configuration().json)
    }
    routes.on("/v1/browsers", .post, use: postBrowser)
    routes.onWorld("", .put, use: putBrowser)
    routes.onWorld("", .patch, use: patchBrowser)
    routes.onWorld("", .delete) { _, context in
      let name = try context.pathPart(context.worldName)
      if let browser = try await browsers.delete(name) {
        context.note(UseToken(of: browser))
        await attachments?.detachAll(of: browser.record.incarnation)
      }
      return Response(status: .noContent)
    }
    routes.on("/v1/browsers/:browser/forks", .post, use: postFork)
    routes.onWorld("/clock/advance", .post) { request, context in
      let browser = try await browser(context)
      return try await request.answerOnce(by: browser, in: context, isOptional: ClockAdvance.isOptional) { body, key in
        let keyed = KeyedRequest<AdvanceResult>(key) { $0.answer(of: browser) }
        let outcome = try await browser.advance(try ClockAdvance(json: body), for: keyed)
        return keyed?.answer(to: outcome) ?? outcome.answer(of: browser)
      }
    }
  }

  func listBrowsers(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = QueryReader(request)
    let limit = try query.limit()
    let (labels, cursors) = (try labels(query), ListCursors("browsers"))
    let found = try await browsers.browsers(after: try query.cursor(cursors) ?? "", labels: labels, limit: limit + 1)
    var listed: [(name: String, json: JSON)] = []
    for browser in found.prefix(limit) {
      let name = browser.record.name
      do {
        // It may have been deleted in the meantime.
        guard let (browser, configuration) = try await browsers.description(of: name) else { continue }
        listed.append((name, Self.listed(browser, configuration)))
      } catch StoreError.unreadable {
        // The list omits unreadable browsers.
      }
    }
    let next = found.count > limit ? found[limit - 1].record.name : nil
    return Response(
      json: .object(Page.members(listed, next: next.map(cursors.text), cursor: { cursors.text($0.name) }, json: \.json)))
  }

  private static func listed(_ browser: Browser, _ configuration: BrowserSnapshot) -> JSON {
    .object(configuration.json.members + [.init("lastUsedAt", .string(browser.lastUsedAt.text))])
  }

  private func labels(_ query: QueryReader) throws -> [Label] {
    try query.texts("label", maximumCount: Labels.maximumCount).map { text in
      guard let label = Label(text) else {
        throw Problem.invalidParameter("label", "\"\(text)\" is not a key and a value; use key=value")
      }
      return label
    }
  }

  private func putBrowser(_ request: Request, _ context: APIContext) async throws -> Response {
    let name = try context.pathPart(context.worldName)
    if let error = BrowserName(name).error { throw Problem.invalidParameter(context.worldName, error) }
    // The body and all its members are optional.
    let body = try await request.json(as: BrowserSpecification.self, in: context, isOptional: true)
    if let given = body.name, BrowserName(given) != BrowserName(name) {
      throw Problem.invalid([InputError(["name"], "differs from \(name) in the path; omit the member or use the same name")])
    }
    try body.device.check()
    let (browser, created) = try await browsers.ensure(name, body)
    context.note(UseToken(of: browser))
    guard let created else {
      try await browser.confirm(body.device)
      return Response(json: try await browser.configuration().json)
    }
    // Nothing is read after the creation: an error would be the answer to a call that took effect.
    var response = Response(created.created)
    if context.worldName == "device" { response.headers[.location] = BrowserName(name).devicePath }
    return response
  }

  private func postBrowser(_ request: Request, _ context: APIContext) async throws -> Response {
    try await request.answerOnce(by: browsers, in: context, isOptional: BrowserSpecification.isOptional) { body, key in
      let body = try BrowserSpecification(json: body)
      if let name = body.name {
        let path = BrowserName(name).path
        throw Problem.invalid([InputError(["name"], "POST generates the name; PUT \(path) creates one with a name")])
      }
      guard body.device.isEmpty else {
        throw Problem.invalid([InputError(["device"], "POST creates a standard device; PUT creates one with other properties")])
      }
      let keyed = KeyedRequest<BrowserSnapshot>(key) { $0.created }
      let (browser, configuration) = try await browsers.create(body, for: keyed)
      context.note(UseToken(of: browser))
      return keyed?.answer(to: configuration) ?? configuration.created
    }
  }

  private func postFork(_ request: Request, _ context: APIContext) async throws -> Response {
    let original = try await browser(context)
    return try await request.answerOnce(by: browsers, in: context, isOptional: ForkSpecification.isOptional) { body, key in
      let body = try ForkSpecification(json: body)
      if let name = body.name, let error = BrowserName(name).error { throw Problem.invalid([error.within("name")]) }
      let keyed = KeyedRequest<BrowserSnapshot>(key) { $0.created }
      let configuration = try await browsers.fork(original, as: body.name, for: keyed).configuration
      return keyed?.answer(to: configuration) ?? configuration.created
    }
  }

  private func patchBrowser(_ request: Request, _ context: APIContext) async throws -> Response {
    let browser = try await browser(context)
    let change = try await request.json(as: BrowserChange.self, in: context)
    try change.device.check()
    return Response(json: try await browser.change(change).json)
  }
}

extension BrowserSnapshot {
  fileprivate var created: PostAnswer { PostAnswer(json: json, status: 201, location: BrowserName(name).path) }

  var json: JSON {
    var clock: [JSON.Member] = [
      .init("mode", .string(clockMode.rawValue)), .init("start", .string(start.text)), .init("now", .string(now.text)),
    ]
    if let ahead { clock.append(.init("ahead", .string(ahead.text))) }
    var members: [JSON.Member] = [
      .init("name", .string(name)), .init("storage", .string(storage.rawValue)), .init("seed", .string(seed)),
      .init("clock", .object(clock)), .init("settings", settings.json), .init("device", device.json(at: now)),
      .init("labels", upkeep.labels.json),
    ]
    if let timeout = upkeep.idleTimeout { members.append(.init("idleTimeout", .string(timeout.text))) }
    members += [.init("createdAt", .string(createdAt.text)), .init("incarnation", .string(incarnation))]
    return .object(members)
  }
}

extension AdvanceResult {
  fileprivate func answer(of browser: Browser) -> PostAnswer {
    var members: [JSON.Member] = [.init("now", .string(now.text))]
    if let target { members.append(.init("target", .string(target.text))) }
    members += [
      .init("finished", .bool(isFinished)), .init("idle", .bool(isIdle)), .init("eventCount", .number(eventCount)),
      .init("events", .array(events.map(\.json))), .init("next", .string(next.map(ListCursors.events(of: browser).text))),
    ]
    return PostAnswer(json: .object(members))
  }
}
