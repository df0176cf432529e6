import Hummingbird
import Logging
import PCMBrowser
import PCMCore
import PCMDevTools
import PCMStore

extension ControlAPI {
  /// Adds the attachments of a browser: the running Chromiums whose pages are observed for it.
  func addAttachmentRoutes(to routes: inout RouteTable) {
    let (list, one) = ("/v1/browsers/:browser/attachments", "/v1/browsers/:browser/attachments/:attachment")
    routes.on(list, .get) { _, context in
      let browser = try await browser(context)
      var items: [JSON] = []
      for entry in attachments?.entries(of: browser.record.incarnation) ?? [] { items.append(await entry.json) }
      return Response(json: ["items": .array(items)])
    }
    routes.on(list, .post, use: postAttachment)
    routes.on(one, .get) { _, context in
      let entry = try attachment(context, of: try await browser(context))
      return Response(json: await entry.json)
    }
    routes.on(one, .delete) { _, context in
      let browser = try await browser(context)
      let entry = try attachment(context, of: browser)
      _ = await attachments?.detach(entry.name, of: browser.record.incarnation)
      return Response(status: .noContent)
    }
    routes.on("\(one)/settle", .post) { request, context in
      let browser = try await browser(context)
      let body = try await request.json(as: SettleInput.self, in: context, isOptional: true)
      let entry = try attachment(context, of: browser)
      let settlement = await entry.attachment.settle(within: .milliseconds(body.within.milliseconds))
      try Task.checkCancellation()
      return Response(json: settlement.json)
    }
  }

  private func postAttachment(_ request: Request, _ context: APIContext) async throws -> Response {
    let browser = try await browser(context)
    let input = try await request.json(as: AttachmentInput.self, in: context)
    guard let attachments else { throw Problem.notFound("this service observes no browsers; start one with serve") }
    let api = InProcessAPI(self, logger: context.logger)
    let entry: Attachments.Entry
    do throws(DevToolsError) {
      entry = try await attachments.attach(
        input, to: browser.record.name, owner: browser.record.incarnation,
        isOnRealClock: browser.record.clockMode == .real
      ) { method, path, body in
        let response = try await api.call(method, path, body: body)
        return (response.status, response.body)
      }
    } catch {
      throw Problem(error)
    }
    // A caller who left does not know its name.
    guard !Task.isCancelled else {
      _ = await attachments.detach(entry.name, of: browser.record.incarnation)
      throw CancellationError()
    }
    return Response(
      json: await entry.json, status: .created, location: browser.path(of: "attachments", entry.name))
  }

  private func attachment(_ context: APIContext, of browser: Browser) throws -> Attachments.Entry {
    let name = try context.pathPart("attachment")
    guard let entry = attachments?.entry(name, of: browser.record.incarnation) else {
      throw Problem.notFound(
        "the browser \(browser.record.name) has no attachment \"\(name.asShown(upTo: 100))\"; POST …/attachments begins one")
    }
    return entry
  }
}

extension Problem {
  fileprivate init(_ error: DevToolsError) {
    switch error.code {
    case .invalidAddress, .notLoopback:
      let entry: JSON = [
        "pointer": "/devtools", "detail": .string(error.description), "code": .string(error.code.rawValue),
      ]
      self = .invalid(error.description, errors: [entry])
    case .attachedAlready, .stopped:
      self.init(code: "conflict", title: "Conflict", status: .conflict, detail: error.description)
    case .tooMany:
      self.init(code: "limit-reached", title: "Limit reached", status: .conflict, detail: error.description)
    case .unreachable, .malformed, .tooLarge, .closed:
      self.init(code: "devtools-\(error.code.rawValue)", title: "No DevTools", status: .badGateway, detail: error.description)
    }
  }
}
