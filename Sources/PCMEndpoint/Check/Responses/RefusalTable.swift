extension Refusal {
  private static let any: Statuses = [0...999]
  /// The statuses with which security products block a request.
  private static let stopped: Statuses = [401...401, 403...403, 407...407, 503...503]
  /// The statuses with which an endpoint rejects a message.
  private static let refused: Statuses = [400...403, 406...409, 411...499]
  private static let failed: Statuses = refused + [500...500, 502...599]
  /// The statuses of a path or method without a route.
  private static let unrouted: Statuses = [404...405, 410...410, 501...501]

  /// The rows in the order of their weight: the first row with evidence in a response decides.
  static let table: [Row] = [
    // Security products also respond with a 2xx status. ngrok's page for browsers depends on the user agent.
    Row(
      .botProtection, any, .header,
      "cf-mitigated|x-amzn-waf-action|x-vercel-mitigated|x-sucuri-block|ngrok-error-code: 6024"),
    Row(.missingHandler, any, .header, "grpc-status: 12"),
    // The products also send these headers with responses of the endpoint.
    Row(.botProtection, stopped, .header, "x-dd-b|x-datadome|x-px-block|server: akamaighost"),
    Row(.forgeryProtection, stopped, .header, "x-csrf-token: required|x-xsrf-token: required"),
    Row(.missingRoute, stopped, .header, "x-amzn-errortype: missingauthenticationtoken"),
    Row(
      .authentication, stopped, .header,
      "www-authenticate|proxy-authenticate|x-goog-iap-generated-response|x-amzn-errortype: auth|x-amzn-errortype: unauth|"
        + "x-amzn-errortype: accessdenied|x-amzn-errortype: forbidden"),
    Row(.botProtection, any, .markup, "_incapsula_resource|px-captcha|captcha-delivery.com|awswaf|errors.edgesuite.net"),
    Row(.botProtection, any, .title, challengeTitles),
    Row(.authentication, [200...299], .markup, #"type="password"|type='password'|type=password"#),
    Row(.authentication, [200...299], .title, " log in | login | sign in | signin |access denied|unauthorized| forbidden "),
    Row(
      .authentication, [300...399], .location,
      "login|signin|sign-in|sign_in|/auth/|/auth?|/authorize|/sso|oauth|saml"),
    // A path without a route, and hosting services without an application.
    Row(.absence, [404...404], .header, "x-vercel-error: deployment|ngrok-error-code"),
    Row(
      .absence, [404...404], .text,
      "no such app|app not found|application not found|deployment not found|tunnel|default backend|site not found|"
        + "github pages site|there is nothing here yet"),
    Row(.missingRoute, unrouted + refused, .text, "missing authentication token|no route matched|unable to identify proxy"),
    Row(.missingRoute, unrouted, .header, "apigw-requestid|server: envoy"),
    Row(.files, stopped + unrouted, .header, "server: amazons3"),
    Row(.files, unrouted, .header, "x-vercel-error: not_found|server: vercel|server: netlify|server: github.com"),
    Row(.missingHandler, unrouted + refused, .text, handlerTexts),
    Row(.method, unrouted + refused, .text, "not configured to allow the http request method"),
    Row(
      .webServer, unrouted, .text,
      "nginx|apache|was not found on this server|http verb|file or directory not found|methodnotallowed|"
        + "method post is not allowed|unsupportedhttpverb"),
    // Statuses with a single meaning, regardless of the text.
    Row(.authentication, [401...401, 407...407]), Row(.account, [402...402]), Row(.length, [411...411]),
    Row(.size, [413...414, 431...431]), Row(.mediaType, [415...415]), Row(.forgeryProtection, [419...419]),
    Row(.hostName, [421...421]), Row(.rateLimit, [429...429]), Row(.address, [451...451]),
    Row(.clientCertificate, [495...496]),
    // Phrases. In a server error, they belong to its code, so only phrases about bots and hosts count.
    Row(
      .forgeryProtection, refused, .text,
      "csrf|xsrf|request forgery|authenticity token|authenticitytoken|page expired|antiforgery|anti-forgery|"
        + "the change you wanted was rejected"),
    Row(
      .hostName, failed, .text,
      "blocked host|invalid host header|disallowedhost|is not allowed. to allow|invalid http_host|host not allowed|"
        + "bad request (400)"),
    Row(.plainProxy, refused, .text, "plain http request was sent to https"),
    Row(.method, refused, .text, "method not allowed|methodnotallowed"),
    Row(.clientCertificate, refused, .text, "ssl certificate was sent|client certificate|certificate required"),
    Row(.originAddress, failed, .text, "error code: 1016"),
    Row(.botProtection, failed, .text, challengeTitles + "|" + botTexts),
    Row(.rateLimit, refused, .text, "rate limit|ratelimit|too many requests| quota |throttl"),
    Row(.address, refused, .text, " ip address | your ip | ip is |your country|your region|your location|geoblock"),
    Row(
      .origin, refused, .text,
      "origin not allowed|origin is not|invalid origin|missing origin|origin header|referer|referrer| cors "),
    Row(.userAgent, refused, .text, "user agent|user-agent|useragent|browser is not supported|unsupported browser"),
    Row(
      .authentication, refused, .text,
      " log in | login | sign in | signin |authenticat|unauthorized|not authorized|authorization|api key|apikey|api_key|"
        + "access token|missing token|invalid token|credential|password|bearer|permission"),
    Row(.signature, refused, .text, "signature|jws|hmac|verification failed"),
    // For other responses, only the status is known.
    Row(.prohibition, [403...403]), Row(.acceptHeader, [406...406]), Row(.validation, [400...400, 409...409, 422...422]),
    Row(.function, [500...500, 502...502], .header, "x-amzn-errortype"), Row(.originTLS, [525...526]),
    Row(.originAddress, [523...523]), Row(.gateway, [502...504, 520...530]), Row(.exception, [500...500, 505...599]),
  ]

  /// The headers that show a cause.
  static let headerNames = Set(
    table.filter { $0.place == .header }.flatMap { $0.phrases.map { String($0.prefix { $0 != ":" }) } })

  private static let challengeTitles =
    "just a moment|attention required|are you a robot|human verification|captcha|checking your browser|request rejected|"
    + "request blocked|pardon our interruption|page blocked|access to this page has been denied|to restrict access"

  private static let botTexts =
    "you are human|a robot|automated|bot detect|unusual traffic|incapsula|imperva|requested url was rejected|mod_security|"
    + "modsecurity|not acceptable!|you have been blocked|application firewall|security service|enable javascript and cookies|"
    + "error code: 1010|error code: 1020|error 1005|error 1006|error 1007|error 1008|error 1009|error 1010|error 1012|"
    + "error 1015|error 1020|support id|bot protection|website firewall|reference #|request could not be satisfied|"
    + "request is blocked|attack id|incident id|banned your access|you were a bot|you are a bot|press & hold|are a human"

  /// The responses of frameworks for a path or a method without a handler.
  private static let handlerTexts =
    #"cannot post|route post|"error":"not found","path":|no route matches|page you were looking for|urlconf|page not found at|"#
    + #"was not found on the server|{"detail":"not found"}|404 page not found|http status 404|http status 405|no route found|"#
    + #"post method is not supported|"error":"method not allowed","path":|no explicit mapping for"#
}

extension Refusal.Cause {
  static let botProtection = Self(
    "Exempt the path from bot protection, with a rule for exactly this path in the firewall or content delivery network: "
      + "{senders} send {messages} without JavaScript and cookies, so they pass no challenge.")
  static let forgeryProtection = Self(
    "Exempt the path from the protection against cross-site request forgery (Django: @csrf_exempt; Rails: "
      + "skip_forgery_protection; Laravel: validateCsrfTokens(except:); Express: mount the route before the middleware): "
      + "{senders} send no cookies and no CSRF token.")
  static let authentication = Self(
    "Require no authentication at the path: {senders} send {messages} without credentials, API keys, and cookies. To detect "
      + "forged {messages}, {proof}.")
  static let clientCertificate = Self("Require no client certificate at the path: {senders} present none.")
  static let missingRoute = Self(
    "Add a route for POST {path} to the gateway, with exactly this path, and deploy it: the gateway answers so when no route "
      + "matches. API Gateway also does when the route requires IAM, or when the stage is missing in the path: map the domain "
      + "to the stage.")
  static let missingHandler = Self(
    "Add a route for POST {path} to the application, with exactly this path: the framework answers so when no route matches. "
      + "Many distinguish the slash at the end (Spring from 3.0 on, Django, Flask, FastAPI, and Express with strict routing), "
      + "and a proxy must not remove it.")
  static let webServer = Self(
    "Pass POST {path} to the application: the web server answers itself, as if it serves only files. Use proxy_pass or "
      + "fastcgi_pass in a location of nginx, ProxyPass in Apache, or a handler for POST in IIS (remove WebDAV).{dots}")
  static let files = Self(
    "Pass POST {path} to the application: the hosting service serves only files there. Add a second origin in the content "
      + "delivery network, or a function and a rewrite of the path to it.")
  static let absence = Self(
    "Start the application, and map the domain to it: the hosting service, tunnel, or cluster has no application for {host}.")
  static let hostName = Self(
    "Add {host} to the host names that the server or framework accepts (Django: ALLOWED_HOSTS; Rails: config.hosts; Vite: "
      + "server.allowedHosts).")
  static let method = Self(
    "Accept POST at the path, also in the content delivery network or proxy before the endpoint: by default, many forward only "
      + "GET and HEAD.")
  static let signature = Self(
    "Require no signature of the request: browsers do not sign reports. Tokens are optional.",
    postbacks:
      "Verify the postback as it arrived, with Apple's key for its version or kid: pcm-browser verify shows the signed "
      + "text. Return 200 also for a postback that you do not count.")
  static let mediaType = Self("Accept Content-Type: application/json without a charset, which is what {senders} send.")
  static let acceptHeader = Self("Accept requests with Accept: */*, which is what {senders} send.")
  static let rateLimit = Self(
    "Do not limit the rate of {messages} by address: {senders} share addresses, and {repetition}.{wait}")
  static let address = Self(
    "Exempt the path from lists of addresses and countries: {senders} send {messages} from the networks of their users.")
  static let origin = Self("Require neither Origin nor Referer at the path: {senders} send {messages} without them.")
  static let userAgent = Self(
    "Ignore User-Agent at the path, also in bot filters: {messages} do not have a page's user agent.")
  static let size = Self("Accept bodies of up to 4 KiB and the usual headers: {messages} with all members have fewer than two.")
  static let length = Self(
    "Read the Content-Length of the request, and forward it in each proxy: {senders} send it with {messages}.")
  static let account = Self(
    "Check the account at the hosting service: it answers so when a payment or a limit of the plan stops the site.")
  static let validation = Self(
    "{place} what the endpoint finds invalid; the report is valid. Accept its members with these types, unknown members, and no "
      + "tokens. \(Refusal.values)",
    postbacks: "{place} what the endpoint finds invalid; the postback is valid. Return 200 for every postback whose signature "
      + "verifies, also for unknown campaigns and apps.")
  /// The cause of status 403 without a reason.
  static let prohibition = Self(
    "Find out what returns 403: authentication, protection against request forgery, bot protection, a list of addresses, or the "
      + "endpoint itself. Exempt the path: {senders} send {messages} without credentials and cookies.{values}")
  static let exception = Self(
    "Find the error of this request in the server's log, and return {good} for it: the request is valid.")
  static let function = Self(
    "Find the error of the function in its log, let the gateway call it, and return the gateway's format from it (API Gateway: "
      + "statusCode, headers, and body): {status} is the gateway's status for a function that fails.")
  static let plainProxy = Self(
    "Let the proxy use https to the server, or another port: it sent plain HTTP to a port that speaks TLS.")
  static let originTLS = Self(
    "Serve a valid certificate on the server behind the content delivery network, for this host: {status} is its status for an "
      + "origin whose TLS fails.")
  static let originAddress = Self(
    "Correct the address of the server in the content delivery network's DNS: {status} is its status for an origin that it does "
      + "not find.")
  static let gateway = Self(
    "Start the application behind the proxy, and check the proxy's address and timeout for it: {status} is the status of a proxy "
      + "without a response from the application, or of a server under maintenance or load.")
}

extension Refusal {
  /// The remedy for endpoints that accept only their own campaigns or shops.
  static let values =
    "If you accept only some campaigns or shops, specify one with --source-id, --trigger-data, --destination, or --source-site."
}
