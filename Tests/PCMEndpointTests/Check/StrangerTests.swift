import PCMCore
import PCMNetwork
import Testing

@testable import PCMEndpoint

/// A response of software that strangers use, and a part of the remedy that it needs.
struct StrangerCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let status: Int
  var type = "text/html"
  var header = ""
  let body: String
  let fix: String

  init(_ name: String, _ status: Int, _ body: String, type: String = "text/html", header: String = "", fix: String) {
    (testDescription, self.status, self.body, self.type, self.header, self.fix) = (name, status, body, type, header, fix)
  }

  /// The response alone.
  var exchange: ProbeExchange {
    var exchange = ProbeExchange()
    take(&exchange)
    return exchange
  }

  func take(_ exchange: inout ProbeExchange) {
    exchange.take(.init(status: status, body: body, type: type))
    let parts = header.split(separator: ": ").map(String.init)
    if parts.count == 2 { exchange.headers = [.init(parts[0], parts[1])] }
  }

  private static let json = "application/json"
  private static let route = "Add a route for POST /.well-known/"
  private static let files = "serves only files"
  private static func page(_ title: String, _ text: String) -> String {
    "<html><head><title>\(title)</title></head><body>\(text)</body></html>"
  }

  static let all: [Self] = [
    Self("Express", 404, page("Error", "<pre>Cannot POST /.well-known/x/</pre>"), fix: route),
    Self("Fastify", 404, #"{"message":"Route POST:/.well-known/x/ not found","statusCode":404}"#, type: json, fix: route),
    Self(
      "Spring's page", 404,
      page("", "<h1>Whitelabel Error Page</h1><p>This application has no explicit mapping for /error.</p>"), fix: "Spring"),
    Self(
      "Spring", 404, #"{"timestamp":"x","status":404,"error":"Not Found","path":"/.well-known/x/"}"#, type: json, fix: "Spring"),
    Self("Rails", 404, page("Action Controller: Exception caught", "<p>No route matches [POST] \"/x\"</p>"), fix: route),
    Self("Rails in production", 404, page("The page you were looking for doesn't exist (404)", ""), fix: route),
    Self("Django", 404, page("Page not found at /x", "<p>Using the URLconf defined in shop.urls"), fix: route),
    Self("Flask", 404, page("404 Not Found", "<p>The requested URL was not found on the server. If you entered"), fix: route),
    Self("FastAPI", 404, #"{"detail":"Not Found"}"#, type: json, fix: route),
    Self("Go", 404, "404 page not found\n", type: "text/plain", fix: route),
    Self("Tomcat", 404, page("HTTP Status 404 – Not Found", "<p>The origin server did not find"), fix: route),
    Self("Symfony", 404, page("No route found for \"POST /x\"", ""), fix: route),
    Self(
      "Laravel", 405, #"{"message":"The POST method is not supported for route x. Supported methods: GET, HEAD."}"#, type: json,
      fix: route),
    Self("API Gateway, HTTP", 404, #"{"message":"Not Found"}"#, type: json, header: "apigw-requestid: x", fix: "API Gateway"),
    Self("Envoy", 404, "", header: "server: istio-envoy", fix: "to the gateway"),
    Self(
      "nginx", 405, page("405 Not Allowed", "<center><h1>405 Not Allowed</h1></center><hr><center>nginx</center>"), fix: files),
    Self(
      "nginx without a file", 404,
      page("404 Not Found", "<center><h1>404 Not Found</h1></center><hr><center>nginx/1.24</center>"), fix: files),
    Self(
      "Apache", 404, page("404 Not Found", "<h1>Not Found</h1><p>The requested URL was not found on this server.</p>"),
      fix: files),
    Self(
      "Apache without POST", 405, page("405 Method Not Allowed", "<p>The requested method POST is not allowed for this URL."),
      fix: files),
    Self("IIS", 405, page("405 - HTTP verb used to access this page is not allowed.", ""), fix: "WebDAV"),
    Self("IIS without a file", 404, page("404 - File or directory not found.", ""), fix: files),
    Self(
      "S3", 405, "<Error><Code>MethodNotAllowed</Code></Error>", type: "application/xml", header: "Server: AmazonS3", fix: files
    ),
    Self(
      "S3, private", 403, "<Error><Code>AccessDenied</Code></Error>", type: "application/xml", header: "Server: AmazonS3",
      fix: files),
    Self("Vercel", 405, "", header: "server: Vercel", fix: files),
    Self("Vercel without a file", 404, "NOT_FOUND", type: "text/plain", header: "x-vercel-error: NOT_FOUND", fix: files),
    Self("Netlify", 404, page("Page not found", ""), header: "server: Netlify", fix: files),
    Self("GitHub Pages", 405, page("405 Not Allowed", ""), header: "server: GitHub.com", fix: files),
    Self("Workers", 404, page("There is nothing here yet", ""), header: "server: cloudflare", fix: "Start the application"),
    Self(
      "Heroku without dynos", 503, page("Application Error", "<iframe src=//www.herokucdn.com/error-pages/no-dynos.html>"),
      fix: "Start the application"),
    Self(
      "API Gateway with a failing function", 502, #"{"message":"Internal server error"}"#, type: json,
      header: "x-amzn-errortype: InternalServerErrorException", fix: "function"),
    Self("Cloudflare's origin without TLS", 525, page("ads.example | 525: SSL handshake failed", ""), fix: "certificate"),
    Self("Cloudflare's origin certificate", 526, "error code: 526", type: "text/plain", fix: "certificate"),
    Self("Cloudflare without an origin", 530, "error code: 1016", type: "text/plain", fix: "address"),
    Self("Cloudflare, unknown error", 520, "error code: 520", type: "text/plain", fix: "Start the application"),
    Self("nginx, HTTP to TLS", 400, page("400 The plain HTTP request was sent to HTTPS port", ""), fix: "https to the server"),
    Self("a suspended account", 402, "Payment required", type: "text/plain", fix: "account"),
    Self("a body without a length", 411, page("411 Length Required", ""), fix: "Content-Length"),
    Self("a forgery token with 200", 200, #"{"error":"invalid csrf token"}"#, type: json, fix: "@csrf_exempt"),
    Self("a missing route with 200", 200, "Cannot POST /x", type: "text/plain", fix: route),
    Self("a gateway with 200", 200, #"{"message":"Missing Authentication Token"}"#, type: json, fix: "API Gateway"),
    Self("gRPC", 200, "", type: "application/grpc", header: "grpc-status: 12", fix: route),
  ]
}

@Suite("Responses of software that strangers use")
struct StrangerTests {
  @Test("The remedy is that of the software, and one rule fails", arguments: StrangerCase.all)
  func remedy(_ stranger: StrangerCase) async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in
      if request.isReport, exchange.httpStatus == 200 { stranger.take(&exchange) }
    }
    let report = try await checkup.run()
    #expect(report.failed.count == 1, "\(report.failures)")
    let finding = try #require(report.findings.first { if case .failed = $0.verdict { true } else { false } })
    #expect(finding.fix.contains(stranger.fix), "\(finding.fix)")
    #expect(finding.fix.hasSuffix("."), "\(finding.fix)")
  }
}
