import PCMCore
import PCMNetwork
import PCMStore

extension Report: DeliverableMessage {
  /// The sites that signed the report's tokens, each with the name of its key, the source's first.
  var signers: [(site: Site, keyID: String)] {
    [(key.source, sourceKeyID), (key.destination, destinationKeyID)].compactMap { site, keyID in keyID.map { (site, $0) } }
  }

  var name: OutgoingName { .report(id) }
  var request: OutgoingRequest { BrowserRequest.report(url: url, body: body) }

  /// The request without its body, as the network sends it over HTTP/2.
  package var requestHead: String { request.head }
  var deliveryRules: RuleList { Exchange.deliveryRuleList }

  func result(of exchange: Exchange, _ evaluation: inout RuleEvaluation) -> AttemptResult { exchange.result(&evaluation) }

  func policy(_ reports: RetryPolicy) -> RetryPolicy { reports }

  func save(in writer: any BrowserWriter) throws { try writer.save(self) }

  func event(
    for entry: OutgoingMessage.Entry, httpStatus: Int?, _ decision: RecordedDecision?
  ) -> (any BrowserEvent)? {
    func finished(_ kind: EventKind, retryAt: Instant? = nil, _ reasons: [Reason]) -> ReportFinished {
      ReportFinished(
        kind, report: id, recipient: recipient, attempt: Int64(attemptCount), httpStatus: httpStatus.map(Int64.init),
        retryAt: retryAt, reasons: reasons, decision: decision)
    }
    switch entry {
    case .keyCheck:
      return TokenRequested.reportKeys(
        report: id, recipient: recipient, urls: signers.map { TokenExchange.keyURL(at: $0.site) }, decision: decision)
    case .departure:
      return ReportSent(
        report: id, recipient: recipient, url: url, attempt: Int64(attemptCount + 1), decision: decision)
    case .delivered: return finished(.reportDelivered, [])
    case .failed(let reason): return finished(.reportFailed, [reason])
    case .retry(let instant, let reason): return finished(.reportRetryScheduled, retryAt: instant, [reason])
    case .withdrawal: return nil
    }
  }
}
