import PCMCore
import PCMNetwork

/// Why a response refuses a report or postback, as far as it shows: a row of the table of signs, and the remedy of its cause.
struct Refusal: Hashable, Sendable {
  enum Cause: Hashable, Sendable, CaseIterable {
    case botProtection
    case forgeryProtection
    case clientCertificate
    case hostName
    /// A content delivery network does not forward the method.
    case method
    case authentication
    /// A gateway has no route for the method and the path.
    case missingRoute
    /// The framework of the application has no route for the method and the path.
    case missingHandler
    /// A store or server of files answers in place of the application.
    case files
    /// A hosting service or tunnel has no application for the host.
    case absence
    /// The endpoint rejects a signature, or requires one.
    case signature
    case mediaType
    case acceptHeader
    case rateLimit
    /// A list of addresses or countries.
    case address
    /// The header Origin or Referer.
    case origin
    case userAgent
    case size
    case length
    case account
    case validation
    /// 403 without a reason.
    case prohibition
    /// 500: the handler failed.
    case exception
    /// A gateway called a function that failed.
    case function
    /// A proxy sent plain HTTP to a port of TLS.
    case plainProxy
    /// A content delivery network failed in TLS with the server, or did not find it.
    case originTLS
    case originAddress
    /// 502 to 504, and similar statuses of content delivery networks: no application responded.
    case gateway
    case maintenance
  }

  let cause: Cause
  /// The header or text that shows the cause, for use in a sentence; nil when only the status shows it.
  let sign: String?

  /// - Returns: nil when the response shows no cause.
  init?(_ exchange: ProbeExchange) {
    self.init(exchange) { statuses in statuses.contains { $0.contains(exchange.httpStatus ?? 0) } }
  }

  /// The cause that the texts of a response with a 2xx status state: a status is no evidence.
  init?(statedBy exchange: ProbeExchange) {
    self.init(exchange) { statuses in statuses.count > 1 && statuses.contains { $0.contains(402) || $0.contains(404) } }
  }

  private init?(_ exchange: ProbeExchange, _ isMeant: (Statuses) -> Bool) {
    let text = ResponseText(exchange)
    for (statuses, sign, cause) in Self.table where isMeant(statuses) {
      guard let shown = text.shown(sign) else { continue }
      (self.cause, self.sign) = (cause, shown.isEmpty ? nil : shown)
      return
    }
    return nil
  }
}

/// What a response can show.
enum RefusalSign: Sendable {
  /// A header with one of these parts in its value, in lower case; any value for an empty part.
  case header(String, String = "")
  /// A part of the markup of a page, in lower case.
  case markup([String])
  /// A phrase in the title of a page, in lower case.
  case title([String])
  /// A part of the title, the first paragraph, or the beginning of another body, in lower case.
  case text([String])
  /// A part of a redirect's target.
  case location([String])
  case status
}

/// The texts of a response that can show why it refuses a request.
private struct ResponseText {
  private let exchange: ProbeExchange
  /// What is shown to a person, in the order of its weight: the title and the first paragraph, or the beginning of the body.
  private let parts: [(name: String, text: String)]
  /// The beginning of the body, in lower case.
  private let source: String
  private let isPage: Bool

  init(_ exchange: ProbeExchange) {
    let body = String(decoding: exchange.body.prefix(32_768), as: UTF8.self)
    let page = PageText(exchange)
    self.exchange = exchange
    source = body.lowercased()
    isPage = page != nil
    parts = page.map { [("title", $0.title), ("text", $0.paragraph)] } ?? [("body", String(body.prefix(2_000)))]
  }

  /// Returns the evidence of a sign, which is empty for a status; nil when the response does not have it.
  func shown(_ sign: RefusalSign) -> String? {
    switch sign {
    case .header(let name, let part):
      guard let value = exchange.header(name), part.isEmpty || value.lowercased().contains(part) else { return nil }
      return "\(name): \(Redaction.shown(value))"
    case .markup(let marks):
      guard isPage, let mark = marks.first(where: source.contains) else { return nil }
      return parts.first { !$0.text.isEmpty }.map(Self.quoted) ?? mark
    case .title(let phrases):
      return isPage && phrases.contains(where: parts[0].text.lowercased().hasPhrase) ? Self.quoted(parts[0]) : nil
    case .text(let words):
      let part = parts.first { part in
        let text = part.text.lowercased()
        return words.contains { Self.isPart($0, of: text) }
      }
      return part.map(Self.quoted)
    case .location(let words):
      guard let location = exchange.location?.lowercased() else { return nil }
      return words.contains(where: (location + "/").contains) ? "" : nil
    case .status: return ""
    }
  }

  /// Words that are also parts of others, such as "catalog index".
  private static let shortWords: Set = [
    "log in", "login", "sign in", "signin", "ip address", "your ip", "ip is", "quota", "cors",
  ]

  private static func isPart(_ word: String, of text: String) -> Bool {
    shortWords.contains(word) ? text.hasPhrase(word) : text.contains(word)
  }

  private static func quoted(_ part: (name: String, text: String)) -> String {
    let line = Redaction.redacted(part.text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    return "the \(part.name) \"\(line.count > 160 ? String(line.prefix(160)) + "…" : line)\""
  }
}

extension String {
  /// Whether the text contains a word or phrase that no other letter or digit touches.
  fileprivate func hasPhrase(_ phrase: String) -> Bool {
    ranges(of: phrase).contains { range in
      let isTouchedBefore = self[..<range.lowerBound].last.map { $0.isLetter || $0.isNumber } ?? false
      let isTouchedAfter = self[range.upperBound...].first.map { $0.isLetter || $0.isNumber } ?? false
      return !isTouchedBefore && !isTouchedAfter
    }
  }
}
