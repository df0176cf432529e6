import PCMCore
import PCMNetwork
import PCMURL

/// The input of the rules.
struct CheckContext: Sendable {
  let options: CheckOptions
  /// The wall-clock time of the start of the check.
  let now: Instant
  /// Parses the targets of a pixel.
  let parser: SiteParser
  var observations = Observations()
  /// The failed rules that later requests go around.
  var passedRules: Set<String> = []

  /// The host of the requests to the endpoint.
  var host: String { options.requestHost }

  /// The site that receives reports.
  var site: Site { options.endpoint.site }

  /// Returns whether a browser or a device would record the exchange as a delivery.
  func accepts(_ exchange: ProbeExchange) -> Bool {
    guard let framework = options.kind.framework else { return exchange.isAccepted }
    return exchange.exchange.undeliveredPostback(of: framework) == nil
  }
}

/// The result of evaluating a rule.
enum Evaluation: Hashable, Sendable {
  case passed
  /// The observation as a sentence without a period, the exchanges that show it, and the remedy if it differs from the rule's
  /// remedy.
  case failed(String, [Sent] = [], fix: String? = nil)
  case notApplicable(String)
}

/// A rule of the catalog and its evaluation, a pure function of the observations.
struct Criterion: Sendable {
  let rule: CheckRule
  /// Earlier rules on which the rule depends. If one of them failed or was not reached, the rule is not reached.
  let restsOn: [String]
  /// An earlier rule on which the rule depends. If it does not apply, the rule does not apply either.
  let within: String?
  /// The probes that the evaluation requires.
  let probes: [Probe]
  let evaluate: @Sendable (CheckContext) -> Evaluation

  var id: String { rule.id }

  /// Whether the rule is about TLS, certificates, or HTTP/2, which a forwarded request does not use.
  var needsTLS: Bool { ["tls-", "certificate-"].contains(where: id.hasPrefix) || id == "report-works-over-http-2" }

  /// The dependencies of the rule, which are evaluated first.
  var grounds: [String] { restsOn + (within.map { [$0] } ?? []) }
}

extension CheckRule {
  func criterion(
    restsOn: [String] = [], within: String? = nil, probes: [Probe] = [],
    evaluate: @escaping @Sendable (CheckContext) -> Evaluation
  ) -> Criterion {
    Criterion(rule: self, restsOn: restsOn, within: within, probes: probes, evaluate: evaluate)
  }
}

extension ProbeExchange {
  /// Whether a browser would record the exchange as the delivery of a report: the response has a 2xx status and is complete.
  var isAccepted: Bool { exchange.undelivered == nil }

  /// Whether the response has a 4xx status, even if the body could not be read.
  var isRejected: Bool { isOfClass(400) }

  var isRedirect: Bool { isOfClass(300) }

  /// Whether the endpoint limits the rate of requests (RFC 6585, section 4).
  var isThrottled: Bool { exchange.httpStatus == 429 }

  private func isOfClass(_ start: Int) -> Bool { exchange.httpStatus.map { ($0 / 100) * 100 == start } ?? false }

  /// The duration of the exchange; zero if nothing was sent.
  var duration: Interval { Interval(milliseconds: (exchange.timings?.total ?? 0) / 1_000) }

  /// The result of the request, as the end of a sentence whose subject is the request.
  var account: String {
    guard let httpStatus = exchange.httpStatus else {
      return "received no response (\(exchange.failure?.account ?? "nothing was sent"))"
    }
    let rest = exchange.failure.map { ", and then the connection ended (\($0.account))" } ?? ""
    return "received \(httpStatus)\(rest)"
  }
}

extension TransportFailure {
  var account: String { "\(code.rawValue): \(detail)" }
}

extension Sequence<Sent> {
  /// Returns the requests whose exchange satisfies a condition.
  func whose(_ holds: (ProbeExchange) -> Bool) -> [Sent] { filter { holds($0.exchange) } }
}

extension Evaluation {
  /// Passes if the array is empty. Otherwise, fails with the result of the first request.
  static func none(of failing: [Sent], _ subject: String) -> Evaluation {
    failing.first.map { .failed("\(subject) \($0.exchange.account)", failing) } ?? .passed
  }
}
