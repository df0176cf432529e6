import PCMNetwork

/// Explains why the first report or postback is refused.
extension CheckContext {
  /// Fails with what the refused response shows, and with the results of the variants.
  ///
  /// - Parameters:
  ///   - account: The result of the request.
  ///   - rule: The remedy of the rule, for a refusal without a known cause.
  func refused(_ account: String, _ sent: Sent, rule fix: String) -> Evaluation {
    let refusal = Refusal(sent.exchange)
    let sign = refusal?.sign.map { ", with \($0)" } ?? sent.exchange.statement.map { ", with \($0)" } ?? ""
    let accepted = variantResults.first { accepts($0.sent.exchange) }
    if accepted == nil, let rule = DotRule(self, sent) {
      return .failed(account + sign + rule.account, [sent] + rule.evidence, fix: DotRule.fix)
    }
    return .failed(
      account + sign + variantAccount + unrelatedAccount(sent), [sent] + shownVariants,
      fix: (accepted?.variant.fix ?? refusal?.fix(self, sent.exchange)).map {
        $0 + (accepted == nil ? noteOnKeys(refusal) : "")
      } ?? fix)
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

  /// Says when the same refusal meets a request to another path, which no route of the endpoint receives.
  private func unrelatedAccount(_ sent: Sent) -> String {
    guard let other = observations[.unrelatedPaths].first, let status = other.exchange.httpStatus,
      status == sent.exchange.httpStatus
    else { return "" }
    return "; an unrelated path received \(status), too, so the refusal may come from a layer before the endpoint"
  }

  /// The variants that received another response, which are evidence.
  private var shownVariants: [Sent] {
    let status = firstSent?.exchange.httpStatus
    return variantResults.map(\.sent).filter { $0.exchange.httpStatus != status }
  }

  /// The remedy for a response without a route, and for a redirect to a login; nil for other responses.
  func fixOfRoute(_ exchange: ProbeExchange) -> String? {
    guard exchange.isRedirect || [404, 405, 410, 501].contains(exchange.httpStatus) else { return nil }
    return Refusal(exchange)?.fix(self, exchange)
  }

  /// Apple publishes no AdAttributionKit postback that its production key signed.
  private func noteOnKeys(_ refusal: Refusal?) -> String {
    guard let postbacks = options.postbacks, !postbacks.firstIsForProduction, refusal?.mayBeAboutKeys ?? true else { return "" }
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
    let text = String(decoding: exchange.body.prefix(600), as: UTF8.self).split(whereSeparator: \.isWhitespace)
    let line = Redaction.redacted(text.joined(separator: " "))
    guard !line.isEmpty else { return nil }
    return "the body \(line.count > 200 ? String(line.prefix(200)) + "…" : line)"
  }

  /// What a refusal shows besides its status, for the end of a clause; empty for other responses.
  var shownRefusal: String {
    guard isRejected || exchange.httpStatus == 501 else { return "" }
    let allow = header("allow").map { ", with Allow: \(Redaction.shown($0))" } ?? ""
    return allow + (statement.map { ", with \($0)" } ?? "")
  }

  /// The value of a header of the response. The name is in lower case.
  func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
}

extension Refusal {
  /// Whether the endpoint may have refused a postback because of its signature.
  fileprivate var mayBeAboutKeys: Bool {
    cause == .signature || sign == nil && [.validation, .prohibition, .authentication].contains(cause)
  }
}

extension [UInt8] {
  /// Whether the beginning is UTF-8 text without control characters.
  var isText: Bool {
    prefix(64).allSatisfy { $0 >= 32 || [9, 10, 13, 27].contains($0) }
      && !String(decoding: prefix(64), as: UTF8.self).dropLast(4).contains("\u{FFFD}")
  }
}
