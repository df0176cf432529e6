import PCMCore
import PCMDelivery

extension CheckReport.Evidence {
  /// The maximum number of bytes of a body in the evidence.
  private static let bodyLimit = 1_024

  init(_ sent: Sent) {
    let (request, exchange) = (sent.request, sent.exchange)
    let version = exchange.httpVersion.map { " HTTP/\($0)" } ?? ""
    self.init(
      request: Self.subject(request) + version, requestBody: Self.shown(request.body ?? [], isWhole: true),
      answer: Redaction.redacted(Self.answer(exchange)), answerBody: Self.shown(exchange.body, isWhole: !exchange.bodyTruncated)
    )
  }

  private static func subject(_ request: ProbeRequest) -> String {
    guard request.terms.endsWithHandshake else {
      // Host and path are not secret.
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

  /// Returns the body as text. Secrets are redacted before truncation, so that none is partly visible at the end.
  private static func shown(_ body: [UInt8], isWhole: Bool) -> String {
    // Redacts secrets that extend beyond the limit, too.
    let text = Redaction.redacted(String(decoding: body.prefix(bodyLimit * 8), as: UTF8.self))
    guard text.utf8.count > bodyLimit || body.count > bodyLimit * 8 || !isWhole else { return text }
    return String(decoding: Array(text.utf8.prefix(bodyLimit)), as: UTF8.self) + "… (\(body.count) bytes)"
  }
}

/// Redacts nonces, tokens, signatures, and similar values in text.
enum Redaction {
  /// Returns a header's value redacted and truncated, because a redirect can contain a nonce or a password, and a value can be
  /// long.
  static func shown(_ header: String) -> String {
    let text = redacted(header.withMarkedUserInformation)
    return text.utf8.count > longest ? String(decoding: Array(text.utf8.prefix(longest)), as: UTF8.self) + "…" : text
  }

  /// The maximum length of a header in the evidence.
  private static let longest = 1_024
  /// The length of a secret's visible prefix, which distinguishes secrets.
  private static let rest = 6
  /// The minimum length of a secret.
  private static let shortest = 16

  /// Redacts each long run of base64 characters that contains digits or capital letters, as random values do and
  /// hyphenated words do not.
  static func redacted(_ text: String) -> String {
    var output: [UInt8] = []
    var run: [UInt8] = []
    for byte in text.utf8 {
      if isOfToken(byte) {
        run.append(byte)
      } else {
        output += cut(run)
        run.removeAll(keepingCapacity: true)
        output.append(byte)
      }
    }
    return String(decoding: output + cut(run), as: UTF8.self)
  }

  private static func cut(_ run: [UInt8]) -> [UInt8] {
    guard run.count >= shortest, run.contains(where: isOfChance) else { return run }
    return run.prefix(rest) + Array("…(\(run.count))".utf8)
  }

  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: isOfChance(byte)
    }
  }

  private static func isOfChance(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"): true
    default: false
    }
  }
}
