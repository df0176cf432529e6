import PCMDelivery

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
    let text = ResponseText(exchange)
    // Products for protection send some headers with each response, also when the endpoint itself answers.
    let isAnsweredByEndpoint = ![401, 403, 407, 503].contains(exchange.httpStatus ?? 0)
    if let (cause, sign) = Self.headerSign(exchange, onlyChallenges: isAnsweredByEndpoint) ?? text.markSign {
      (self.cause, self.sign) = (cause, sign)
    } else if let cause = Self.plainCause(exchange.httpStatus) {
      (self.cause, sign) = (cause, nil)
    } else if let (cause, sign) = text.sign(exchange.httpStatus) {
      (self.cause, self.sign) = (cause, sign)
    } else if let cause = Self.generalCause(exchange.httpStatus) {
      (self.cause, sign) = (cause, nil)
    } else {
      return nil
    }
  }

  /// Returns the challenge that a response is, also with a 2xx status.
  static func challenge(in exchange: ProbeExchange) -> Refusal? {
    let found = headerSign(exchange, onlyChallenges: true) ?? ResponseText(exchange).signOfChallenge
    return found.map { Refusal($0.0, $0.1) }
  }

  /// Returns the form to log in that a response is, also with a 2xx status.
  static func login(in exchange: ProbeExchange) -> Refusal? {
    ResponseText(exchange).signOfLogin.map { Refusal($0.0, $0.1) }
  }

  /// Returns the refusal of a hosting service or tunnel that has no application for the host; nil for other responses.
  static func absence(of exchange: ProbeExchange) -> Refusal? {
    guard exchange.httpStatus == 404 else { return nil }
    let isMarked =
      exchange.header("ngrok-error-code") != nil
      || exchange.header("x-vercel-error")?.uppercased().contains("DEPLOYMENT") ?? false
    return isMarked ? Refusal(.gateway, nil) : ResponseText(exchange).signOfAbsence.map { Refusal(.gateway, $0) }
  }

  static let authentication = Refusal(.authentication, nil)

  private init(_ cause: Cause, _ sign: String?) { (self.cause, self.sign) = (cause, sign) }

  /// A header whose presence, or whose value with a given part, shows a cause.
  private struct HeaderSign {
    let cause: Cause
    let name: String
    var part = ""
    /// Whether it means that this request was stopped, so that it counts with a 2xx status, too.
    var isChallenge = false
  }

  private static let headerSigns = [
    HeaderSign(cause: .botProtection, name: "cf-mitigated", isChallenge: true),
    HeaderSign(cause: .botProtection, name: "x-amzn-waf-action", isChallenge: true),
    HeaderSign(cause: .botProtection, name: "x-vercel-mitigated", isChallenge: true),
    HeaderSign(cause: .botProtection, name: "x-sucuri-block", isChallenge: true),
    HeaderSign(cause: .botProtection, name: "x-kpsdk-ct", isChallenge: true),
    // ngrok's page for browsers, which it recognizes by the user agent.
    HeaderSign(cause: .botProtection, name: "ngrok-error-code", part: "6024", isChallenge: true),
    HeaderSign(cause: .botProtection, name: "x-dd-b"),
    HeaderSign(cause: .botProtection, name: "x-datadome"),
    HeaderSign(cause: .botProtection, name: "x-px-block"),
    HeaderSign(cause: .botProtection, name: "server", part: "ddos-guard"),
    HeaderSign(cause: .forgeryProtection, name: "x-csrf-token", part: "required"),
    HeaderSign(cause: .forgeryProtection, name: "x-xsrf-token", part: "required"),
    HeaderSign(cause: .authentication, name: "www-authenticate"),
    HeaderSign(cause: .authentication, name: "proxy-authenticate"),
    HeaderSign(cause: .authentication, name: "x-goog-iap-generated-response"),
    HeaderSign(cause: .authentication, name: "x-amzn-errortype", part: "authentication"),
    HeaderSign(cause: .authentication, name: "x-amzn-errortype", part: "unauthorized"),
    HeaderSign(cause: .authentication, name: "x-amzn-errortype", part: "accessdenied"),
    HeaderSign(cause: .authentication, name: "x-amzn-errortype", part: "forbidden"),
    HeaderSign(cause: .botProtection, name: "server", part: "akamaighost"),
  ]

  private static func headerSign(_ exchange: ProbeExchange, onlyChallenges: Bool = false) -> (Cause, String)? {
    for sign in headerSigns where sign.isChallenge || !onlyChallenges {
      guard let value = exchange.header(sign.name), sign.part.isEmpty || value.lowercased().contains(sign.part) else {
        continue
      }
      return (sign.cause, "\(sign.name): \(Redaction.shown(value))")
    }
    return nil
  }

  /// The causes of statuses with one meaning, whatever the text is.
  private static func plainCause(_ status: Int?) -> Cause? {
    switch status {
    case 401, 407: .authentication
    case 413, 414, 431: .size
    case 415: .mediaType
    case 419: .forgeryProtection
    case 421: .hostName
    case 429: .rateLimit
    case 451: .address
    case 495, 496: .clientCertificate
    default: nil
    }
  }

  private static func generalCause(_ status: Int?) -> Cause? {
    switch status {
    case 403: .prohibition
    case 406: .acceptHeader
    case 400, 409, 422: .validation
    case 502, 503, 504: .gateway
    case .some(520..<531): .gateway
    case .some(500..<600): .exception
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
  var markSign: (Refusal.Cause, String)? {
    guard isPage, let mark = Self.marks.first(where: source.contains) else { return nil }
    return (.botProtection, shown ?? mark)
  }

  /// The sign of a page with a challenge, whatever its status is.
  var signOfChallenge: (Refusal.Cause, String)? {
    guard isPage else { return nil }
    let title = parts[0].text.lowercased()
    let titles = [
      "just a moment", "attention required", "are you a robot", "human verification", "captcha", "checking your browser",
      "request rejected", "request blocked", "pardon our interruption", "page blocked", "access to this page has been denied",
      "to restrict access",
    ]
    return titles.contains(where: title.hasPhrase) ? (.botProtection, shown ?? "") : markSign
  }

  /// The sign of a form to log in.
  var signOfLogin: (Refusal.Cause, String)? {
    guard isPage else { return nil }
    let hasPassword = ["type=\"password\"", "type='password'", "type=password"].contains(where: source.contains)
    let title = parts[0].text.lowercased()
    let isLogin = ["log in", "login", "sign in", "signin", "access denied", "unauthorized", "forbidden"].contains(
      where: title.hasPhrase)
    guard hasPassword || isLogin else { return nil }
    return (.authentication, shown ?? "a form with a password")
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
  func sign(_ status: Int?) -> (Refusal.Cause, String)? {
    let isFailure = (status ?? 0) >= 500
    for (cause, words) in Self.words where !isFailure || [.botProtection, .hostName].contains(cause) {
      for part in parts {
        let text = part.text.lowercased()
        guard words.contains(where: { Self.isPart($0, of: text) }) else { continue }
        return (cause, Self.quoted(part.name, part.text))
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
