import PCMCore
import PCMNetwork

extension CheckCatalog {
  /// The dependency of all rules about reports. It depends on all rules before it.
  static let reportGate = [receiptOfReports]

  /// The rules about a report as a browser sends it. Each depends on the previous rules, so that an error causes a single
  /// failed rule.
  static let reportCriteria: [Criterion] = [
    CheckRule(
      "report-is-answered", "A report receives a complete response", .error,
      .webkit("PrivateClickMeasurementNetworkLoaderCocoa.mm"),
      fix: "Make sure that the server and its proxies read the report and complete the response."
    ).ofFirst(.report, and: [.firstOverHTTP1], restsOn: connection) { exchange, _ in
      exchange.failure != nil && exchange.failure?.code != .timedOut
    },
    CheckRule(
      "report-is-answered-within-60-seconds", "A report receives a response within 60 seconds", .error,
      .assumption("URLSessionConfiguration: timeoutIntervalForRequest is 60 seconds by default"),
      fix: "Respond immediately and process the report later: a browser times out and does not send the report again."
    ).ofFirst(.report, restsOn: ["report-is-answered"]) { exchange, _ in exchange.failure != nil },
    CheckRule(
      "report-path-is-served", "Reports are accepted at the well-known path with a trailing slash", .error,
      .apple("NSAdvertisingAttributionReportEndpoint"),
      fix: "Serve /.well-known/private-click-measurement/report-attribution/ with exactly this path. \(DotRule.hint)"
    ).ofFirst(.report, and: refusalProbes, restsOn: ["report-is-answered-within-60-seconds"]) { exchange, _ in
      exchange.httpStatus == 404 || exchange.httpStatus == 410
    },
    CheckRule(
      "report-post-is-accepted", "Reports are accepted with POST", .error, .apple("NSAdvertisingAttributionReportEndpoint"),
      fix: "Accept POST at the well-known path."
    ).ofFirst(.report, and: refusalProbes, restsOn: ["report-path-is-served"]) { exchange, _ in
      exchange.httpStatus == 405 || exchange.httpStatus == 501
    },
    CheckRule(
      "report-is-not-redirected", "Reports are not redirected", .error, .webkit("PrivateClickMeasurementNetworkLoaderCocoa.mm"),
      fix: "Respond at the well-known path itself: browsers do not follow redirects of reports, not even to add a slash."
    ).ofFirst(.report, restsOn: ["report-post-is-accepted"]) { exchange, _ in exchange.isRedirect },
    CheckRule(
      "report-status-is-2xx", "Reports receive a 2xx status", .error, .apple("NSAdvertisingAttributionReportEndpoint"),
      fix: "Return 200 or 204 for every valid report. \(Refusal.values)"
    ).ofFirst(.report, and: [.redirectTargets, .reportVariants] + refusalProbes, restsOn: ["report-is-not-redirected"]) {
      exchange, _ in
      !exchange.isAccepted
    },
  ]

  /// The probes that explain a refusal.
  static let refusalProbes: [Probe] = [.unrelatedPaths, .dotPath]

  /// The rules about the response to a report that reached the endpoint.
  static let answerCriteria: [Criterion] = [
    CheckRule(
      "report-is-answered-within-10-seconds", "A report receives a response within 10 seconds", .warning, .advice,
      fix:
        "Respond immediately and process the report later: Safari probably still accepts the response, and proxies often end "
        + "a request after 10 to 30 seconds."
    ).ofFirst(.report, restsOn: reportGate) { exchange, options in
      exchange.duration > options.patience.tolerable
    },
    CheckRule(
      "report-is-answered-within-2-seconds", "A report receives a response within 2 seconds", .warning, .advice,
      fix: "Respond immediately and process the report later."
    ).criterion(restsOn: reportGate, probes: [.report]) { context in
      guard let sent = context.firstSent, sent.exchange.duration > context.options.patience.good else { return .passed }
      guard sent.exchange.duration <= context.options.patience.tolerable else {
        return .notApplicable("it takes more than 10 seconds")
      }
      return .failed(context.account(of: sent.exchange), [sent])
    },
    CheckRule(
      "report-answer-sets-no-cookie", "The response to a report sets no cookie", .warning,
      .webkit("PrivateClickMeasurementNetworkLoaderCocoa.mm"),
      fix: "Set no cookies in this response: browsers ignore them."
    ).ofFirst(.report, restsOn: reportGate) { exchange, _ in exchange.setsCookies },
    CheckRule(
      "report-works-over-http-2", "Reports are accepted over HTTP/2", .warning, .advice,
      fix: "Offer h2 in the TLS handshake (ALPN)."
    ).ofFirst(.report, restsOn: reportGate) { exchange, _ in exchange.httpVersion != "2" },
    CheckRule(
      "report-works-over-http-1-1", "Reports are accepted over HTTP/1.1", .warning, .advice,
      fix: "Support HTTP/1.1: a proxy between a browser and your server may not support HTTP/2."
    ).criterion(restsOn: reportGate, probes: [.reportOverHTTP1] + CheckContext.groundwork) { context in
      if let lack = context.lack(ofReports: .reportOverHTTP1) { return .notApplicable(lack) }
      // An older server may return HTTP/1.0.
      return .none(
        of: context.observations[.reportOverHTTP1].whose { !$0.isAccepted || !["1.0", "1.1"].contains($0.httpVersion) },
        "a report over HTTP/1.1")
    },
  ]
}

extension CheckRule {
  /// A criterion about the first report or postback.
  ///
  /// - Parameter others: The probes that explain a failure.
  func ofFirst(
    _ probe: Probe, and others: [Probe] = [], restsOn: [String],
    fails: @escaping @Sendable (ProbeExchange, CheckOptions) -> Bool
  ) -> Criterion {
    criterion(restsOn: restsOn, probes: [probe] + others) { context in
      guard let sent = context.observations[probe].first, fails(sent.exchange, context.options) else { return .passed }
      return context.explained(sent)
    }
  }
}

extension CheckContext {
  /// Returns the result of a report or postback with all details that the rules check.
  func account(of exchange: ProbeExchange) -> String {
    let target = exchange.isRedirect ? ", Location: \(exchange.location.map(Redaction.shown) ?? "none")" : ""
    guard isAboutReports else {
      return "a postback \(exchange.account)\(target.isEmpty ? "" : target + ",") after \(exchange.duration.words)"
    }
    let cookie = exchange.setsCookies ? ", with Set-Cookie" : ""
    let version = exchange.httpVersion.map { ", over HTTP/\($0)" } ?? ""
    return "a report \(exchange.account)\(target)\(cookie)\(version), after \(exchange.duration.words)"
  }
}

extension CheckCatalog {
  /// The rules about variations that must have no effect. They do not depend on the report's status, because the variation
  /// may be the cause of the status.
  static let independenceCriteria: [Criterion] = [
    CheckRule(
      "report-needs-no-cookie", "Cookies have no effect on a report", .error,
      .webkit("PrivateClickMeasurementNetworkLoaderCocoa.mm"),
      fix: "Ignore cookies at the well-known path: browsers send none with reports."
    ).independence(.reportWithCookie, "with a cookie"),
    CheckRule(
      "report-needs-no-referrer", "Referrer and origin have no effect on a report", .error,
      .webkit("PrivateClickMeasurementNetworkLoaderCocoa.mm"),
      fix: "Ignore Referer and Origin at the well-known path: browsers send neither with reports."
    ).independence(.reportWithReferrer, "with a Referer and an Origin"),
    CheckRule(
      "report-needs-no-user-agent", "The user agent has no effect on a report", .error,
      .webkit("PrivateClickMeasurementNetworkLoaderCocoa.mm"),
      fix: "Ignore User-Agent at the well-known path, also in bot filters: the value depends on the system."
    ).independence(.reportFromOtherAgents, "with another user agent or none"),
  ]
}

extension CheckRule {
  fileprivate func independence(_ probe: Probe, _ difference: String) -> Criterion {
    criterion(restsOn: ["report-is-not-redirected"], probes: [.report, probe, .reportAgain] + CheckContext.groundwork) {
      context in
      let observations = context.observations
      if let lack = context.lack(ofReports: probe) { return .notApplicable(lack) }
      guard let first = observations.refused ?? context.firstSent else { return .passed }
      let plain = first.exchange
      // An endpoint that accepts the same report at the second attempt does not distinguish requests, but has intermittent
      // errors.
      if observations.first(.reportAgain)?.isAccepted == true {
        return .notApplicable("the same report is first rejected, then accepted")
      }
      let differing = observations[probe].filter { $0.exchange.isAccepted != plain.isAccepted }
      guard let other = differing.first else {
        return plain.isAccepted ? .passed : .notApplicable("reports are rejected with and without it")
      }
      return .failed(
        "a report \(difference) \(other.exchange.account), but one as browsers send it \(plain.account)",
        [first] + differing)
    }
  }
}
