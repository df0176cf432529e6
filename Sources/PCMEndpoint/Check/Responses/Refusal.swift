import PCMNetwork

/// Why a response refuses a report or postback, as far as it shows.
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
    case validation
    /// 403 without a reason.
    case prohibition
    /// 500: the handler failed.
    case exception
    /// 502 to 504, and similar statuses of content delivery networks: no application responded.
    case gateway
  }

  let cause: Cause
  /// The header or text that shows the cause, for use in a sentence; nil when only the status shows it.
  let sign: String?

  /// - Returns: nil when the response shows no cause.
  init?(_ exchange: ProbeExchange) {
    let (text, status) = (ResponseText(exchange), exchange.httpStatus)
    // Products for protection send some headers with each response, also when the endpoint itself answers.
    let isAnsweredByEndpoint = ![401, 403, 407, 503].contains(status ?? 0)
    let found =
      Self.headerSign(exchange, onlyChallenges: isAnsweredByEndpoint) ?? text.markSign ?? Self.plainCause(status)
      ?? text.sign(status) ?? Self.generalCause(status)
    guard let found else { return nil }
    self = found
  }

  /// Returns the challenge that a response is, also with a 2xx status.
  static func challenge(in exchange: ProbeExchange) -> Refusal? {
    headerSign(exchange, onlyChallenges: true) ?? ResponseText(exchange).signOfChallenge
  }

  /// Returns the form to log in that a response is, also with a 2xx status.
  static func login(in exchange: ProbeExchange) -> Refusal? { ResponseText(exchange).signOfLogin }

  /// Returns the refusal of a hosting service or tunnel that has no application for the host; nil for other responses.
  static func absence(of exchange: ProbeExchange) -> Refusal? {
    guard exchange.httpStatus == 404 else { return nil }
    let isMarked =
      exchange.header("ngrok-error-code") != nil
      || exchange.header("x-vercel-error")?.uppercased().contains("DEPLOYMENT") ?? false
    return isMarked ? Refusal(.gateway) : ResponseText(exchange).signOfAbsence.map { Refusal(.gateway, $0) }
  }

  static let authentication = Refusal(.authentication)

  fileprivate init(_ cause: Cause, _ sign: String? = nil) { (self.cause, self.sign) = (cause, sign) }

  /// Headers whose presence, or whose value with a given part, means that this request was stopped, also with a 2xx status.
  private static let challengeHeaders: [(cause: Cause, name: String, part: String)] = [
    (.botProtection, "cf-mitigated", ""), (.botProtection, "x-amzn-waf-action", ""),
    (.botProtection, "x-vercel-mitigated", ""), (.botProtection, "x-sucuri-block", ""), (.botProtection, "x-kpsdk-ct", ""),
    // ngrok's page for browsers, which it recognizes by the user agent.
    (.botProtection, "ngrok-error-code", "6024"),
  ]

  /// Headers that show a cause with a status that refuses the request.
  private static let headers: [(cause: Cause, name: String, part: String)] = [
    (.botProtection, "x-dd-b", ""), (.botProtection, "x-datadome", ""), (.botProtection, "x-px-block", ""),
    (.botProtection, "server", "ddos-guard"),
    (.forgeryProtection, "x-csrf-token", "required"), (.forgeryProtection, "x-xsrf-token", "required"),
    (.missingRoute, "x-amzn-errortype", "missingauthenticationtoken"),
    (.authentication, "www-authenticate", ""), (.authentication, "proxy-authenticate", ""),
    (.authentication, "x-goog-iap-generated-response", ""), (.authentication, "x-amzn-errortype", "authentication"),
    (.authentication, "x-amzn-errortype", "unauthorized"), (.authentication, "x-amzn-errortype", "accessdenied"),
    (.authentication, "x-amzn-errortype", "forbidden"), (.botProtection, "server", "akamaighost"),
  ]

  private static func headerSign(_ exchange: ProbeExchange, onlyChallenges: Bool) -> Refusal? {
    for (cause, name, part) in challengeHeaders + (onlyChallenges ? [] : headers) {
      guard let value = exchange.header(name), part.isEmpty || value.lowercased().contains(part) else { continue }
      return Refusal(cause, "\(name): \(Redaction.shown(value))")
    }
    return nil
  }

  /// The causes of statuses with one meaning, whatever the text is.
  private static func plainCause(_ status: Int?) -> Refusal? {
    switch status {
    case 401, 407: Refusal(.authentication)
    case 413, 414, 431: Refusal(.size)
    case 415: Refusal(.mediaType)
    case 419: Refusal(.forgeryProtection)
    case 421: Refusal(.hostName)
    case 429: Refusal(.rateLimit)
    case 451: Refusal(.address)
    case 495, 496: Refusal(.clientCertificate)
    default: nil
    }
  }

  private static func generalCause(_ status: Int?) -> Refusal? {
    switch status {
    case 403: Refusal(.prohibition)
    case 406: Refusal(.acceptHeader)
    case 400, 409, 422: Refusal(.validation)
    case 502, 503, 504: Refusal(.gateway)
    case .some(520..<531): Refusal(.gateway)
    case .some(500..<600): Refusal(.exception)
    default: nil
    }
  }
}

/// The texts of a response that show why it refuses a request.
private struct ResponseText {
  /// What is shown to a person, in the order of its weight: the title and the first paragraph, or the beginning of the body.
  private let parts: [(name: String, text: String)]
  /// The beginning of the body, in lower case.
  private let source: String
  private let isPage: Bool

  init(_ exchange: ProbeExchange) {
    let body = String(decoding: exchange.body.prefix(32_768), as: UTF8.self)
    source = body.lowercased()
    if let page = PageText(exchange) {
      isPage = true
      parts = [("title", page.title), ("text", page.paragraph)]
    } else {
      isPage = false
      parts = [("body", String(body.prefix(2_000)))]
    }
  }

  /// Parts of the markup with which products for bot protection answer.
  private static let marks = [
    "_incapsula_resource", "px-captcha", "geo.captcha-delivery.com", "awswafintegration",
    "token.awswaf.com", "errors.edgesuite.net", "ddos-guard", "/_vercel/security",
  ]

  /// The sign in the markup of a page, whatever its status is.
  var markSign: Refusal? {
    guard isPage, let mark = Self.marks.first(where: source.contains) else { return nil }
    return Refusal(.botProtection, shown ?? mark)
  }

  /// The sign of a page with a challenge, whatever its status is.
  var signOfChallenge: Refusal? {
    guard isPage else { return nil }
    let title = parts[0].text.lowercased()
    let titles = [
      "just a moment", "attention required", "are you a robot", "human verification", "captcha", "checking your browser",
      "request rejected", "request blocked", "pardon our interruption", "page blocked", "access to this page has been denied",
      "to restrict access",
    ]
    return titles.contains(where: title.hasPhrase) ? Refusal(.botProtection, shown ?? "") : markSign
  }

  /// The sign of a form to log in.
  var signOfLogin: Refusal? {
    guard isPage else { return nil }
    let hasPassword = ["type=\"password\"", "type='password'", "type=password"].contains(where: source.contains)
    let title = parts[0].text.lowercased()
    let isLogin = ["log in", "login", "sign in", "signin", "access denied", "unauthorized", "forbidden"].contains(
      where: title.hasPhrase)
    guard hasPassword || isLogin else { return nil }
    return Refusal(.authentication, shown ?? "a form with a password")
  }

  /// The sign that a hosting service or tunnel has no application for the host.
  var signOfAbsence: String? {
    let words = [
      "no such app", "app not found", "application not found", "deployment not found", "tunnel", "default backend",
      "site not found", "github pages site",
    ]
    return parts.first { part in words.contains(where: part.text.lowercased().contains) }.map { Self.quoted($0.name, $0.text) }
  }

  /// Words that show a cause, in the order of their weight.
  private static let words: [(cause: Refusal.Cause, words: [String])] = [
    (.missingRoute, ["missing authentication token", "no route matched", "unable to identify proxy"]),
    (
      .forgeryProtection,
      [
        "csrf", "xsrf", "request forgery", "authenticity token", "authenticitytoken", "page expired", "antiforgery",
        "anti-forgery",
        // Rails in production.
        "the change you wanted was rejected",
      ]
    ),
    (
      .hostName,
      [
        "blocked host", "invalid host header", "disallowedhost", "is not allowed. to allow", "invalid http_host",
        "host not allowed",
        // Django in production.
        "bad request (400)",
      ]
    ),
    (.method, ["not configured to allow the http request method", "method not allowed", "methodnotallowed", "cannot post"]),
    (.clientCertificate, ["ssl certificate was sent", "client certificate", "certificate required"]),
    (
      .botProtection,
      [
        "just a moment", "attention required", "checking your browser", "you are human", "a robot", "automated", "captcha",
        "bot detect",
        "unusual traffic", "incapsula", "imperva", "perimeterx", "datadome", "requested url was rejected", "request rejected",
        "mod_security", "modsecurity", "not acceptable!", "you have been blocked", "application firewall", "security service",
        "enable javascript and cookies", "error code: 1010", "error code: 1020", "error 1005", "error 1006", "error 1007",
        "error 1008", "error 1009", "error 1010", "error 1012", "error 1015", "error 1020", "human verification", "support id",
        "bot protection",
        "website firewall", "has been limited", "reference #", "request could not be satisfied", "request blocked",
        "request is blocked", "page blocked", "attack id", "incident id", "to restrict access", "banned your access",
        "pardon our interruption", "you were a bot", "you are a bot", "press & hold", "are a human",
        "access to this page has been denied",
      ]
    ),
    (.rateLimit, ["rate limit", "ratelimit", "too many requests", "quota", "throttl"]),
    (.address, ["ip address", "your ip", "ip is", "your country", "your region", "your location", "geoblock"]),
    (
      .origin,
      [
        "origin not allowed", "origin is not", "invalid origin", "missing origin", "origin header", "referer", "referrer",
        "cors",
      ]
    ),
    (.userAgent, ["user agent", "user-agent", "useragent", "browser is not supported", "unsupported browser"]),
    (
      .authentication,
      [
        "log in", "login", "sign in", "signin", "authenticat", "unauthorized", "not authorized", "authorization", "api key",
        "apikey", "api-key", "api_key", "access token", "missing token", "invalid token", "credential",
        "password", "bearer",
        "permission",
      ]
    ),
    (.signature, ["signature", "jws", "hmac", "verification failed"]),
  ]

  /// Words that are also parts of others, such as "catalog index".
  private static let shortWords: Set = [
    "log in", "login", "sign in", "signin", "ip address", "your ip", "ip is", "quota", "cors",
  ]

  private static func isPart(_ word: String, of text: String) -> Bool {
    shortWords.contains(word) ? text.hasPhrase(word) : text.contains(word)
  }

  /// The sign in the text. Words in an error of the server are of its code, so only those about bots and hosts count.
  func sign(_ status: Int?) -> Refusal? {
    let isFailure = (status ?? 0) >= 500
    for (cause, words) in Self.words where !isFailure || [.botProtection, .hostName].contains(cause) {
      for part in parts {
        let text = part.text.lowercased()
        guard words.contains(where: { Self.isPart($0, of: text) }) else { continue }
        return Refusal(cause, Self.quoted(part.name, part.text))
      }
    }
    return nil
  }

  /// The title, or the text when there is none.
  private var shown: String? { parts.first { !$0.text.isEmpty }.map { Self.quoted($0.name, $0.text) } }

  private static func quoted(_ name: String, _ text: String) -> String {
    let line = Redaction.redacted(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    return "the \(name) \"\(line.count > 160 ? String(line.prefix(160)) + "…" : line)\""
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
