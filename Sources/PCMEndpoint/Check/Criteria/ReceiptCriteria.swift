import PCMCore
import PCMNetwork

extension CheckCatalog {
  /// The dependency of all rules about the content of reports: an accepting status is not sufficient.
  static let receiptOfReports = "report-is-received"
  static let receiptOfPostbacks = "postback-is-received"

  /// The rules about whether a 2xx response comes from an endpoint.
  static func receiptCriteria(_ message: String, probes: (first: Probe, get: Probe), restsOn: [String]) -> [Criterion] {
    let gate = "\(message)-is-received"
    return [
      CheckRule(
        gate, "A \(message) reaches the endpoint, not a page or an error with status 200", .error, .advice,
        fix: "Route POST requests at the path to the endpoint, before a fallback that answers every path."
      ).criterion(restsOn: restsOn, probes: [probes.first, .unrelatedPaths, .malformedFirst, probes.get]) { context in
        receipt(message, probes.get, context)
      },
      CheckRule(
        "\(message)-answer-is-no-page", "The response to a \(message) is not an HTML page", .warning, .advice,
        fix: "Return an empty body: browsers and devices ignore it, and a page suggests that another route answers."
      ).criterion(restsOn: [gate], probes: [probes.first]) { context in
        guard let sent = context.firstSent, let page = PageText(sent.exchange) else { return .passed }
        return .failed("a \(message) received the page \"\(page.title.isEmpty ? page.paragraph : page.title)\"", [sent])
      },
      CheckRule(
        "unrelated-paths-are-refused", "A \(message) at an unrelated path does not receive 2xx", .warning, .advice,
        fix: "Return 404 for paths that you do not serve: an endpoint that answers every path alike does not show whether it "
          + "receives anything, and hides a wrong path."
      ).criterion(restsOn: [gate], probes: [.unrelatedPaths]) { context in
        // The path next to the endpoint's path may have a parameter, so only the path at the root counts.
        .none(of: context.observations[.unrelatedPaths].prefix(1).whose(\.isAccepted), "a \(message) at an unrelated path")
      },
    ]
  }

  private static func receipt(_ message: String, _ get: Probe, _ context: CheckContext) -> Evaluation {
    guard let sent = context.firstSent, context.accepts(sent.exchange) else { return .passed }
    let account = "a \(message) received \(sent.exchange.httpStatus ?? 200)"
    let barrier = Refusal(sent.exchange)
    if barrier?.cause != .botProtection, let evaluation = answerForAll(account, message, sent, get, context) {
      return evaluation
    }
    if let barrier {
      return .failed(
        "\(account), but with \(barrier.sign ?? "a challenge")", [sent], fix: context.remedy(of: barrier.cause, sent.exchange))
    }
    guard let statement = StatedError.statement(of: sent.exchange) else { return .passed }
    return .failed(
      "\(account), but the body states an error: \(statement)", [sent],
      fix: "Return 4xx or 5xx when a \(message) is not received: the body of the response has no effect."
        + (Refusal(statedBy: sent.exchange).map { " " + context.remedy(of: $0.cause, sent.exchange) } ?? ""))
  }

  /// Fails if the same response answers a message, a message at an unrelated path, and a body that is not a message. An
  /// endpoint does not respond with a page, so a page need not answer the body.
  private static func answerForAll(
    _ account: String, _ message: String, _ sent: Sent, _ get: Probe, _ context: CheckContext
  ) -> Evaluation? {
    let others = [(Probe.malformedFirst, ProbeBody.noJSON.name), (get, "GET at the path of \(message)s")]
    let same = others.compactMap { probe, name in
      context.observations[probe].first.flatMap { $0.isLike(sent) ? (sent: $0, name: name, probe: probe) : nil }
    }
    guard let other = context.responseForAll, PageText(sent.exchange) != nil || same.first?.probe == .malformedFirst else {
      return nil
    }
    return .failed(
      "\(account) with \(sent.exchange.statement ?? "an empty page") (\(sent.exchange.contentType.map(Redaction.shown) ?? "no media type")); POST "
        + "\(CheckOptions.path(of: other.request.url)) received \(other.isLike(sent) ? "the same" : "another page")"
        + same.map { "; \($0.name) received the same" }.joined(), [sent, other] + same.map(\.sent),
      fix:
        "Route POST requests at \(context.options.requestPath) to the endpoint, before a fallback that answers every path, such as "
        + "the index page of a single-page app. Return 404 for other paths and 400 for a malformed body: one response for everything "
        + "does not show that anything is received.")
  }
}

extension CheckOptions {
  /// The path of reports or postbacks.
  var requestPath: String { Self.path(of: requestURL) }

  /// The path of a URL on the endpoint's host.
  static func path(of url: String) -> String { String(url.dropFirst("https://".count).drop { $0 != "/" }) }
}
