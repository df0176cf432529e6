import HTTPTypes
import Hummingbird
import PCMBrowser
import PCMCore
import PCMStore
import ServiceLifecycle

extension ControlAPI {
  func addEventRoutes(to routes: inout RouteTable) {
    routes.onWorld(
      "/events", .get,
      parameters: ["after", "limit", "cursor", .repeatable("kind"), .repeatable("about"), "wait", .repeatable("include")],
      use: listEvents)
  }

  /// The maximum number of subjects of a filter.
  static var maximumSubjects: Int { 16 }

  /// The maximum time of a call that waits for an event.
  static var longestWait: Interval { .minutes(5) }

  /// An additional member of the events in a response.
  private enum Inclusion: String, CaseIterable {
    case decision
  }

  private func listEvents(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = QueryReader(request)
    let limit = try query.limit()
    let selection = EventSelection(
      about: try query.texts("about", maximumCount: Self.maximumSubjects), kinds: try query.choices("kind", of: EventKind.self))
    let wait = try query.interval("wait", maximum: Self.longestWait)
    let includesDecisions = try query.choices("include", of: Inclusion.self).contains(.decision)
    let browser = try await browser(context)
    let cursors = ListCursors.events(of: browser)
    let lastEventID = try lastEventID(request, cursors)
    let start = max(try query.numericCursor(cursors, in: "after", orNumber: true), try query.numericCursor(cursors))
    if request.headers[.accept]?.contains("text/event-stream") == true {
      return stream(
        EventStream(
          browser: browser, start: lastEventID ?? start, selection: selection, includesDecisions: includesDecisions,
          use: context.use))
    }
    var position = start
    if let wait {
      // One event ends the wait, and the page is read afterward.
      let first = try await context.cancelingOnClose {
        try await browser.eventPage(after: start, limit: 1, selection, waiting: wait)
      }
      guard let event = first.items.first else { return Response(json: first.json(cursors, [:], timedOut: true)) }
      position = event.sequence - 1
    }
    let page = try await browser.eventPage(after: position, limit: limit, selection)
    let decisions = try await browser.decisions(of: page.items, includesDecisions)
    return Response(json: page.json(cursors, decisions, timedOut: wait.map { _ in page.items.isEmpty }))
  }

  /// Returns the position in the `Last-Event-ID` of a reader that reconnects. It takes precedence over `after` and `cursor`.
  ///
  /// A reader of an earlier browser of the same name reads from the beginning: it reconnects on its own and cannot react to
  /// an error.
  private func lastEventID(_ request: Request, _ cursors: ListCursors) throws -> Int64? {
    guard let name = HTTPField.Name("Last-Event-ID"), let text = request.headers[name] else { return nil }
    switch cursors.read(text) {
    case .position(let position): if let last = Int64(position), last >= 0 { return last }
    case .otherBrowser: return 0
    case .otherList: break
    }
    throw Problem.malformed("Last-Event-ID \"\(text)\" is not an ID of this stream")
  }

  private func stream(_ events: EventStream) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody(asyncSequence: events.cancelOnGracefulShutdown()))
  }
}

extension EventPage {
  /// - Parameter timedOut: Whether a call that waited for events found none; nil for a call that did not wait.
  fileprivate func json(_ cursors: ListCursors, _ decisions: EventDecisions, timedOut: Bool? = nil) -> JSON {
    let page = Page.members(
      items, next: next.map(cursors.text), cursor: { cursors.text($0.sequence) }, json: { $0.json(with: decisions) })
    // A page that ends early continues with its next page.
    let rest = page.first { $0.name == "next" && $0.value != .null }?.value ?? .string(cursors.text(resumeAfter))
    return .object(page + [.init("resumeAfter", rest)] + (timedOut.map { [.init("timedOut", .bool($0))] } ?? []))
  }
}

/// The verdicts of the rules that decided on events, by the number of the event.
typealias EventDecisions = [Int64: [Explanation.Verdict]]

extension Browser {
  /// Returns the verdicts to include in the objects of events.
  func decisions(of events: [LogEvent], _ includesDecisions: Bool) async throws -> EventDecisions {
    includesDecisions ? try await decisions(of: events) : [:]
  }
}

extension LogEvent {
  var json: JSON { json(with: [:]) }

  /// - Parameter decisions: The verdicts to include.
  func json(with decisions: EventDecisions) -> JSON {
    var members: [JSON.Member] = [
      .init("sequence", .number(sequence)), .init("at", .string(at.text)), .init("kind", .string(kind.rawValue)),
      .init("detail", detailWithoutDecision),
    ]
    if let decision = decisions[sequence] { members.append(.init("decision", ["rules": .array(decision.map(\.json))])) }
    return .object(members)
  }
}
