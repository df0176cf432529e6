package import PCMCore
package import PCMSimulation

/// An accepted call of a recording, with the data for a scenario's step.
package struct RecordedCall: Sendable {
  /// The step's member and its value; or `site` with `host` and `behavior`, which is null for a removed site; or `network` with
  /// `mode` and, for simulated sites, `sites`.
  package let action: JSON.Member
  /// The response to the call; null when it has no content to expect.
  package let response: JSON
  /// The events of the call, oldest first; nil to expect none in particular.
  package let events: [EventKind]?
  /// The responses of the network since the previous call, oldest first.
  package let exchanges: [RecordedExchange]

  package init(action: JSON.Member, response: JSON, events: [EventKind]?, exchanges: [RecordedExchange]) {
    self.action = action
    self.response = response
    self.events = events
    self.exchanges = exchanges
  }

  /// Returns the action that replays an API call; nil for a call without changes.
  ///
  /// - Parameters:
  ///   - resource: The path after the browser's name, without a leading slash; empty for the browser itself.
  ///   - site: The query parameter `site`.
  ///   - body: The body; null when it is not JSON.
  ///   - manifest: The name of the file with the app's manifest.
  package static func action(
    _ method: String, _ resource: String, site: String?, body: JSON, manifest: String?
  ) -> JSON.Member? {
    switch (method, resource) {
    case ("POST", "clock/advance"): return .init("advance", body)
    case ("POST", _):
      return Scenario.Play.allCases.first { $0.resource == resource }.map { .init($0.rawValue, body) }
    case ("PATCH", ""): return body.members.first { $0.name == "settings" && $0.value != .null }
    case ("PUT", _) where resource == "apps" || resource.hasPrefix("apps/"):
      return manifest.map { .init("app", ["manifest": .string($0)]) }
    case ("DELETE", "data"): return .init("clear", site.map { ["site": .string($0)] } ?? .object([]))
    case ("DELETE", _) where resource.hasPrefix("apps/"):
      return .init("remove-app", .string(String(resource.dropFirst("apps/".count))))
    default: return nil
    }
  }
}
