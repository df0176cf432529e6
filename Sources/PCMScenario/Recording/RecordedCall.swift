package import PCMCore

/// One accepted call of a session, as a step of a scenario needs it.
package struct RecordedCall: Sendable {
  /// The step's member and what stands in it.
  package let action: JSON.Member
  /// The answer of the call; null when there is nothing in it to expect.
  package let answer: JSON
  /// What was logged because of the call, oldest first.
  package let events: [EventKind]
  /// What the network answered since the last call, oldest first.
  package let exchanges: [RecordedExchange]

  package init(action: JSON.Member, answer: JSON, events: [EventKind], exchanges: [RecordedExchange]) {
    self.action = action
    self.answer = answer
    self.events = events
    self.exchanges = exchanges
  }

  /// What replays a call of the control API; nil for one that changes nothing.
  ///
  /// - Parameters:
  ///   - resource: the path behind the browser's name, without a slash at the start; empty for the browser itself.
  ///   - site: the query's `site`.
  ///   - body: null for a body that is no JSON.
  ///   - manifest: the name of the file in which an app's manifest was kept.
  package static func action(
    _ method: String, _ resource: String, site: String?, body: JSON, manifest: String?
  ) -> JSON.Member? {
    switch (method, resource) {
    case ("POST", "clock/advance"): return .init("advance", body)
    case ("POST", _):
      return Scenario.Play.allCases.first { $0.resource == resource }.map { .init($0.rawValue, body) }
    case ("PUT", ""): return body.members.first { $0.name == "settings" && $0.value != .null }
    case ("PUT", "apps"): return manifest.map { .init("app", ["manifest": .string($0)]) }
    case ("DELETE", "data"): return .init("clear", site.map { ["site": .string($0)] } ?? .object([]))
    case ("DELETE", _) where resource.hasPrefix("apps/"):
      return .init("remove-app", .string(String(resource.dropFirst("apps/".count))))
    default: return nil
    }
  }
}
