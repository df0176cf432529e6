package import PCMCore
import PCMDelivery
package import PCMSites

/// All that a rule is judged by.
package struct CheckContext: Sendable {
  package let options: CheckOptions
  /// On the wall clock, when the examination began.
  package let now: Instant
  /// Reads where a pixel leads.
  package let parser: SiteParser
  package var observations: Observations

  package init(options: CheckOptions, now: Instant, parser: SiteParser, observations: Observations = Observations()) {
    self.options = options
    self.now = now
    self.parser = parser
    self.observations = observations
  }

  /// Where reports go.
  var site: Site { options.endpoint.site }
}

/// What a rule makes of what was seen.
enum Judgement: Hashable, Sendable {
  case passed
  /// What was seen instead, a sentence without its full stop, and the exchanges that show it.
  case failed(String, [Sent] = [])
  case notApplicable(String)
}

/// A rule of the catalogue with how it is judged: a pure function of what was seen.
struct Criterion: Sendable {
  let rule: CheckRule
  /// Rules before this one without which it says nothing: when one of them failed or was not reached, this one is not.
  let restsOn: [String]
  /// A rule like that, whose not being applicable makes this one not applicable either.
  let within: String?
  /// What has to be sent before it is judged.
  let probes: [Probe]
  let judge: @Sendable (CheckContext) -> Judgement

  init(
    _ rule: CheckRule, restsOn: [String] = [], within: String? = nil, probes: [Probe] = [],
    judge: @escaping @Sendable (CheckContext) -> Judgement
  ) {
    self.rule = rule
    self.restsOn = restsOn
    self.within = within
    self.probes = probes
    self.judge = judge
  }

  var id: String { rule.id }

  /// The rules that have to be judged before this one.
  var grounds: [String] { restsOn + (within.map { [$0] } ?? []) }
}

extension ProbeExchange {
  /// Whether an answer of the 2xx class was read to its end.
  var isAccepted: Bool { exchange.failure == nil && isOfClass(200) }

  /// Whether the answer's status is of the 4xx class, whether or not the rest of it was read.
  var isRefused: Bool { isOfClass(400) }

  var isRedirect: Bool { isOfClass(300) }

  /// Whether the endpoint took too many requests before this one (RFC 6585, section 4).
  var isThrottled: Bool { exchange.httpStatus == 429 }

  private func isOfClass(_ start: Int) -> Bool { exchange.httpStatus.map { ($0 / 100) * 100 == start } ?? false }

  /// How long the whole exchange took; zero when nothing was begun.
  var duration: Interval { Interval(milliseconds: (exchange.timings?.total ?? 0) / 1_000) }

  /// What became of the request, as the end of a sentence that begins with it.
  var account: String {
    guard let httpStatus = exchange.httpStatus else {
      return "has no answer (\(exchange.failure?.account ?? "nothing was sent"))"
    }
    let rest = exchange.failure.map { ", and then broke off (\($0.account))" } ?? ""
    return "is answered with \(httpStatus)\(rest)"
  }
}

extension TransportFailure {
  var account: String { "\(code.rawValue): \(detail)" }
}

extension Sequence<Sent> {
  /// Those of them for which it holds.
  func whose(_ holds: (ProbeExchange) -> Bool) -> [Sent] { filter { holds($0.exchange) } }
}

extension Judgement {
  /// Passes when none is left over; otherwise says what became of the first.
  static func none(of failing: [Sent], _ subject: String) -> Judgement {
    failing.first.map { .failed("\(subject) \($0.exchange.account)", failing) } ?? .passed
  }
}
