import PCMDelivery

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
    Criterion(rule, restsOn: ["report-is-not-redirected"], probes: [.report, probe, .reportAgain] + Inquiry.groundwork) {
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
