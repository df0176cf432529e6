import PCMCore
import PCMDelivery
import PCMStore

extension BrowserWriter {
  /// Applies an event to a report and writes the result. All changes of a report's state happen here.
  ///
  /// - Parameters:
  ///   - attempt: The attempt that ends with the event; nil if none does.
  ///   - decision: The decision that led to the event.
  /// - Returns: The effect to perform after the transaction commits.
  func apply(
    _ event: OutgoingMessage.Event, to report: inout Report, at now: Instant, attempt: Attempt? = nil,
    decision: RecordedDecision? = nil
  ) throws -> OutgoingMessage.Effect {
    let before = report
    let actions = report.handle(event, at: now)
    guard let entry = actions.write else { return actions.effect }
    if let attempt { report.record(attempt.json.text) }
    if report != before { try save(report) }
    if let event = report.event(for: entry, httpStatus: attempt?.exchange.httpStatus, decision) {
      try append(event, at: now)
    }
    return actions.effect
  }
}

extension Report {
  /// The sites that signed the report's tokens, each with the name of its key, the source's first.
  var signers: [(site: Site, keyID: String)] {
    [(key.source, sourceKeyID), (key.destination, destinationKeyID)].compactMap { site, keyID in keyID.map { (site, $0) } }
  }

  /// Returns the log event for an entry, or nil for an entry that is logged with its cause.
  fileprivate func event(
    for entry: OutgoingMessage.Entry, httpStatus: Int?, _ decision: RecordedDecision?
  ) -> BrowserEvent? {
    func finished(retryAt: Instant? = nil, _ reasons: [Reason]) -> ReportFinished {
      ReportFinished(
        report: id, recipient: recipient, attempt: Int64(attemptCount), httpStatus: httpStatus.map(Int64.init),
        retryAt: retryAt, reasons: reasons, decision: decision)
    }
    switch entry {
    case .keyCheck:
      return .tokenRequested(
        .reportKeys(
          report: id, recipient: recipient, urls: signers.map { TokenExchange.keyURL(at: $0.site) }, decision: decision))
    case .departure:
      return .reportSent(
        ReportSent(
          report: id, recipient: recipient, url: url, attempt: Int64(attemptCount + 1), decision: decision))
    case .delivered: return .reportDelivered(finished([]))
    case .failed(let reason): return .reportFailed(finished([reason]))
    case .retry(let instant, let reason): return .reportRetryScheduled(finished(retryAt: instant, [reason]))
    case .withdrawal: return nil
    }
  }
}
