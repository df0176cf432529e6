import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  /// Adds triggering events, and the loads that cause them.
  func addTriggeringEventRoutes(to routes: inout RouteTable) {
    routes.on("/v1/browsers/:browser/triggering-events", .post, isBrief: true) { request, context in
      let browser = try browser(context)
      return try await request.once(by: browser, in: context, answer: \TriggerOutcome.answer) { request, keyed in
        try await browser.observe(try await request.json(as: TriggeringEventInput.self), for: keyed)
      }
    }
    routes.on("/v1/browsers/:browser/loads", .post) { request, context in
      let browser = try browser(context)
      return try await request.once(by: browser, in: context, answer: \LoadOutcome.answer) { request, keyed in
        try await browser.load(try await request.json(as: LoadInput.self), for: keyed)
      }
    }
  }
}

extension TriggerOutcome {
  fileprivate var answer: PostAnswer { PostAnswer(json: json) }

  var json: JSON {
    [
      "outcome": .string(kind.rawValue),
      "reasons": .array(reasons.map(\.json)),
      "trigger": trigger?.json ?? .null,
      "attribution": attribution?.json ?? .null,
      "sequence": .number(sequence),
    ]
  }
}

extension RequestedTrigger {
  var json: JSON {
    [
      "data": .number(Int64(trigger.data)),
      "priority": .number(Int64(trigger.priority)),
      "sourceSite": .string(source.domain),
      "destinationSite": .string(destination.domain),
    ]
  }
}

extension LoadOutcome {
  fileprivate var answer: PostAnswer { PostAnswer(json: json) }

  var json: JSON {
    [
      "hops": .array(hops.map(\.json)),
      "triggeringEvents": .array(triggeringEvents.map(\.json)),
      "error": error?.json ?? .null,
    ]
  }
}

extension LoadOutcome.Hop {
  fileprivate var json: JSON {
    [
      "url": .string(url),
      "status": status.map { .number(Int64($0)) } ?? .null,
      "location": .string(location),
      "error": error?.json ?? .null,
    ]
  }
}
