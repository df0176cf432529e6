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
  let progress: CallProgress
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
    if progress.isUnderWay { members.append(.init("underWay", .bool(true))) }
    if progress.answer != .null { members.append(.init("answer", progress.answer)) }
    return JSON.object(members).text
  }

  /// Creates the call from the value of ``text``.
  init?(text: String) {
    guard let json = JSON(parsing: Array(text.utf8)), let action = json["call"]?.members.first,
      case .array(let times)? = json["times"], case .array(let events)? = json["events"]
    else { return nil }
    let numbers = (times + events).compactMap { number -> Int64? in if case .number(let value) = number { value } else { nil } }
    guard numbers.count == 4 else { return nil }
    self.init(
      action: action, start: Instant(milliseconds: numbers[0]), end: Instant(milliseconds: numbers[1]),
      firstSequence: numbers[2], nextSequence: numbers[3],
      progress: CallProgress(isUnderWay: json["underWay"] == .bool(true), answer: json["answer"] ?? .null))
  }
}

/// The progress of a call in the transaction that adds it to the journal.
package struct CallProgress: Hashable, Sendable {
  /// Whether requests and their transactions follow.
  var isUnderWay = false
  /// `outcome` and `reasons` of the answer; null when they are not known.
  var answer = JSON.null

  init(isUnderWay: Bool = false, answer: JSON = .null) {
    (self.isUnderWay, self.answer) = (isUnderWay, answer)
  }

  init(outcome: String, reasons: [Reason]) {
    let codes = reasons.map { reason -> JSON in ["code": .string(reason.code)] }
    answer = ["outcome": .string(outcome), "reasons": .array(codes)]
  }
}
