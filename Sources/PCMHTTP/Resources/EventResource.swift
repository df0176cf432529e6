import HTTPTypes
import Hummingbird
import PCMBrowser
import PCMCore
import ServiceLifecycle

extension ControlAPI {
  func addEventRoutes(to routes: inout RouteTable) {
    routes.on(
      "/v1/browsers/:browser/events", .get,
      parameters: ["after", "limit", "cursor", .repeatable("about"), "waitFor", "timeout"],
      use: listEvents)
  }

  /// The maximum number of subjects of a filter.
  private static var mostSubjects: Int { 16 }

  private func listEvents(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = QueryReader(request)
    let limit = try query.limit()
    let start = max(try query.position("after"), try query.position("cursor"))
    let about = try query.texts("about", most: Self.mostSubjects)
    let kind = try query.choice("waitFor", of: EventKind.self)
    let timeout = try query.interval("timeout", default: .seconds(30), most: .minutes(5))
    let resumeAfter = try lastEventID(request)
    let browser = try browser(context)
    if request.headers[.accept]?.contains("text/event-stream") == true {
      return stream(browser, after: resumeAfter ?? start, about: about)
    }
    if let kind {
      guard let event = try await browser.event(of: kind, about: about, after: start, timeout: timeout) else {
        throw Problem.timedOut("no event \(kind.rawValue) after \(start) occurred within \(timeout.text)")
      }
      return Response(json: Page.json([event.json], next: String(event.sequence)))
    }
    let page = try await browser.eventPage(after: start, limit: limit, about: about)
    return Response(json: Page.json(page.items.map(\.json), next: page.next.map { String($0) }))
  }

  /// Returns the `Last-Event-ID` of a reader that reconnects. It takes precedence over `after`.
  private func lastEventID(_ request: Request) throws -> Int64? {
    guard let name = HTTPField.Name("Last-Event-ID"), let text = request.headers[name] else { return nil }
    guard let last = Int64(text), last >= 0 else {
      throw Problem.malformed("Last-Event-ID \"\(text)\" is not an ID of this stream")
    }
    return last
  }

  private func stream(_ browser: Browser, after position: Int64, about: Set<String>) -> Response {
    let events = EventStream(browser: browser, start: position, about: about).cancelOnGracefulShutdown()
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody(asyncSequence: events))
  }
}

extension LogEvent {
  var json: JSON {
    [
      "sequence": .number(sequence),
      "at": .string(at.text),
      "kind": .string(kind.rawValue),
      "detail": detail,
    ]
  }
}
