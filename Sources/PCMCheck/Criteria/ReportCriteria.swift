import PCMCore
import PCMDelivery

extension CheckCatalog {
  /// What every rule about reports rests on; it rests on all before it.
  static let reportGate = ["report-status-is-2xx"]

  /// What becomes of a report as a browser sends it. Each rests on the ones before, so that one fault is one failure.
  static let reportCriteria: [Criterion] = [
    ofReport(
      CheckRule(
        "report-is-answered", "A report has a whole answer", .error, .webkit,
        fix: "Let the server, and whatever stands in front of it, read the report and end its answer in order."),
      restsOn: connection
    ) { exchange, _ in exchange.failure != nil && exchange.failure?.code != .timedOut },
    ofReport(
      CheckRule(
        "report-is-answered-within-10-seconds", "A report is answered within 10 seconds", .error, .ours,
        fix: "Answer at once and do the work afterwards: a browser gives up, and does not send the report again."),
      restsOn: ["report-is-answered"]
    ) { exchange, options in exchange.failure != nil || exchange.duration > options.patience.tolerable },
    ofReport(
      CheckRule(
        "report-path-is-served", "Reports are taken at the well-known path, with its slash at the end", .error, .apple,
        fix: "Serve /.well-known/private-click-measurement/report-attribution/ with exactly this path."),
      restsOn: ["report-is-answered-within-10-seconds"]
    ) { exchange, _ in exchange.httpStatus == 404 || exchange.httpStatus == 410 },
    ofReport(
      CheckRule(
        "report-post-is-accepted", "Reports may be sent with POST", .error, .apple,
        fix: "Let the well-known path take POST."),
      restsOn: ["report-path-is-served"]
    ) { exchange, _ in exchange.httpStatus == 405 || exchange.httpStatus == 501 },
    ofReport(
      CheckRule(
        "report-is-not-redirected", "Reports are not redirected", .error, .webkit,
        fix: "Answer at the well-known path itself: a browser follows no redirect of a report, not even to add a slash."),
      restsOn: ["report-post-is-accepted"]
    ) { exchange, _ in exchange.isRedirect },
    ofReport(
      CheckRule(
        "report-status-is-2xx", "Reports are answered with a status of the 2xx class", .error, .apple,
        fix: "Answer 200 or 204 to every report that can be read; if you know only some campaigns or shops, name one with "
          + "--source-id, --trigger-data, --destination or --source-site."),
      restsOn: ["report-is-not-redirected"]
    ) { exchange, _ in !exchange.isAccepted },
    ofReport(
      CheckRule(
        "report-is-answered-within-2-seconds", "A report is answered within 2 seconds", .warning, .ours,
        fix: "Answer at once and do the work afterwards."),
      restsOn: reportGate
    ) { exchange, options in exchange.duration > options.patience.good },
    ofReport(
      CheckRule(
        "report-answer-sets-no-cookie", "The answer to a report sets no cookie", .warning, .webkit,
        fix: "Set no cookies in this answer: no browser keeps one."),
      restsOn: reportGate
    ) { exchange, _ in exchange.setsCookies },
    ofReport(
      CheckRule(
        "report-works-over-http-2", "Reports can be sent over HTTP/2", .warning, .ours,
        fix: "Offer h2 in the TLS handshake (ALPN)."),
      restsOn: reportGate
    ) { exchange, _ in exchange.httpVersion != "2" },
    Criterion(
      CheckRule(
        "report-works-over-http-1-1", "Reports can be sent over HTTP/1.1", .warning, .ours,
        fix: "Go on speaking HTTP/1.1: not everything between a browser and you speaks HTTP/2."),
      restsOn: reportGate, probes: [.reportOverHTTP1] + CheckContext.groundwork
    ) { inquiry in
      if let lack = inquiry.lack(ofReports: .reportOverHTTP1) { return .notApplicable(lack) }
      // An older server takes the request and says 1.0 in its answer.
      return .none(
        of: inquiry.observations[.reportOverHTTP1].whose { !$0.isAccepted || !["1.0", "1.1"].contains($0.httpVersion) },
        "a report over HTTP/1.1 alone")
    },
  ]

  private static func ofReport(
    _ rule: CheckRule, restsOn: [String], fails: @escaping @Sendable (ProbeExchange, CheckOptions) -> Bool
  ) -> Criterion {
    Criterion(rule, restsOn: restsOn, probes: [.report]) { inquiry in
      guard let sent = inquiry.observations[.report].first, fails(sent.exchange, inquiry.options) else { return .passed }
      return .failed(account(of: sent.exchange), [sent])
    }
  }

  /// What can be wrong with it, whichever of it is.
  private static func account(of exchange: ProbeExchange) -> String {
    var parts = ["a report \(exchange.account)"]
    if exchange.isRedirect { parts.append("Location: \(exchange.location.map(Redaction.shown) ?? "none")") }
    if exchange.setsCookies { parts.append("with Set-Cookie") }
    if let version = exchange.httpVersion { parts.append("over HTTP/\(version)") }
    parts.append("after \(exchange.duration.words)")
    return parts.joined(separator: ", ")
  }
}

extension CheckCatalog {
  /// What an endpoint must not need, and not take offence at. They do not rest on the report's status, because the need
  /// may be why it is a bad one.
  static let independenceCriteria: [Criterion] = [
    independence(
      CheckRule(
        "report-needs-no-cookie", "Cookies make no difference to a report", .error, .webkit,
        fix: "Do not look at cookies on the well-known path: browsers send none with reports."),
      .reportWithCookie, "with a cookie"),
    independence(
      CheckRule(
        "report-needs-no-referrer", "Referrer and origin make no difference to a report", .error, .webkit,
        fix: "Do not look at Referer and Origin on the well-known path: browsers send neither with reports."),
      .reportWithReferrer, "with a Referer and an Origin"),
    independence(
      CheckRule(
        "report-needs-no-user-agent", "The user agent makes no difference to a report", .error, .webkit,
        fix: "Do not look at User-Agent on the well-known path, nor let a bot filter do it: systems differ in what they send."),
      .reportFromOtherAgents, "with another user agent, or none,"),
  ]

  private static func independence(_ rule: CheckRule, _ probe: Probe, _ difference: String) -> Criterion {
    Criterion(rule, restsOn: ["report-is-not-redirected"], probes: [.report, probe, .reportAgain] + CheckContext.groundwork) {
      inquiry in
      let observations = inquiry.observations
      if let lack = inquiry.lack(ofReports: probe) { return .notApplicable(lack) }
      guard let plain = observations.first(.report) else { return .passed }
      // Who takes the same report the second time makes no difference between requests, but mistakes.
      if observations.first(.reportAgain)?.isAccepted == true {
        return .notApplicable("the same report is refused, then taken")
      }
      let differing = observations[probe].filter { $0.exchange.isAccepted != plain.isAccepted }
      guard let first = differing.first else {
        return plain.isAccepted ? .passed : .notApplicable("reports are refused with and without")
      }
      return .failed(
        "a report \(difference) \(first.exchange.account), and one as browsers send it \(plain.account)",
        observations[.report] + differing)
    }
  }
}
