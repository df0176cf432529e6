import PCMCore
import PCMNetwork

extension CheckCatalog {
  /// The rule that all rules about the content of reports depend on: an accepting status is not sufficient.
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
        // The path next to the endpoint's may have a parameter, so only the one at the root counts.
        .none(of: context.observations[.unrelatedPaths].prefix(1).whose(\.isAccepted), "a \(message) at an unrelated path")
      },
    ]
  }

  private static func receipt(_ message: String, _ get: Probe, _ context: CheckContext) -> Evaluation {
    guard let sent = context.firstSent, context.accepts(sent.exchange) else { return .passed }
    let status = sent.exchange.httpStatus ?? 200
    let barrier = Refusal(sent.exchange)
    if barrier?.cause != .botProtection, let evaluation = catchAll(message, sent, get, context) { return evaluation }
    if let barrier {
      return .failed(
        "a \(message) received \(status), but with \(barrier.sign ?? "a challenge")", [sent],
        fix: barrier.fix(context, sent.exchange))
    }
    if let evaluation = answerForAll(message, sent, context) { return evaluation }
    if let statement = StatedError.statement(of: sent.exchange) {
      return .failed(
        "a \(message) received \(status), but the body states an error: \(statement)", [sent],
        fix: "Return 4xx or 5xx when a \(message) is not received: the body of the response has no effect."
          + (Refusal(statedBy: sent.exchange).map { " " + $0.fix(context, sent.exchange) } ?? ""))
    }
    return .passed
  }

  /// Fails when the same text answers a message, a message at an unrelated path, and a body that is none.
  private static func answerForAll(_ message: String, _ sent: Sent, _ context: CheckContext) -> Evaluation? {
    guard context.isFirstForAll, let other = context.observations[.unrelatedPaths].first,
      let malformed = context.observations[.malformedFirst].first, malformed.isLike(sent),
      let statement = sent.exchange.statement
    else { return nil }
    return .failed(
      "a \(message) received \(sent.exchange.httpStatus ?? 200) with \(statement) "
        + "(\(sent.exchange.contentType.map(Redaction.shown) ?? "no media type")); POST \(CheckOptions.path(of: other.request.url)) and "
        + "\(ProbeBody.noJSON.name) received the same", [sent, other, malformed],
      fix:
        "Route POST requests at \(context.options.requestPath) to the endpoint. Return 404 for other paths and 400 for a malformed "
        + "body: one answer for everything does not show that anything is received.")
  }

  /// Fails when a page answers a message, and other paths as well.
  private static func catchAll(
    _ message: String, _ sent: Sent, _ get: Probe, _ context: CheckContext
  ) -> Evaluation? {
    guard sent.exchange.isLabeledPage, !sent.exchange.body.isEmpty else { return nil }
    let page = PageText(sent.exchange)
    let getSent = context.observations[get].first
    let getsSame = getSent.map { $0.exchange.isAccepted && $0.exchange.isSamePage(as: sent.exchange) } ?? false
    let other = context.observations[.unrelatedPaths].first { other in
      guard other.exchange.isAccepted else { return false }
      // Text that is only labeled as HTML may be the answer of an endpoint that writes it to any sender.
      return page == nil ? getsSame && other.exchange.body == sent.exchange.body : PageText(other.exchange) != nil
    }
    guard let other else { return nil }
    let path = CheckOptions.path(of: other.request.url)
    let isSame = other.exchange.isSamePage(as: sent.exchange)
    let title = page.map { $0.title.isEmpty ? $0.paragraph : $0.title } ?? sent.exchange.text
    return .failed(
      "a \(message) received \(sent.exchange.httpStatus ?? 200) with an HTML page\(title.isEmpty ? "" : " \"\(Redaction.shown(title))\"")"
        + " (\(sent.exchange.contentType.map(Redaction.shown) ?? "no media type")); POST \(path) received "
        + (isSame ? "the same" : "another page") + (getsSame ? "; GET at the path of \(message)s received the same" : ""),
      [sent, other] + (getSent.map { [$0] } ?? []),
      fix:
        "Route POST requests at \(context.options.requestPath) to the endpoint: a fallback of the web server or framework, such "
        + "as the index page of a single-page app, answers every path with 200, and nothing receives the \(message)s.")
  }
}

extension CheckOptions {
  /// The path of reports or postbacks.
  var requestPath: String { Self.path(of: requestURL) }

  /// The path of a URL on the endpoint's host.
  static func path(of url: String) -> String { String(url.dropFirst("https://".count).drop { $0 != "/" }) }
}

extension ProbeExchange {
  /// Whether the response is labeled as HTML, or is a page without a label.
  fileprivate var isLabeledPage: Bool {
    isLabeledAsHTML && JSONResponse.object(of: self) == nil || PageText(self) != nil
  }

  /// Whether both responses have the same body, or the same texts of a page that differs in hidden values.
  fileprivate func isSamePage(as other: ProbeExchange) -> Bool {
    if exchange.body == other.exchange.body { return true }
    guard let page = PageText(self) else { return false }
    return page == PageText(other)
  }

  fileprivate var text: String { exchange.body.isText ? String(decoding: exchange.body.prefix(100), as: UTF8.self) : "" }
}
