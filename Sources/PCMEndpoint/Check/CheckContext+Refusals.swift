import PCMNetwork

/// Explains the refusal of the first report or postback.
extension CheckContext {
  /// Fails with the response to the first report or postback, and with the evidence of other requests for the reason.
  func explained(_ sent: Sent) -> Evaluation {
    let (exchange, account) = (sent.exchange, account(of: sent.exchange))
    if let finding = InvalidHeader.finding(self, sent) { return .failed(account + finding.account, [sent], fix: finding.fix) }
    guard exchange.failure == nil, let status = exchange.httpStatus, status >= 300 else { return .failed(account, [sent]) }
    let refusal = Refusal(exchange)
    let allowed = exchange.header("allow").map { ", with Allow: \(Redaction.shown($0))" } ?? ""
    let signs = [refusal?.sign, exchange.statement].compactMap { $0 }
    // For a path or method without a route, shows the whole statement. For other refusals, shows the evidence of the cause.
    let sign = status < 400 ? "" : (isFirstRefused ? signs.first : signs.last).map { ", with \($0)" } ?? ""
    let accepted = variantResults.first { accepts($0.sent.exchange) }
    if accepted == nil, let rule = DotRule(self, sent) {
      return .failed(account + allowed + sign + rule.account, [sent] + rule.evidence, fix: DotRule.fix)
    }
    // The variants that received another response are evidence.
    let shown = variantResults.map(\.sent).filter { $0.exchange.httpStatus != status }
    return .failed(
      account + allowed + sign + variantAccount + unrelatedAccount(status), [sent] + shown,
      fix: accepted?.variant.fix ?? refusal.map { remedy(of: $0.cause, exchange) + noteOnKeys($0) })
  }

  /// `; variants received 200 with Safari's User-Agent, 403 as version 1, as version 2`
  private var variantAccount: String {
    var groups: [(outcome: String, names: [String])] = []
    for (variant, sent) in variantResults {
      let outcome = sent.exchange.httpStatus.map(String.init) ?? "no response"
      if let index = groups.firstIndex(where: { $0.outcome == outcome }) {
        groups[index].names.append(variant.name)
      } else {
        groups.append((outcome, [variant.name]))
      }
    }
    guard !groups.isEmpty else { return "" }
    return "; variants received "
      + groups.map { "\($0.outcome) \($0.names.joined(separator: ", "))" }.joined(separator: ", and ")
  }

  /// Returns a clause if a request to another path, which no route of the endpoint serves, received the same status.
  private func unrelatedAccount(_ status: Int) -> String {
    guard isFirstRefused, observations[.unrelatedPaths].first?.exchange.httpStatus == status else { return "" }
    return "; an unrelated path received \(status), too, so the refusal may come from a layer before the endpoint"
  }

  /// Returns the remedy of a cause, with the words for reports or postbacks and the values of a response.
  func remedy(of cause: Refusal.Cause, _ exchange: ProbeExchange = ProbeExchange()) -> String {
    let isReport = isAboutReports
    // The same status at another path with a dot neither confirms nor excludes a rule for such paths.
    let mayBeDots = observations.first(.dotPath).map { $0.httpStatus == exchange.httpStatus } ?? false
    let words = [
      "messages": isReport ? "reports" : "postbacks", "senders": isReport ? "browsers" : "devices",
      "proof": isReport ? "use tokens" : "verify Apple's signature", "good": isReport ? "2xx" : "200",
      "repetition": isReport ? "never send a report again" : "repeat a postback at most nine times",
      "values": isReport ? " " + Refusal.values : "", "path": options.requestPath, "host": host,
      "status": String(exchange.httpStatus ?? 503), "dots": mayBeDots ? " " + DotRule.hint : "",
      "place": exchange.body.isEmpty ? "Find out in the endpoint's log" : "The response states",
      "wait": exchange.header("retry-after").map { " This response asks for a pause (Retry-After: \(Redaction.shown($0)))." }
        ?? "",
    ]
    let fix = (isReport ? nil : cause.postbackFix) ?? cause.fix
    return words.reduce(fix) { $0.replacing("{\($1.key)}", with: $1.value) }
  }

  /// Returns the note about signing keys. Apple publishes no AdAttributionKit postback with a signature by its production
  /// key.
  private func noteOnKeys(_ refusal: Refusal) -> String {
    let mayBeAboutKeys =
      refusal.cause == .signature
      || refusal.sign == nil && [.validation, .prohibition, .authentication].contains(refusal.cause)
    guard let postbacks = options.postbacks, !postbacks.firstIsForProduction, isFirstRefused, mayBeAboutKeys else { return "" }
    return " If the endpoint rejects the postback because a development key signed it: return 200 and do not count it, or let "
      + "a test instance of the endpoint trust the test keys, and use --test-keys."
  }
}

extension ProbeExchange {
  /// The title and first paragraph of a page, or the beginning of another body; nil for a response without a body.
  var statement: String? {
    if let page = PageText(self) {
      let lines = Redaction.redacted(page.lines.replacing("\n", with: ": "))
      return lines.isEmpty ? nil : "the page \"\(lines)\""
    }
    guard exchange.body.isText else { return "a body of \(exchange.body.count) bytes that is not text" }
    let line = Redaction.line(String(decoding: exchange.body.prefix(600), as: UTF8.self), limit: 200)
    return line.isEmpty ? nil : "the body \(line)"
  }

  /// The value of a header of the response. The name is in lower case.
  func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
}

extension [UInt8] {
  /// Whether the first bytes are UTF-8 text without control characters.
  var isText: Bool {
    prefix(64).allSatisfy { $0 >= 32 || [9, 10, 13, 27].contains($0) }
      && !String(decoding: prefix(64), as: UTF8.self).dropLast(4).contains("\u{FFFD}")
  }
}
