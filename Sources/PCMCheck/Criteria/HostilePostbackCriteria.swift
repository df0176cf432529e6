import PCMCore
import PCMDelivery

extension CheckCatalog {
  /// The rules about requests that no device sends, or that a forger sends.
  static let hostilePostbackCriteria: [Criterion] = [
    harmless(
      CheckRule(
        "forged-postbacks-do-no-harm", "A postback that must not count receives a response other than 5xx", .error, .ours,
        fix: "Verify the signature with Apple's key for the version or kid and ES256 alone before you use a value. Return 200 "
          + "or 4xx, and do not count the postback."),
      .forgedPostbacks),
    harmless(
      CheckRule(
        "invalid-values-do-no-harm", "A postback with impossible values receives a response other than 5xx", .error, .ours,
        fix: "Validate the values before you use them. Return 200 or 4xx, and do not count the postback."),
      .invalidPostbacks),
    harmless(
      CheckRule(
        "malformed-postbacks-do-no-harm", "A malformed postback receives a response other than 5xx", .error, .ours,
        fix: "Validate the body and the types of its members before you use them, and return 400 when they are invalid."),
      .malformedPostbacks),
    Criterion(
      CheckRule(
        "malformed-postbacks-are-refused", "A malformed postback is rejected with 4xx", .warning, .ours,
        fix: "Return 400 for a body that is not a postback, so that testers notice the error: devices send none."),
      restsOn: ["malformed-postbacks-do-no-harm"], probes: [.malformedPostbacks]
    ) { context in
      let failing = context.observations[.malformedPostbacks].filter { sent in
        let isExempt = context.postbackBody(of: sent, .malformedPostbacks)?.mayBeServerError == true
        return !sent.exchange.isRejected && !(isExempt && sent.exchange.isFailureOfServer)
      }
      return evaluation(failing, .malformedPostbacks, context)
    },
    Criterion(
      CheckRule(
        "oversized-postback-does-no-harm", "A body of 1 MiB receives a response other than 5xx or closes the connection",
        .error, .ours,
        fix: "Limit the body to some kibibytes, and return 413 or close the connection for a larger one."),
      restsOn: postbackGate, probes: [.oversizedPostback]
    ) { context in
      .none(
        of: context.observations[.oversizedPostback].whose { exchange in
          exchange.failure?.code == .timedOut || exchange.isFailureOfServer
            || exchange.duration > context.options.patience.tolerable
        }, "a body of 1 MiB")
    },
    Criterion(
      CheckRule(
        "oversized-postback-is-refused", "A body of 1 MiB is rejected", .warning, .ours,
        fix: "Limit the body to some kibibytes: no postback has more than two."),
      restsOn: ["oversized-postback-does-no-harm"], probes: [.oversizedPostback]
    ) { context in
      .none(
        of: context.observations[.oversizedPostback].whose { $0.httpStatus != nil && !$0.isRejected }, "a body of 1 MiB")
    },
    Criterion(
      CheckRule(
        "get-of-postbacks-is-refused", "GET is rejected at the URL of postbacks", .warning, .ours,
        fix: "Return 405 for methods other than POST, so that the URL is not mistaken for a page."),
      restsOn: postbackGate, probes: [.getPostback]
    ) { context in
      .none(
        of: context.observations[.getPostback].whose { !$0.isRejected && !$0.isRedirect && $0.httpStatus != 501 }, "GET")
    },
    Criterion(
      CheckRule(
        "many-postbacks-at-once-are-accepted", "\(Probe.loadCount) concurrent copies of a postback are accepted", .error, .ours,
        fix:
          "Accept \(Probe.loadCount) concurrent connections, do not limit their rate by address, and return 200 for each copy. "
          + "Count a postback once, also when its copies arrive at the same time."),
      restsOn: postbackGate, probes: [.postbackLoad]
    ) { context in
      let sent = context.observations[.postbackLoad]
      let failing = sent.whose { !context.accepts($0) || $0.duration > context.options.patience.tolerable }
      guard let first = failing.first else { return .passed }
      return .failed(
        "\(failing.count) of \(sent.count) concurrent postbacks were not accepted in time; one \(first.exchange.account) after "
          + first.exchange.duration.words, Array(failing.prefix(3)))
    },
  ]
}
