import PCMCore
import PCMNetwork

/// The table of evidence, and the remedies.
extension Refusal {
  typealias Statuses = [ClosedRange<Int>]

  private static let any: Statuses = [0...999]
  /// The statuses with which products for protection stop a request.
  private static let stopped: Statuses = [401...401, 403...403, 407...407, 503...503]
  /// The statuses of an endpoint that does not like the message.
  private static let refused: Statuses = [400...403, 406...409, 411...499]
  private static let failed: Statuses = [400...403, 406...409, 411...499, 500...500, 502...599]
  /// The statuses of a path or method without a route.
  private static let unrouted: Statuses = [404...405, 410...410, 501...501]

  /// The signs in the order of their weight: the first one that a response shows decides.
  static let table: [(statuses: Statuses, sign: RefusalSign, cause: Cause)] = [
    // Products for protection answer also with a 2xx status. ngrok's page for browsers depends on the user agent.
    (any, .header("cf-mitigated"), .botProtection), (any, .header("x-amzn-waf-action"), .botProtection),
    (any, .header("x-vercel-mitigated"), .botProtection), (any, .header("x-sucuri-block"), .botProtection),
    (any, .header("x-kpsdk-ct"), .botProtection), (any, .header("ngrok-error-code", "6024"), .botProtection),
    // They also send some headers with each response when the endpoint itself answers.
    (stopped, .header("x-dd-b"), .botProtection), (stopped, .header("x-datadome"), .botProtection),
    (stopped, .header("x-px-block"), .botProtection), (stopped, .header("server", "ddos-guard"), .botProtection),
    (stopped, .header("x-csrf-token", "required"), .forgeryProtection),
    (stopped, .header("x-xsrf-token", "required"), .forgeryProtection),
    (stopped, .header("x-amzn-errortype", "missingauthenticationtoken"), .missingRoute),
    (stopped, .header("www-authenticate"), .authentication), (stopped, .header("proxy-authenticate"), .authentication),
    (stopped, .header("x-goog-iap-generated-response"), .authentication),
    (stopped, .header("x-amzn-errortype", "authentication"), .authentication),
    (stopped, .header("x-amzn-errortype", "unauthorized"), .authentication),
    (stopped, .header("x-amzn-errortype", "accessdenied"), .authentication),
    (stopped, .header("x-amzn-errortype", "forbidden"), .authentication),
    (stopped, .header("server", "akamaighost"), .botProtection), (stopped, .header("server", "amazons3"), .files),
    (any, .markup(challengeMarks), .botProtection), (any, .title(challengeTitles), .botProtection),
    ([200...299], .markup(["type=\"password\"", "type='password'", "type=password"]), .authentication),
    (
      [200...299], .title(["log in", "login", "sign in", "signin", "access denied", "unauthorized", "forbidden"]),
      .authentication
    ),
    (
      [300...399],
      .location(["login", "signin", "sign-in", "sign_in", "/auth/", "/auth?", "/authorize", "/sso", "oauth", "saml"]),
      .authentication
    ),
    // A path without a route, and hosting services without an application.
    ([404...404], .header("x-vercel-error", "deployment"), .absence), ([404...404], .header("ngrok-error-code"), .absence),
    (
      [404...404],
      .text([
        "no such app", "app not found", "application not found", "deployment not found", "tunnel", "default backend",
        "site not found", "github pages site", "there is nothing here yet",
      ]), .absence
    ),
    (
      unrouted + refused, .text(["missing authentication token", "no route matched", "unable to identify proxy"]), .missingRoute
    ),
    (unrouted, .header("apigw-requestid"), .missingRoute), (unrouted, .header("server", "envoy"), .missingRoute),
    (unrouted, .header("server", "amazons3"), .files), (unrouted, .header("x-vercel-error", "not_found"), .files),
    (unrouted, .header("server", "vercel"), .files), (unrouted, .header("server", "netlify"), .files),
    (unrouted, .header("server", "github.com"), .files),
    (unrouted + refused, .text(handlerTexts), .missingHandler), (unrouted, .header("grpc-status", "12"), .missingHandler),
    (unrouted, .markup(["whitelabel error page"]), .missingHandler),
    (unrouted, .text(["not configured to allow the http request method"]), .method),
    (
      unrouted,
      .text([
        "nginx", "apache", "was not found on this server", "http verb", "file or directory not found", "methodnotallowed",
        "method post is not allowed", "unsupportedhttpverb",
      ]), .files
    ),
    // Statuses with one meaning, whatever the text is.
    ([401...401, 407...407], .status, .authentication), ([402...402], .status, .account), ([411...411], .status, .length),
    ([413...414, 431...431], .status, .size), ([415...415], .status, .mediaType), ([419...419], .status, .forgeryProtection),
    ([421...421], .status, .hostName), ([429...429], .status, .rateLimit), ([451...451], .status, .address),
    ([495...496], .status, .clientCertificate),
    // Words. In an error of the server, they are of its code, so only those about bots and hosts count.
    (
      refused,
      .text([
        "csrf", "xsrf", "request forgery", "authenticity token", "authenticitytoken", "page expired", "antiforgery",
        "anti-forgery", "the change you wanted was rejected",
      ]), .forgeryProtection
    ),
    (
      failed,
      .text([
        "blocked host", "invalid host header", "disallowedhost", "is not allowed. to allow", "invalid http_host",
        "host not allowed", "bad request (400)",
      ]), .hostName
    ),
    (refused, .text(["plain http request was sent to https"]), .plainProxy),
    (
      refused, .text(["not configured to allow the http request method", "method not allowed", "methodnotallowed"]), .method
    ),
    (refused, .text(["ssl certificate was sent", "client certificate", "certificate required"]), .clientCertificate),
    ([530...530], .text(["1016"]), .originAddress), (failed, .text(challengeTitles + botTexts), .botProtection),
    (refused, .text(["rate limit", "ratelimit", "too many requests", "quota", "throttl"]), .rateLimit),
    (
      refused, .text(["ip address", "your ip", "ip is", "your country", "your region", "your location", "geoblock"]), .address
    ),
    (
      refused,
      .text([
        "origin not allowed", "origin is not", "invalid origin", "missing origin", "origin header", "referer", "referrer",
        "cors",
      ]), .origin
    ),
    (
      refused, .text(["user agent", "user-agent", "useragent", "browser is not supported", "unsupported browser"]), .userAgent
    ),
    (
      refused,
      .text([
        "log in", "login", "sign in", "signin", "authenticat", "unauthorized", "not authorized", "authorization", "api key",
        "apikey", "api-key", "api_key", "access token", "missing token", "invalid token", "credential", "password", "bearer",
        "permission",
      ]), .authentication
    ),
    (refused, .text(["signature", "jws", "hmac", "verification failed"]), .signature),
    ([403...403], .status, .prohibition), ([406...406], .status, .acceptHeader),
    ([400...400, 409...409, 422...422], .status, .validation),
    ([500...500, 502...502], .header("x-amzn-errortype"), .function), ([525...526], .status, .originTLS),
    ([523...523], .status, .originAddress),
    ([503...503], .status, .maintenance),
    ([502...502, 504...504, 520...530], .status, .gateway), ([500...500, 505...519, 531...599], .status, .exception),
  ]

  /// Parts of the markup with which products for bot protection answer.
  private static let challengeMarks = [
    "_incapsula_resource", "px-captcha", "geo.captcha-delivery.com", "awswafintegration", "token.awswaf.com",
    "errors.edgesuite.net", "ddos-guard", "/_vercel/security",
  ]

  private static let challengeTitles = [
    "just a moment", "attention required", "are you a robot", "human verification", "captcha", "checking your browser",
    "request rejected", "request blocked", "pardon our interruption", "page blocked", "access to this page has been denied",
    "to restrict access",
  ]

  private static let botTexts = [
    "you are human", "a robot", "automated", "bot detect", "unusual traffic", "incapsula", "imperva", "perimeterx", "datadome",
    "requested url was rejected", "mod_security", "modsecurity", "not acceptable!", "you have been blocked",
    "application firewall", "security service", "enable javascript and cookies", "error code: 1010", "error code: 1020",
    "error 1005", "error 1006", "error 1007", "error 1008", "error 1009", "error 1010", "error 1012", "error 1015",
    "error 1020", "support id", "bot protection", "website firewall", "has been limited", "reference #",
    "request could not be satisfied", "request is blocked", "attack id", "incident id", "banned your access",
    "you were a bot", "you are a bot", "press & hold", "are a human",
  ]

  /// What frameworks answer for a path or method without a handler: Express, Fastify, Spring, Rails, Django, Flask, FastAPI, Go,
  /// Tomcat, Symfony, and Laravel.
  private static let handlerTexts = [
    "cannot post", "route post", #""error":"not found","path":"#, "no route matches",
    "page you were looking for", "urlconf", "page not found at", "was not found on the server", #"{"detail":"not found"}"#,
    "404 page not found", "http status 404", "http status 405", "no route found", "post method is not supported",
    #""error":"method not allowed","path":"#,
  ]
}

extension Refusal {
  /// The remedies. The names in braces are replaced by words for reports or postbacks, and by values of the response.
  private static let fixes: [Cause: String] = [
    .botProtection:
      "Exempt the path from bot protection, with a rule for exactly this path in the firewall or content delivery network: "
      + "{senders} send {messages} without JavaScript and cookies, so they pass no challenge.",
    .forgeryProtection:
      "Exempt the path from the protection against cross-site request forgery (Django: @csrf_exempt; Rails: "
      + "skip_forgery_protection; Laravel: validateCsrfTokens(except:); Express: mount the route before the middleware): "
      + "{senders} send no cookies and no CSRF token.",
    .authentication:
      "Require no authentication at the path: {senders} send {messages} without credentials, API keys, and cookies. To detect "
      + "forged {messages}, {proof}.",
    .missingRoute:
      "Add a route for POST {path} to the gateway, with exactly this path, and deploy it: the gateway answers so when no route "
      + "matches. API Gateway also does when the route requires IAM, or when the stage is missing in the path: map the domain to "
      + "the stage.",
    .missingHandler:
      "Add a route for POST {path} to the application, with exactly this path: the framework answers so when no route matches. Many "
      + "distinguish the slash at the end (Spring from 3.0 on, Django, Flask, FastAPI, and Express with strict routing), and a proxy "
      + "must not remove it.",
    .files:
      "Pass POST {path} to the application: something that serves only files answers. Use proxy_pass or fastcgi_pass in a location of "
      + "nginx, ProxyPass in Apache, a handler for POST in IIS (remove WebDAV), a second origin in the content delivery network, or "
      + "a function and a rewrite of the path to it at the hosting service.",
    .absence:
      "Start the application, and map the domain to it: the hosting service, tunnel, or cluster has no application for {host}.",
    .clientCertificate: "Require no client certificate at the path: {senders} present none.",
    .hostName:
      "Add {host} to the host names that the server or framework accepts (Django: ALLOWED_HOSTS; Rails: config.hosts; Vite: "
      + "server.allowedHosts).",
    .method:
      "Accept POST at the path, also in the content delivery network or proxy before the endpoint: by default, many forward only "
      + "GET and HEAD.",
    .signature: "Require no signature of the request: browsers do not sign reports. Tokens are optional.",
    .mediaType: "Accept Content-Type: application/json without a charset, which is what {senders} send.",
    .acceptHeader: "Accept requests with Accept: */*, which is what {senders} send.",
    .rateLimit: "Do not limit the rate of {messages} by address: {senders} share addresses, and {repetition}.{wait}",
    .address:
      "Exempt the path from lists of addresses and countries: {senders} send {messages} from the networks of their users.",
    .origin: "Require neither Origin nor Referer at the path: {senders} send {messages} without them.",
    .userAgent: RequestVariant.userAgentFix,
    .size: "Accept bodies of up to 4 KiB and the usual headers: {messages} with all members have fewer than two.",
    .length: "Read the Content-Length of the request, and forward it in each proxy: {senders} send it with {messages}.",
    .account: "Check the account at the hosting service: it answers so when a payment or a limit of the plan stops the site.",
    .validation:
      "{place} what the endpoint finds invalid; the report is valid. Accept its members with these types, unknown members, and no "
      + "tokens. \(values)",
    .prohibition:
      "Find out what returns 403: authentication, protection against request forgery, bot protection, a list of addresses, or the "
      + "endpoint itself. Exempt the path: {senders} send {messages} without credentials and cookies.{values}",
    .exception: "Find the error of this request in the server's log, and return {good} for it: the request is valid.",
    .function:
      "Find the error of the function in its log, let the gateway call it, and return the gateway's format from it (API Gateway: "
      + "statusCode, headers, and body): {status} is the gateway's status for a function that fails.",
    .plainProxy: "Let the proxy use https to the server, or another port: it sent plain HTTP to a port that speaks TLS.",
    .originTLS:
      "Serve a valid certificate on the server behind the content delivery network, for this host: {status} is its status for an "
      + "origin whose TLS fails.",
    .originAddress:
      "Correct the address of the server in the content delivery network's DNS: {status} is its status for an origin that it does not "
      + "find.",
    .gateway:
      "Start the application behind the proxy, and check the proxy's address and timeout for it: {status} is the status of a proxy "
      + "without a response from the application.",
    .maintenance:
      "Start the application behind the proxy, and check the proxy's address and timeout for it: {status} is the status of a proxy "
      + "without a response from the application, or of a server under maintenance or load.",
  ]

  /// The remedies that differ for postbacks.
  private static let postbackFixes: [Cause: String] = [
    .signature:
      "Verify the postback as it arrived, with Apple's key for its version or kid: pcm-browser verify shows the signed text. Return "
      + "200 also for a postback that you do not count.",
    .validation:
      "{place} what the endpoint finds invalid; the postback is valid. Return 200 for every postback whose signature verifies, also "
      + "for unknown campaigns and apps.",
  ]

  /// For endpoints that accept only their own campaigns or shops.
  static let values =
    "If you accept only some campaigns or shops, specify one with --source-id, --trigger-data, --destination, or --source-site."

  func fix(_ context: CheckContext, _ exchange: ProbeExchange) -> String {
    let isReport = context.isAboutReports
    let words: [(name: String, word: String)] = [
      ("messages", isReport ? "reports" : "postbacks"), ("senders", isReport ? "browsers" : "devices"),
      ("proof", isReport ? "use tokens" : "verify Apple's signature"), ("good", isReport ? "2xx" : "200"),
      ("repetition", isReport ? "never send a report again" : "repeat a postback at most nine times"),
      ("values", isReport ? " " + Self.values : ""), ("path", context.options.requestPath), ("host", context.host),
      ("status", String(exchange.httpStatus ?? 503)),
      ("place", exchange.body.isEmpty ? "Find out in the endpoint's log" : "The response states"),
      (
        "wait",
        exchange.header("retry-after").map { " This response asks for a pause (Retry-After: \(Redaction.shown($0)))." } ?? ""
      ),
    ]
    let fix = (isReport ? nil : Self.postbackFixes[cause]) ?? Self.fixes[cause] ?? ""
    return words.reduce(fix) { $0.replacing("{\($1.name)}", with: $1.word) }
  }
}
