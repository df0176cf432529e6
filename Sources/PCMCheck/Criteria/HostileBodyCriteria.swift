import PCMDelivery

extension CheckCatalog {
  /// The rules about requests that no browser sends.
  static let hostileBodyCriteria: [Criterion] = [
    Criterion(
      CheckRule(
        "malformed-bodies-do-no-harm", "A malformed body receives a response other than 5xx", .error, .ours,
        fix: "Validate the body before you use it, and return 400 when it is invalid."),
      restsOn: reportGate, probes: [.malformedBodies, .laterControl]
    ) { context in
      let harmed = context.observations[.malformedBodies].filter { sent in
        sent.exchange.doesHarm && !context.mayBeServerError(sent)
      }
      return evaluation(harmed, context)
    },
    Criterion(
      CheckRule(
        "malformed-bodies-are-refused", "A malformed body is rejected with 4xx", .warning, .ours,
        fix: "Return 400 for a malformed body, so that testers notice the error, and do not count it."),
      restsOn: ["malformed-bodies-do-no-harm"], probes: [.malformedBodies, .laterControl]
    ) { context in
      let sent = context.observations[.malformedBodies].filter { context.malformedBody(of: $0)?.exemption != .isOfTokens }
      return evaluation(sent.filter { !$0.exchange.isRejected && !context.mayBeServerError($0) }, context)
    },
    Criterion(
      CheckRule(
        "oversized-body-does-no-harm", "A body of 1 MiB receives a response other than 5xx or closes the connection",
        .error, .ours,
        fix: "Limit the body to a few kibibytes, and return 413 or close the connection for a larger one."),
      restsOn: reportGate, probes: [.oversizedBody, .laterControl]
    ) { context in
      .none(
        of: context.observations[.oversizedBody].whose { exchange in
          // Closing the connection is acceptable.
          exchange.failure?.code == .timedOut || exchange.isFailureOfServer
            || exchange.duration > context.options.patience.tolerable
        }, "a body of 1 MiB")
    },
    Criterion(
      CheckRule(
        "oversized-body-is-refused", "A body of 1 MiB is rejected", .warning, .ours,
        fix: "Limit the body to a few kibibytes: no report has more than two."),
      restsOn: ["oversized-body-does-no-harm"], probes: [.oversizedBody, .laterControl]
    ) { context in
      .none(of: context.observations[.oversizedBody].whose { $0.httpStatus != nil && !$0.isRejected }, "a body of 1 MiB")
    },
    Criterion(
      CheckRule(
        "get-is-refused", "GET is rejected at the path of reports", .warning, .ours,
        fix: "Return 405 for methods other than POST, so that the path is not mistaken for a page."),
      restsOn: reportGate, probes: [.getReport, .laterControl]
    ) { context in
      // Servers return 501 for an unknown method, and a redirect leads to a page elsewhere.
      .none(
        of: context.observations[.getReport].whose { !$0.isRejected && !$0.isRedirect && $0.httpStatus != 501 }, "GET")
    },
  ]

  private static func evaluation(_ failing: [Sent], _ context: CheckContext) -> Evaluation {
    guard let first = failing.first else { return .passed }
    let more = failing.count > 1 ? "; \(failing.count) bodies in all" : ""
    let name = context.malformedBody(of: first)?.name ?? "malformed"
    return .failed("a body that is \(name) \(first.exchange.account)\(more)", failing)
  }
}

extension CheckContext {
  /// The malformed body of a request.
  func malformedBody(of sent: Sent) -> MalformedBody? { malformedBodies.first { $0.bytes == sent.request.body } }

  /// Whether a 5xx status is acceptable for the malformed body.
  fileprivate func mayBeServerError(_ sent: Sent) -> Bool {
    sent.exchange.isFailureOfServer && malformedBody(of: sent)?.exemption == .mayBeServerError
  }
}

extension ProbeExchange {
  var isFailureOfServer: Bool { exchange.httpStatus.map { $0 >= 500 } ?? false }

  /// Whether there is no status, or a 5xx status. The rest of the response is ignored.
  fileprivate var doesHarm: Bool { exchange.httpStatus == nil || isFailureOfServer }
}
