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

  /// Returns the step's member for a call of a browser's journal.
  package static func step(_ call: JSON.Member) -> JSON.Member {
    switch call.name {
    case "ad-network":
      // A registration without a key is a removal in the journal.
      guard call.value["publicKey"] == nil, let identifier = call.value["adNetworkIdentifier"] else {
        return .init(call.name, call.value.withoutUserInformation)
      }
      return .init("remove-ad-network", identifier)
    case "impression-tap": return .init(call.name, call.value.withoutUserInformation)
    default: return call
    }
  }

  /// Returns the actions that replay an API call, in order; empty for a call without changes.
  ///
  /// - Parameters:
  ///   - resource: The path after the browser's name, without a leading slash; empty for the browser itself.
  ///   - site: The query parameter `site`.
  ///   - body: The body; null when it is not JSON.
  ///   - manifest: The value of the step that registers the app.
  package static func actions(
    _ method: String, _ resource: String, site: String?, body: JSON, manifest: JSON?
  ) -> [JSON.Member] {
    if method == "PATCH", resource.isEmpty {
      return body.members.filter { ["settings", "device"].contains($0.name) && $0.value != .null }
    }
    return [action(method, resource, site: site, body: body, manifest: manifest)].compactMap { $0 }
  }

  private static func action(
    _ method: String, _ resource: String, site: String?, body: JSON, manifest: JSON?
  ) -> JSON.Member? {
    let parts = resource.split(separator: "/").map(String.init)
    switch (method, resource) {
    case ("POST", "clock/advance"): return .init("advance", body)
    case ("POST", "impressions"): return .init("impression", body)
    case ("POST", _) where parts.count == 3 && parts[0] == "impressions":
      let own: [JSON.Member] = [.init("impressionId", .string(parts[1]))]
      return Scenario.FollowUp.allCases.first { $0.resource == parts[2] }.map {
        .init($0.rawValue, .object(own + body.members))
      }
    case ("PUT", _) where parts.count == 2 && parts[0] == "ad-networks":
      return .init("ad-network", .object([.init("adNetworkIdentifier", .string(parts[1]))] + body.members))
    case ("DELETE", _) where parts.count == 2 && parts[0] == "ad-networks":
      return .init("remove-ad-network", .string(parts[1]))
    case ("POST", _):
      return Scenario.Play.allCases.first { $0.resource == resource }.map { .init($0.rawValue, body) }
    case ("PUT", _) where resource == "apps" || resource.hasPrefix("apps/"):
      return manifest.map { .init("app", $0) }
    case ("DELETE", "data"): return .init("clear", site.map { ["site": .string($0)] } ?? .object([]))
    case ("DELETE", _) where resource.hasPrefix("apps/"):
      return .init("remove-app", .string(String(resource.dropFirst("apps/".count))))
    default: return nil
    }
  }
}
