import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  func addClickRoutes(to routes: inout RouteTable) {
    routes.on("/v1/browsers/:browser/event-attributions", .post, isBrief: true) { request, context in
      let browser = try browser(context)
      return try await request.once(by: browser, in: context, answer: \ClickOutcome.created) { request, keyed in
        try await browser.open(try await request.json(as: EventAttributionInput.self), for: keyed)
      }
    }
    routes.on("/v1/browsers/:browser/link-clicks", .post, isBrief: true) { request, context in
      let browser = try browser(context)
      return try await request.once(by: browser, in: context, answer: \ClickOutcome.created) { request, keyed in
        try await browser.follow(try await request.json(as: LinkClickInput.self), for: keyed)
      }
    }
  }
}

extension ClickOutcome {
  fileprivate var created: PostAnswer { PostAnswer(json: json, status: .created) }

  var json: JSON {
    let replaced = JSON.string(replaced.map { RecordName.click($0) })
    return [
      "outcome": .string(kind.rawValue),
      "reasons": .array(reasons.map(\.json)),
      "click": click.map { .object($0.members + [.init("replacedClickId", replaced)]) } ?? .null,
      "sequence": .number(sequence),
    ]
  }
}

extension KeptClick {
  var members: [JSON.Member] {
    [
      .init("id", .string(RecordName.click(id))),
      .init("sourceSite", .string(click.key.source.domain)),
      .init("destinationSite", .string(click.key.destination.domain)),
      .init("sourceIdentifier", .number(Int64(click.sourceID))),
      .init("bundleIdentifier", .string(click.key.bundleIdentifier)),
      .init("clickedAt", .string(click.clickedAt.text)),
      .init("expiresAt", .string(click.expiresAt.text)),
    ]
  }

  /// A stored click. A new click has no token yet.
  var json: JSON { .object(members + [.init("sourceToken", click.token.json)]) }
}

extension SecretToken? {
  /// The key ID. The token itself appears only in reports.
  var json: JSON { map { ["keyId": .string($0.keyID)] } ?? .null }
}
