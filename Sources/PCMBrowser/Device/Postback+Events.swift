import PCMCore
import PCMDevice
import PCMNetwork
import PCMStore

extension Postback: DeliverableMessage {
  var name: OutgoingName { .postback(id) }
  var request: OutgoingRequest { DeviceRequest.postback(url: url, body: body) }

  /// The request without its body, as the network sends it over HTTP/2.
  package var requestHead: String { request.head }
  var deliveryRules: RuleList { Exchange.postbackRuleList(framework) }

  func result(of exchange: Exchange, _ evaluation: inout RuleEvaluation) -> AttemptResult {
    exchange.postbackResult(framework, &evaluation)
  }

  func policy(_ reports: RetryPolicy) -> RetryPolicy { .postback }

  func save(in writer: any BrowserWriter) throws { try writer.save(self) }

  func event(for entry: OutgoingMessage.Entry, httpStatus: Int?, _ decision: RecordedDecision?) -> (any BrowserEvent)? {
    func finished(_ kind: EventKind, retryAt: Instant? = nil, _ reasons: [Reason]) -> PostbackFinished {
      PostbackFinished(
        kind, postback: id, recipient: recipient, attempt: Int64(attemptCount), httpStatus: httpStatus.map(Int64.init),
        retryAt: retryAt, reasons: reasons, decision: decision)
    }
    switch entry {
    case .keyCheck, .withdrawal: return nil
    case .departure:
      return PostbackSent(postback: id, recipient: recipient, url: url, attempt: Int64(attemptCount + 1))
    case .delivered: return finished(.postbackDelivered, [])
    case .failed(let reason): return finished(.postbackFailed, [reason])
    case .retry(let instant, let reason): return finished(.postbackRetryScheduled, retryAt: instant, [reason])
    }
  }
}
