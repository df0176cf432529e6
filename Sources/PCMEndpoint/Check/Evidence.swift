import PCMCore
import PCMNetwork

extension CheckReport.Evidence {
  /// The maximum number of bytes of a body in the evidence.
  private static let bodyLimit = 1_024

  init(_ sent: Sent) {
    let (request, exchange) = (sent.request, sent.exchange)
    let version = exchange.httpVersion.map { " HTTP/\($0)" } ?? ""
    self.init(
      request: Self.subject(request) + version, requestHeaders: Self.headers(of: request),
      requestBody: Self.shown(request.body ?? [], isWhole: true), answer: Redaction.redacted(Self.answer(exchange)),
      answerHeaders: exchange.headers.filter { Self.telling.contains($0.name.lowercased()) }.prefix(12).map {
        "\($0.name.lowercased()): \(Redaction.shown($0.value))"
      },
      answerBody: PageText(exchange).map { Redaction.redacted($0.lines) }
        ?? Self.shown(exchange.body, isWhole: !exchange.bodyTruncated),
      duration: exchange.duration)
  }

  /// Returns the request's headers without credentials; empty for a connection without a request.
  private static func headers(of request: ProbeRequest) -> [String] {
    guard !request.terms.endsWithHandshake else { return [] }
    return request.request.wireHeaders.map { header in
      "\(header.name): \(header.name == "authorization" ? "removed" : Redaction.shown(header.value))"
    }
  }

  /// The names of headers that help to identify the sender and the cause of a response.
  private static let telling = Refusal.headerNames.union([
    "server", "via", "allow", "accept", "accept-post", "retry-after", "cf-ray", "x-amz-cf-id", "x-cache", "x-cdn", "x-iinfo",
    "x-powered-by", "x-sucuri-id", "x-request-id", "x-error", "x-error-code",
  ])

  private static func subject(_ request: ProbeRequest) -> String {
    guard request.terms.endsWithHandshake else {
      // The host and the path are not secret.
      let url = request.url.withMarkedUserInformation
      let question = url.firstIndex(of: "?") ?? url.endIndex
      return "\(request.method.rawValue) \(url[..<question])" + Redaction.redacted(String(url[question...]))
    }
    switch request.terms.tls {
    case .browser: return "TLS handshake with \(request.url)"
    case .from13: return "TLS handshake from 1.3 on with \(request.url)"
    case .before12: return "TLS handshake before 1.2 with \(request.url)"
    }
  }

  private static func answer(_ exchange: ProbeExchange) -> String {
    var parts: [String] = []
    if let status = exchange.httpStatus {
      parts.append("\(status)" + (exchange.contentType.map { " \(Redaction.shown($0))" } ?? ""))
      if let location = exchange.location { parts.append("Location: \(Redaction.shown(location))") }
      if exchange.setsCookies { parts.append("with Set-Cookie") }
    } else if exchange.failure == nil {
      parts.append("connected")
    }
    if let failure = exchange.failure { parts.append(failure.account) }
    if exchange.timings != nil { parts.append("\(exchange.duration.words)") }
    return parts.joined(separator: ", ")
  }

  /// Returns the body as text. Secrets are redacted before truncation, so that no secret is partly visible at the end.
  private static func shown(_ body: [UInt8], isWhole: Bool) -> String {
    // Includes secrets that extend beyond the limit.
    let text = Redaction.redacted(String(decoding: body.prefix(bodyLimit * 8), as: UTF8.self))
    guard text.utf8.count > bodyLimit || body.count > bodyLimit * 8 || !isWhole else { return text }
    return String(decoding: Array(text.utf8.prefix(bodyLimit)), as: UTF8.self) + "… (\(body.count) bytes)"
  }
}

/// Redacts nonces, tokens, signatures, and similar values in text.
enum Redaction {
  /// Returns a header's value, redacted because it can contain a nonce or a password, and truncated.
  static func shown(_ header: String) -> String {
    let text = redacted(header.withMarkedUserInformation)
    return text.utf8.count > longest ? String(decoding: Array(text.utf8.prefix(longest)), as: UTF8.self) + "…" : text
  }

  /// Returns the beginning of a text on one line.
  static func line(_ text: some StringProtocol, limit: Int) -> String {
    let line = redacted(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    return line.count > limit ? line.prefix(limit) + "…" : line
  }

  /// The maximum length of a header in the evidence.
  private static let longest = 1_024
  /// The length of a secret's visible prefix, which distinguishes secrets.
  private static let rest = 6
  /// The minimum length of a secret.
  private static let shortest = 16

  /// Redacts each long run of base64 characters that appears random. Words remain, because error codes are the diagnosis:
  /// `MissingAuthenticationTokenException`, `ERR_BLOCKED_BY_RULE_1020`.
  static func redacted(_ text: String) -> String {
    var (output, name, rest) = ("", Substring(), text.utf8[...])
    while !rest.isEmpty {
      let others = rest.prefix { !isOfToken($0) }
      let run = Substring(rest[others.endIndex...].prefix(while: isOfToken))
      output += Substring(others) + (isSecret(run, after: name) ? "\(run.prefix(Self.rest))…(\(run.utf8.count))" : run)
      (name, rest) = (run, rest[run.endIndex...])
    }
    return output
  }

  /// - Parameter name: The previous run, which may be the name of a nonce, token, or signature of the protocol.
  private static func isSecret(_ run: Substring, after name: Substring) -> Bool {
    guard run.utf8.count >= shortest, run.contains(where: { $0.isUppercase || $0.isNumber || $0 == "+" }) else { return false }
    let name = name.lowercased()
    return ["nonce", "unlinkable_token", "secret_token", "token_signature"].contains { name.hasSuffix($0) } || !isOfWords(run)
  }

  /// Returns whether a run consists of words and numbers. Words are parts in lower case, in upper case, or capitalized, with
  /// a vowel and an average length of at least four letters. Numbers have at most eight digits. Random values alternate
  /// between these kinds much more often.
  private static func isOfWords(_ run: Substring) -> Bool {
    let parts = run.codeWords
    let words = parts.filter { $0.first?.isLetter == true }
    guard !words.isEmpty, parts.count - words.count <= 1 + words.count / 3 else { return false }
    return words.reduce(0) { $0 + $1.count } >= 4 * words.count
      && words.allSatisfy { $0.count < 5 || $0.contains(where: "aeiouyAEIOUY".contains) && $0.count <= longestWord }
      && parts.allSatisfy { $0.first?.isLetter == true || $0.count <= 8 }
  }

  /// `UNAUTHENTICATED`, `characteristics`
  private static let longestWord = 16

  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"):
      true
    default: false
    }
  }
}

extension StringProtocol {
  /// The words and numbers of a text or code: `HTTPError_1020` has `HTTP`, `Error`, and `1020`.
  var codeWords: [SubSequence] {
    var (words, start): ([SubSequence], Index?) = ([], nil)
    var (previous, index) = (Character(" "), startIndex)
    while index < endIndex {
      let (character, next) = (self[index], self.index(after: index))
      let isPart = character.isLetter || character.isNumber
      let begins =
        character.isNumber != previous.isNumber
        || character.isUppercase && (previous.isLowercase || previous.isUppercase && next < endIndex && self[next].isLowercase)
      if let begin = start, !isPart || begins {
        words.append(self[begin..<index])
        start = nil
      }
      if isPart, start == nil { start = index }
      (previous, index) = (character, next)
    }
    return words + (start.map { [self[$0...]] } ?? [])
  }
}
