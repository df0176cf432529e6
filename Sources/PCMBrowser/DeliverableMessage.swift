import PCMCore
import PCMNetwork
import PCMStore

/// A message that the browser or its device sends, with its rows, its rules, and its events.
protocol DeliverableMessage: OutgoingRecord, Equatable {
  var name: OutgoingName { get }
  var request: OutgoingRequest { get }
  /// The rules of ``result(of:_:)``.
  var deliveryRules: RuleList { get }

  /// Returns whether the recipient accepted the message.
  func result(of exchange: Exchange, _ evaluation: inout RuleEvaluation) -> AttemptResult
  /// - Parameter reports: The policy of reports in the settings.
  func policy(_ reports: RetryPolicy) -> RetryPolicy
  func save(in writer: any BrowserWriter) throws
  /// Returns the log event for an entry, or nil for an entry that is logged with its cause.
  func event(for entry: OutgoingMessage.Entry, httpStatus: Int?, _ decision: RecordedDecision?) -> (any BrowserEvent)?
}

/// The kind and the number of a message.
enum OutgoingName: Hashable, Sendable {
  case report(Int64)
  case postback(Int64)
}

extension BrowserReader {
  func message(_ name: OutgoingName) throws -> (any DeliverableMessage)? {
    switch name {
    case .report(let id): try row(Report.self, id)
    case .postback(let id): try row(Postback.self, id)
    }
  }
}

extension BrowserWriter {
  /// Applies an event to a message and writes the result. All changes of a message's state happen here.
  ///
  /// - Parameters:
  ///   - attempt: The attempt that ends with the event; nil if none does.
  ///   - decision: The decision that led to the event.
  /// - Returns: The effect to perform after the transaction commits.
  func apply<Record: DeliverableMessage>(
    _ event: OutgoingMessage.Event, to record: inout Record, at now: Instant, attempt: Attempt? = nil,
    decision: RecordedDecision? = nil
  ) throws -> OutgoingMessage.Effect {
    let before = record
    let actions = record.message.handle(event, at: now)
    guard let entry = actions.write else { return actions.effect }
    if let attempt { record.record(attempt.json(undelivered: event.reason).text) }
    if record != before { try record.save(in: self) }
    if let event = record.event(for: entry, httpStatus: attempt?.exchange.httpStatus, decision) {
      try append(event, at: now)
    }
    return actions.effect
  }
}

extension OutgoingMessage.Event {
  /// The reason for which an attempt delivered nothing; nil after a delivery, and for other events.
  fileprivate var reason: Reason? {
    switch self {
    case .exchangeFinished(let result, _, _), .crashed(let result, _): result.reason
    case .due, .keysReceived, .cleared, .superseded: nil
    }
  }
}

extension AttemptResult {
  fileprivate var reason: Reason? {
    switch self {
    case .accepted: nil
    case .failed(let reason), .failedPermanently(let reason): reason
    }
  }
}
