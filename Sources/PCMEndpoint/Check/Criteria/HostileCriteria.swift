import PCMCore
import PCMNetwork

/// The rules about requests that browsers and devices do not send, such as forgeries.
extension CheckCatalog {
  static let hostileReportCriteria: [Criterion] =
    [
      CheckRule(
        "malformed-bodies-do-no-harm", "A malformed body receives a response other than 5xx", .error, .advice,
        fix: "Validate the body before you use it, and return 400 when it is invalid."
      ).harmless(.malformedBodies, after: [.laterControl]),
      CheckRule(
        "malformed-bodies-are-refused", "A malformed body is rejected with 4xx", .warning, .advice,
        fix: "Return 400 for a malformed body, so that testers notice the error, and do not count it."
      ).refusing(.malformedBodies, restsOn: "malformed-bodies-do-no-harm", after: [.laterControl]),
    ] + limitCriteria("body", of: "report", probe: .oversizedBody, after: [.laterControl]) + [
      CheckRule(
        "get-is-refused", "GET is rejected at the path of reports", .warning, .advice,
        fix: "Return 405 for methods other than POST, so that the path is not mistaken for a page."
      ).refusingGET(.getReport, after: [.laterControl])
    ]

  static let hostilePostbackCriteria: [Criterion] =
    [
      CheckRule(
        "forged-postbacks-do-no-harm", "A postback that must not count receives a response other than 5xx", .error, .advice,
        fix: "Verify the signature with Apple's key for the version or kid and ES256 alone before you use a value. Return 200 "
          + "or 4xx, and do not count the postback."
      ).harmless(.forgedPostbacks),
      CheckRule(
        "invalid-values-do-no-harm", "A postback with impossible values receives a response other than 5xx", .error, .advice,
        fix: "Validate the values before you use them. Return 200 or 4xx, and do not count the postback."
      ).harmless(.invalidPostbacks),
      CheckRule(
        "malformed-postbacks-do-no-harm", "A malformed postback receives a response other than 5xx", .error, .advice,
        fix: "Validate the body and the types of its members before you use them, and return 400 when they are invalid."
      ).harmless(.malformedPostbacks),
      CheckRule(
        "malformed-postbacks-are-refused", "A malformed postback is rejected with 4xx", .warning, .advice,
        fix: "Return 400 for a body that is not a postback, so that testers notice the error: devices send none."
      ).refusing(.malformedPostbacks, restsOn: "malformed-postbacks-do-no-harm"),
    ] + limitCriteria("postback", of: "postback", probe: .oversizedPostback) + [
      CheckRule(
        "get-of-postbacks-is-refused", "GET is rejected at the URL of postbacks", .warning, .advice,
        fix: "Return 405 for methods other than POST, so that the URL is not mistaken for a page."
      ).refusingGET(.getPostback),
      CheckRule(
        "many-postbacks-at-once-are-accepted", "\(Probe.loadCount) concurrent copies of a postback are accepted", .error,
        .advice,
        fix:
          "Accept \(Probe.loadCount) concurrent connections, do not limit their rate by address, and return 200 for each copy. "
          + "Count a postback once, also when its copies arrive at the same time."
      ).criterion(restsOn: postbackGate, probes: [.postbackLoad]) { context in
        late(context.observations[.postbackLoad], "postbacks", context) ?? .passed
      },
    ]

  /// Fails if concurrent requests were not accepted in time.
  static func late(_ sent: [Sent], _ messages: String, _ context: CheckContext) -> Evaluation? {
    let failing = sent.whose { !context.accepts($0) }
    return failing.first.map { first in
      .failed(
        "\(failing.count) of \(sent.count) concurrent \(messages) were not accepted; one \(first.exchange.account) after "
          + first.exchange.duration.words, Array(failing.prefix(3)))
    }
  }

  /// The rules about a body that is too large.
  ///
  /// - Parameter name: The name of a body in the identifiers of the rules.
  private static func limitCriteria(
    _ name: String, of message: String, probe: Probe, after later: [Probe] = []
  ) -> [Criterion] {
    [
      CheckRule(
        "oversized-\(name)-does-no-harm", "A body of 1 MiB receives a response other than 5xx or closes the connection",
        .error, .advice,
        fix: "Limit the body to a few kibibytes, and return 413 or close the connection for a larger one."
      ).criterion(restsOn: gate(of: probe), probes: [probe] + later) { context in
        .none(
          of: context.observations[probe].whose { exchange in
            // Closing the connection is acceptable.
            exchange.failure?.code == .timedOut || exchange.isFailureOfServer
          }, "a body of 1 MiB")
      },
      CheckRule(
        "oversized-\(name)-is-refused", "A body of 1 MiB is rejected", .warning, .advice,
        fix: "Limit the body to a few kibibytes: no \(message) has more than two."
      ).criterion(restsOn: ["oversized-\(name)-does-no-harm"], probes: [probe] + later) { context in
        .none(of: context.observations[probe].whose { $0.httpStatus != nil && !$0.isRejected }, "a body of 1 MiB")
      },
    ]
  }

  /// Returns the dependency of the rules about a probe.
  static func gate(of probe: Probe) -> [String] { Probe.ofPostbacks.contains(probe) ? postbackGate : reportGate }
}

extension CheckRule {
  /// A criterion about requests that may be accepted or rejected. For a signature or value that does not count, status 200
  /// ends the attempts of a device, and a 4xx status helps a tester. Apple requires neither.
  func harmless(_ probe: Probe, _ prefix: String = "", after later: [Probe] = []) -> Criterion {
    criterion(restsOn: CheckCatalog.gate(of: probe), probes: [probe] + later) { context in
      let harmed = context.observations[probe].filter { sent in
        (sent.exchange.httpStatus == nil || sent.exchange.isFailureOfServer) && !context.mayFail(sent, probe)
      }
      return context.evaluation(harmed, probe, prefix)
    }
  }

  /// A criterion about malformed bodies.
  fileprivate func refusing(_ probe: Probe, restsOn rule: String, after later: [Probe] = []) -> Criterion {
    criterion(restsOn: [rule], probes: [probe] + later) { context in
      let sent = context.observations[probe].filter { context.body(of: $0, probe)?.exemption != .isOfTokens }
      return context.evaluation(sent.filter { !$0.exchange.isRejected && !context.mayFail($0, probe) }, probe)
    }
  }

  fileprivate func refusingGET(_ probe: Probe, after later: [Probe] = []) -> Criterion {
    criterion(restsOn: CheckCatalog.gate(of: probe), probes: [probe] + later) { context in
      // Servers return 501 for an unknown method. A redirect leads to another page.
      .none(of: context.observations[probe].whose { !$0.isRejected && !$0.isRedirect && $0.httpStatus != 501 }, "GET")
    }
  }
}

extension CheckContext {
  /// The body that a probe sent in a request.
  func body(of sent: Sent, _ probe: Probe) -> ProbeBody? {
    (options.postbacks?.bodies(of: probe) ?? malformedReports).first { $0.bytes == sent.request.body }
  }

  /// Whether the response has a 5xx status that is acceptable for the malformed body.
  fileprivate func mayFail(_ sent: Sent, _ probe: Probe) -> Bool {
    sent.exchange.isFailureOfServer && body(of: sent, probe)?.exemption == .mayBeServerError
  }

  fileprivate func evaluation(_ failing: [Sent], _ probe: Probe, _ prefix: String = "") -> Evaluation {
    guard let first = failing.first else { return .passed }
    let more = failing.count > 1 ? "; \(failing.count) \(isAboutReports ? "bodies" : "requests") in all" : ""
    let name = body(of: first, probe)?.name ?? (isAboutReports ? "a body that is malformed" : "a request")
    return .failed("\(prefix)\(name) \(first.exchange.account)\(more)", failing)
  }
}

extension ProbeExchange {
  var isFailureOfServer: Bool { exchange.httpStatus.map { $0 >= 500 } ?? false }
}
