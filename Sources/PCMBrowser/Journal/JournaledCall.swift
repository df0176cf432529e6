import PCMCore

/// A call that changed a browser, as its journal contains it.
struct JournaledCall: Hashable, Sendable {
  /// The name and the value of the call, as in a scenario's step. `site` and `network` correspond to no step.
  let action: JSON.Member
  /// The browser's time before the call.
  let start: Instant
  /// The browser's time after the call.
  let end: Instant
  /// The number of the call's first event.
  let firstSequence: Int64
  /// The number of the next event after the transaction that added the call.
  let nextSequence: Int64
  /// Whether the call began while another call waited for the network.
  let overlaps: Bool
  /// Whether the effects are not complete.
  var isUnderWay: Bool
  /// `outcome` and `reasons` of the answer; null for a call without them.
  var answer: JSON
  /// The responses of the real network as an array, in order; null without any.
  var exchanges: JSON

  /// Whether the call moves the clock.
  var isMove: Bool { action.name == CallName.advance }
}

/// The names in the journal of calls that are no operations.
package enum CallName {
  package static let advance = "advance"
  package static let settings = "settings"
  package static let app = "app"
  package static let removeApp = "remove-app"
  package static let clear = "clear"
  package static let device = "device"
  /// The value has `adNetworkIdentifier`, and the members of the registration; without them, the network is removed.
  package static let adNetwork = "ad-network"
  /// The value has `host`, and `behavior`, which is null for a site that is removed.
  package static let site = "site"
  /// The value has `mode`, and `sites` for the mode `simulated`: the behavior of the sites by host.
  package static let network = "network"
}

extension JournaledCall {
  /// The call as text.
  var text: String {
    var members: [JSON.Member] = [
      .init("call", .object([action])),
      .init("times", .array([.number(start.milliseconds), .number(end.milliseconds)])),
      .init("events", .array([.number(firstSequence), .number(nextSequence)])),
    ]
    if overlaps { members.append(.init("overlaps", .bool(true))) }
    if isUnderWay { members.append(.init("underWay", .bool(true))) }
    if answer != .null { members.append(.init("answer", answer)) }
    if exchanges != .null { members.append(.init("exchanges", exchanges)) }
    return JSON.object(members).text
  }

  /// Creates the call from the value of ``text``.
  init?(text: String) {
    guard let json = JSON(parsing: Array(text.utf8)), let action = json["call"]?.members.first,
      case .array(let times)? = json["times"], case .array(let events)? = json["events"]
    else { return nil }
    let numbers = (times + events).compactMap { number -> Int64? in if case .number(let value) = number { value } else { nil } }
    guard numbers.count == 4 else { return nil }
    self.action = action
    (start, end) = (Instant(milliseconds: numbers[0]), Instant(milliseconds: numbers[1]))
    (firstSequence, nextSequence) = (numbers[2], numbers[3])
    (overlaps, isUnderWay) = (json["overlaps"] == .bool(true), json["underWay"] == .bool(true))
    answer = json["answer"] ?? .null
    exchanges = json["exchanges"] ?? .null
  }

  init(
    action: JSON.Member, start: Instant, end: Instant, firstSequence: Int64, nextSequence: Int64, overlaps: Bool,
    progress: CallProgress, exchanges: JSON
  ) {
    self.action = action
    (self.start, self.end) = (start, end)
    (self.firstSequence, self.nextSequence) = (firstSequence, nextSequence)
    self.overlaps = overlaps
    (isUnderWay, answer) = (progress.isUnderWay, progress.answer)
    self.exchanges = exchanges
  }
}

/// The progress of a call in the transaction that adds it to the journal.
package struct CallProgress: Sendable {
  /// Whether later transactions belong to the call.
  var isUnderWay = false
  /// `outcome` and `reasons` of the answer; null when they are not known.
  var answer = JSON.null

  init(isUnderWay: Bool = false) {
    self.isUnderWay = isUnderWay
  }

  init(outcome: String, reasons: [Reason]) {
    let codes = reasons.map { reason -> JSON in ["code": .string(reason.code)] }
    answer = ["outcome": .string(outcome), "reasons": .array(codes)]
  }
}
