import PCMDelivery

extension CheckCatalog {
  /// What no browser sends.
  static let hostileBodyCriteria: [Criterion] = [
    Criterion(
      CheckRule(
        "malformed-bodies-do-no-harm", "What is no report is answered, and not with 5xx", .error, .ours,
        fix: "Check the body before you use it, and answer 400 when it is not what it has to be."),
      restsOn: reportGate, probes: [.malformedBodies, .laterControl]
    ) { inquiry in
      let harmed = inquiry.observations[.malformedBodies].filter { sent in
        sent.exchange.doesHarm && !inquiry.mayBeServerError(sent)
      }
      return judgement(harmed, inquiry)
    },
    Criterion(
      CheckRule(
        "malformed-bodies-are-refused", "What is no report is refused with 4xx", .warning, .ours,
        fix: "Answer 400 to what is no report, so that a tester notices the mistake, and do not count it."),
      restsOn: ["malformed-bodies-do-no-harm"], probes: [.malformedBodies, .laterControl]
    ) { inquiry in
      let sent = inquiry.observations[.malformedBodies].filter { inquiry.malformedBody(of: $0)?.exemption != .isOfTokens }
      return judgement(sent.filter { !$0.exchange.isRefused && !inquiry.mayBeServerError($0) }, inquiry)
    },
    Criterion(
      CheckRule(
        "oversized-body-does-no-harm", "A body of 1 MiB is answered or cut off in time, and not with 5xx", .error, .ours,
        fix: "Limit the body to some kibibytes, and answer 413 or close the connection when there is more."),
      restsOn: reportGate, probes: [.oversizedBody, .laterControl]
    ) { inquiry in
      .none(
        of: inquiry.observations[.oversizedBody].whose { exchange in
          // A closed connection is an answer to this.
          exchange.failure?.code == .timedOut || exchange.isFailureOfServer
            || exchange.duration > inquiry.options.patience.tolerable
        }, "a body of 1 MiB")
    },
    Criterion(
      CheckRule(
        "oversized-body-is-refused", "A body of 1 MiB is refused", .warning, .ours,
        fix: "Limit the body to some kibibytes: no report has more than two."),
      restsOn: ["oversized-body-does-no-harm"], probes: [.oversizedBody, .laterControl]
    ) { inquiry in
      .none(of: inquiry.observations[.oversizedBody].whose { $0.httpStatus != nil && !$0.isRefused }, "a body of 1 MiB")
    },
    Criterion(
      CheckRule(
        "get-is-refused", "GET is refused where reports are taken", .warning, .ours,
        fix: "Answer 405 to everything but POST, so that the path is not taken for a page."),
      restsOn: reportGate, probes: [.getReport, .laterControl]
    ) { inquiry in
      // 501 is what a server answers to a method that it does not know, and a redirect leads to a page elsewhere.
      .none(
        of: inquiry.observations[.getReport].whose { !$0.isRefused && !$0.isRedirect && $0.httpStatus != 501 }, "GET")
    },
  ]

  private static func judgement(_ failing: [Sent], _ inquiry: CheckContext) -> Judgement {
    guard let first = failing.first else { return .passed }
    let more = failing.count > 1 ? "; \(failing.count) bodies in all" : ""
    let name = inquiry.malformedBody(of: first)?.name ?? "malformed"
    return .failed("a body that is \(name) \(first.exchange.account)\(more)", failing)
  }
}

extension CheckContext {
  /// The malformed body that a request carried.
  func malformedBody(of sent: Sent) -> MalformedBody? { malformedBodies.first { $0.bytes == sent.request.body } }

  /// Whether an answer of the 5xx class refuses a malformed body well enough.
  fileprivate func mayBeServerError(_ sent: Sent) -> Bool {
    sent.exchange.isFailureOfServer && malformedBody(of: sent)?.exemption == .mayBeServerError
  }
}

extension ProbeExchange {
  var isFailureOfServer: Bool { exchange.httpStatus.map { $0 >= 500 } ?? false }

  /// No status at all, or one that says that the server did not get along. What comes behind a status is not looked at.
  fileprivate var doesHarm: Bool { exchange.httpStatus == nil || isFailureOfServer }
}
