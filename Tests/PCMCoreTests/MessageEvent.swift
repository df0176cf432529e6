import PCMCore

/// The events of an outgoing message with different results, with their names in the documentation.
enum MessageEvent: String, CaseIterable {
  case due
  case keysReceived = "keys received"
  case accepted = "exchange finished, accepted"
  case failed = "exchange finished, failed, tries left"
  case failedLast = "exchange finished, failed, no tries left"
  case failedPermanently = "exchange finished, failed permanently"
  case crashed = "crashed, tries left"
  case crashedLast = "crashed, no tries left"
  case cleared
  case superseded

  static let now = Instant(milliseconds: 1_800_000_000_000)
  static let reason = Reason("code", "detail")

  /// The event at `now`.
  var value: OutgoingMessage.Event {
    switch self {
    case .due: .due
    case .keysReceived: .keysReceived
    case .accepted: .exchangeFinished(.accepted, policy: .untilAccepted, jitter: 0)
    case .failed: .exchangeFinished(.failed(Self.reason), policy: .untilAccepted, jitter: 0)
    case .failedLast: .exchangeFinished(.failed(Self.reason), policy: .atMostOnce, jitter: 0)
    case .failedPermanently: .exchangeFinished(.failedPermanently(Self.reason), policy: .untilAccepted, jitter: 0)
    case .crashed: .crashed(.failed(Self.reason), policy: .untilAccepted)
    case .crashedLast: .crashed(.failed(Self.reason), policy: .atMostOnce)
    case .cleared: .cleared
    case .superseded: .superseded
    }
  }

  var endsAttempt: Bool {
    switch self {
    case .accepted, .failed, .failedLast, .failedPermanently, .crashed, .crashedLast: true
    case .due, .keysReceived, .cleared, .superseded: false
    }
  }

  /// A message that had no attempt.
  static func message(_ state: OutgoingMessage.State, needsKeys: Bool) -> OutgoingMessage {
    OutgoingMessage(state: state, dueAt: now, needsKeys: needsKeys)
  }
}
