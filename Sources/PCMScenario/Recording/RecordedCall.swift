package import PCMCore
package import PCMNetwork

/// An accepted call of a recording, with the data for a scenario's step.
package struct RecordedCall: Sendable {
  /// The step's member and its value; or `site` with `host` and `behavior`, which is null for a removed site; or `network` with
  /// `mode` and, for simulated sites, `sites`.
  package let action: JSON.Member
  /// The response to the call; null when it has no content to expect.
  package let response: JSON
  /// The events of the call, oldest first; nil to expect none in particular.
  package let events: [EventKind]?
  /// The responses of the network during the call, oldest first.
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
}
