import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  /// Adds the two requests that make a click, and the clicks that they made.
  func addClickRoutes(to routes: inout RouteTable) {
    routes.on("/v1/browsers/:browser/event-attributions", .post, isShort: true) { request, context in
      let browser = try browser(context)
      return try await request.answerOnce(by: browser) { request, keyed in
        try await browser.open(try await request.json(as: EventAttributionInput.self), for: keyed)
      } answer: { outcome in
        outcome.created(in: browser)
      }
    }
    routes.on("/v1/browsers/:browser/link-clicks", .post, isShort: true) { request, context in
      let browser = try browser(context)
      return try await request.answerOnce(by: browser) { request, keyed in
        try await browser.follow(try await request.json(as: LinkClickInput.self), for: keyed)
      } answer: { outcome in
        outcome.created(in: browser)
      }
    }
    routes.on(
      "/v1/browsers/:browser/clicks", .get, parameters: [.repeatable("state"), .repeatable("site"), "limit", "cursor"]
    ) { request, context in
      let (query, browser) = (QueryReader(request), try browser(context))
      let cursors = ListCursors("clicks", of: browser)
      let filter = ClickFilter(
        try query.choices("state", of: ClickRecord.State.self), sites: try query.sites("site", in: browser))
      let page = try await browser.clicks(filter, after: try query.numericCursor(cursors), limit: try query.limit())
      return Response(json: page.json(cursors, of: \.json))
    }
    routes.on("/v1/browsers/:browser/clicks/:click", .get) { _, context in
      Response(json: try await browser(context).click(named: try context.pathPart("click")).json)
    }
  }
}

extension ClickOutcome {
  fileprivate func created(in browser: Browser) -> PostAnswer {
    PostAnswer(json: record.json, status: .created, location: browser.path(of: "clicks", RecordName.click(sequence)))
  }
}

extension ClickRecord {
  fileprivate var json: JSON {
    [
      "id": .string(RecordName.click(id)),
      "at": .string(at.text),
      "outcome": .string(outcome.rawValue),
      "reasons": .array(reasons.map(\.json)),
      "state": .string(state.rawValue),
      "click": click?.json(replaced: replaced, sourceKeyID: sourceKeyID) ?? .null,
      "attributionId": .string(attribution.map(RecordName.attribution)),
      "successorId": .string(successor.map(RecordName.click)),
      "impressionId": .string(webAd.map(RecordName.impression)),
      "sequence": .number(id),
    ]
  }
}

extension KeptClick {
  /// - Parameters:
  ///   - replaced: The click that this one replaced.
  ///   - sourceKeyID: The name of the key that signed the click's token.
  fileprivate func json(replaced: Int64?, sourceKeyID: String?) -> JSON {
    [
      "id": .string(RecordName.click(id)),
      "sourceSite": .string(click.key.source.domain),
      "destinationSite": .string(click.key.destination.domain),
      "sourceIdentifier": .number(Int64(click.sourceID)),
      "bundleIdentifier": .string(click.key.bundleIdentifier),
      "clickedAt": .string(click.clickedAt.text),
      "expiresAt": .string(click.expiresAt.text),
      "replacedClickId": .string(replaced.map(RecordName.click)),
      "sourceToken": .token(keyID: sourceKeyID),
    ]
  }
}

extension JSON {
  /// A token as its key ID. The token itself appears only in reports.
  static func token(keyID: String?) -> JSON { keyID.map { ["keyId": .string($0)] } ?? .null }
}
