import PCMCore
import PCMDevice
import PCMNetwork
import PCMStore

/// A message that the browser or its device sends, with its rows, its rules, and its events.
protocol DeliverableMessage: OutgoingRecord, StoredRow {
  var request: OutgoingRequest { get }
  /// The rules of ``result(of:_:)``.
  var deliveryRules: RuleList { get }

  /// Returns whether the recipient accepted the message.
  func result(of exchange: Exchange, _ evaluation: inout RuleEvaluation) -> AttemptResult
  /// - Parameter reports: The policy of reports in the settings.
  func policy(_ reports: RetryPolicy) -> RetryPolicy
  /// Returns the event of a request, which is logged before it: for the message, or for its keys.
  func request(_ entry: OutgoingMessage.Entry, _ decision: RecordedDecision?) -> (any BrowserEvent)?
}

extension DeliverableMessage {
  /// Returns the log event for an entry, or nil for an entry that is logged with its cause.
  fileprivate func event(
    for entry: OutgoingMessage.Entry, _ exchange: Exchange?, _ decision: RecordedDecision?
  ) -> (any BrowserEvent)? {
    func finished(_ end: String, retryAt: Instant? = nil, _ reasons: [Reason]) -> AttemptFinished<Self> {
      AttemptFinished(
        EventKind(rawValue: "\(Self.kind.rawValue)-\(end)"), record: id, recipient: recipient, attempt: Int64(attemptCount),
        httpStatus: exchange?.httpStatus.map(Int64.init), forwardedTo: exchange?.forwardedTo, retryAt: retryAt,
        reasons: reasons,
        decision: decision)
    }
    return switch entry {
    case .keyCheck, .departure: request(entry, decision)
    case .delivered: finished("delivered", [])
    case .failed(let reason): finished("failed", [reason])
    case .retry(let instant, let reason): finished("retry-scheduled", retryAt: instant, [reason])
    case .withdrawal: nil
    }
  }
}

extension Report: DeliverableMessage {
  /// The sites that signed the report's tokens, each with the name of its key, the source's first.
  var signers: [(site: Site, keyID: String)] {
    [(key.source, sourceKeyID), (key.destination, destinationKeyID)].compactMap { site, keyID in keyID.map { (site, $0) } }
  }

  var request: OutgoingRequest { BrowserRequest.report(url: url, body: body) }

  /// The request without its body, as the network sends it over HTTP/2.
  package var requestHead: String { request.head }
  var deliveryRules: RuleList { Exchange.deliveryRuleList }

  func result(of exchange: Exchange, _ evaluation: inout RuleEvaluation) -> AttemptResult { exchange.result(&evaluation) }

  func policy(_ reports: RetryPolicy) -> RetryPolicy { reports }

  func request(_ entry: OutgoingMessage.Entry, _ decision: RecordedDecision?) -> (any BrowserEvent)? {
    if entry == .keyCheck {
      return TokenRequested.reportKeys(
        report: id, recipient: recipient, urls: signers.map { TokenExchange.keyURL(at: $0.site) }, decision: decision)
    }
    return ReportSent(report: id, recipient: recipient, url: url, attempt: Int64(attemptCount + 1), decision: decision)
  }
}

extension Postback: DeliverableMessage {
  var request: OutgoingRequest { DeviceRequest.postback(url: url, body: body) }

  /// The request without its body, as the network sends it over HTTP/2.
  package var requestHead: String { request.head }
  var deliveryRules: RuleList { Exchange.postbackRuleList(framework) }

  func result(of exchange: Exchange, _ evaluation: inout RuleEvaluation) -> AttemptResult {
    exchange.postbackResult(framework, &evaluation)
  }

  func policy(_ reports: RetryPolicy) -> RetryPolicy { .postback }

  func request(_: OutgoingMessage.Entry, _: RecordedDecision?) -> (any BrowserEvent)? {
    PostbackSent(postback: id, recipient: recipient, url: url, attempt: Int64(attemptCount + 1))
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
    if let attempt { record.record(KeptAttempt(text: attempt.json(undelivered: event.reason).text)) }
    if record != before { try save(record) }
    if let event = record.event(for: entry, attempt?.exchange, decision) {
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
