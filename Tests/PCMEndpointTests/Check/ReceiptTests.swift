import PCMCore
import PCMNetwork
import Testing

@testable import PCMEndpoint

@Suite("Whether a response shows that a message was received")
struct ReceiptTests {
  static let pages: [GoodEndpoint.Answer] = [
    .page, .init(body: "<html><head><title>Shop</title></head></html>", type: "text/html; charset=utf-8"),
    .init(body: "<HTML><BODY>It works", type: "TEXT/HTML"), .init(body: "<!DOCTYPE html><p>Hi", type: "text/plain"),
    .init(body: "Hello", type: "text/html"), .init(body: "<html xmlns='x'/>", type: "application/xhtml+xml"),
  ]

  @Test("A page at every path fails, for all kinds, before other findings", arguments: pages)
  func catchAll(_ page: GoodEndpoint.Answer) async throws {
    for framework in AdFramework.allCases {
      var checkup = try PostbackCheckup(framework)
      checkup.change = { request, _, exchange in if !request.isHandshake { exchange.take(page) } }
      let report = try await checkup.run().report
      #expect(report.grade == .fail && report.failed == ["postback-is-received"], "\(report.failures)")
    }
    var checkup = try Checkup()
    checkup.options.nonces = .none
    checkup.options.pixel = nil
    checkup.change = { request, _, exchange in if !request.isHandshake { exchange.take(page) } }
    let report = try await checkup.run()
    #expect(report.grade == .fail && report.failed == ["report-is-received"], "\(report.failures)")
    #expect(report.failures.contains("GET at the path of reports received the same"), "\(report.failures)")
    let finding = try #require(report.findings.first { $0.rule.id == "report-is-received" })
    #expect(finding.evidence.count == 4)
  }

  @Test(
    "A body that states an error is not a receipt",
    arguments: [
      #"{"error":"not found"}"#, #"{"errors":[{"code":7}]}"#, #"{"success":false}"#, #"{"success":"false"}"#,
      #"{"status":false}"#, #"{"result":false}"#, #"{"ok": false}"#, #"{"status":404}"#,
      #"{"statusCode":"403"}"#, #"{"status":"error"}"#, #"{"status":"FAILED"}"#, #"{"message":"Missing Authentication Token"}"#,
      #"{"error_code":"E_NO_ROUTE"}"#, #"{"result":"not_found"}"#, "Not Found", "error: no such route", "Cannot POST /x",
      "<s:Envelope><s:Body><s:Fault><faultcode>s:Client</faultcode></s:Fault></s:Body></s:Envelope>",
      #"<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>"#,
      "<br />\n<b>Fatal error</b>:  Uncaught Error in /srv/report.php on line 3<br />",
      "<html><head><title>404 Not Found</title></head><body>nginx</body></html>",
      #"{"errcode":-1}"#, #"{"errcode":40013,"errmsg":"invalid appid"}"#, #"{"code":40001}"#, #"{"code":-1,"data":null}"#,
      #"{"code":"50000"}"#, #"{"code":"AUTH_FAILED"}"#, #"{"status":"NOT_OK"}"#, #"{"status":"nok"}"#, #"{"stat":"fail"}"#,
      #"{"meta":{"code":403}}"#, #"{"Response":{"Error":{"Code":"InvalidParameter"}}}"#, #"{"header":{"resultCode":"-7"}}"#,
      #"[{"errorCode":"INVALID_SESSION_ID"}]"#, #"{"failed":true}"#, #"{"succ":0}"#, #"{"type":"error","id":7}"#,
      #"{"result":-1}"#,
      #"{"message":"Unable to route the request"}"#, #"{"msg":"Internal Server Error"}"#, "false", #""error""#, "FAIL", "-1",
      "PHP Fatal error:  Uncaught Error: Call to undefined function", "report\nTraceback (most recent call last):\n  File",
      "java.lang.NullPointerException\n\tat app.Report", "TypeError: Cannot read properties of undefined",
      "<response><status>error</status></response>", #"<rsp stat="fail"/>"#, "<result><code>500</code></result>",
      "status=error&code=5", "success: false", #"callback({"errcode":-1})"#, #"while(1);{"success":false}"#,
      #"{"resultCode":"E1001"}"#, #"{"success":"N"}"#, #"{"ret":1,"message":"param error"}"#, "0",
      #"Warning: Undefined array key "x" in /var/www/a.php on line 3"#, #"{"code":"A0400"}"#, #"{"ok":"no"}"#,
      "<errors><error id='7'><text>x</text></error></errors>", #"{"errors":[{"status":"404","title":"Not found"}]}"#,
      #"{"data":null,"errors":[{"message":"Cannot query field"}]}"#, #"{"message":"The route could not be found."}"#,
      "<html><head><title>Shop | Page not found</title></head><body>x</body></html>", "HTTP Status 404 - Not Found",
      #"{"type":"about:blank","title":"Bad Request","detail":"Failed to read request"}"#, "Sorry, something went wrong.",
      #"{"errorMessage":"Task timed out","errorType":"Sandbox.Timedout"}"#, "org.acme.QueueException: the queue is full",
      "<br />\n<b>Notice</b>:  Undefined variable: x in <b>/srv/a.php</b> on line <b>3</b><br />\n{\"status\":\"ok\"}", "NG",
      #"{"error":{"code":7,"message":"ok"}}"#, "error 5 of 10", #"{"code":"E-1001"}"#, #"{"ok":"0"}"#, #"{"rc":-4096}"#,
    ])
  func statedError(_ body: String) {
    var exchange = ProbeExchange()
    exchange.take(.init(body: body, type: GoodEndpoint.Answer.type(of: body)))
    #expect(StatedError.statement(of: exchange) != nil)
  }

  @Test(
    "Other bodies are receipts",
    arguments: [
      "", "ok", "{}", "[]", #"{"error":null}"#, #"{"errors":[],"status":"ok"}"#, #"{"status":200}"#, #"{"success":true}"#,
      #"{"code":0,"message":"received"}"#, #"{"error":false,"id":404}"#, "1", #"{"error_code":0}"#,
      #"{"result":0}"#, #"{"errorCode":"0","errorMessage":"success"}"#, #"{"error":"no error"}"#,
      #"{"code":200}"#, #"{"code":1,"msg":"success"}"#, #"{"code":10000}"#, #"{"code":"00000"}"#,
      #"{"errcode":0,"errmsg":"ok"}"#,
      #"{"errno":0,"errmsg":"request succeeded"}"#, #"{"status":"ok","failed":0,"errors":0}"#,
      #"{"status":"accepted","code":"OK"}"#,
      #"{"ok":true,"message":"error tracking is on"}"#, #"{"meta":{"code":200},"data":{"status":"rejected"}}"#, "received: 1",
      "OK\n",
      "<response><status>ok</status></response>", "status=ok&errors=0", "null", #"{"data":[],"error":""}"#,
      #"{"state":"NO_ERROR"}"#, #"{"message":"error count: 0"}"#, #"{"rc":4096}"#, "errors: none",
      #"{"type":"report","level":"info","title":"Not found items: 0"}"#, #"{"success":"Y"}"#, #"{"resultCode":"E0000"}"#,
      #"{"code":4001}"#, "stored without errors", #"{"status":"NOT_MODIFIED"}"#, "<r><errors></errors><status>ok</status></r>",
      #"{"error":{"code":0,"message":"success"}}"#, "errors 0 processed 5", #"{"warnings":["Undefined"]}"#, "0 errors",
    ], ["application/json", "text/plain"])
  func receipt(_ body: String, _ type: String) {
    var exchange = ProbeExchange()
    exchange.take(.init(body: body, type: type))
    #expect(StatedError.statement(of: exchange) == nil && Refusal(exchange) == nil)
  }

  @Test("A redirect to a login names authentication, and another redirect does not")
  func login() async throws {
    for (location, isLogin) in [
      ("/login?next=/", true), ("https://sso.example/oauth2/authorize", true), ("/report", false), ("/authors", false),
    ] {
      var checkup = try Checkup()
      checkup.change = { request, _, exchange in if request.isReport { exchange.take(.redirect(302, location)) } }
      let finding = try #require(try await checkup.run().findings.first { $0.rule.id == "report-is-not-redirected" })
      #expect(finding.fix.contains("authentication") == isLogin, "\(finding.fix)")
    }
  }

  @Test("A page of a firewall with status 200 names bot protection")
  func firewall() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in
      if !request.isHandshake {
        exchange.take(
          .init(
            body: "<html><head><title>Request Rejected</title></head><body>Your support ID is: 1</body></html>",
            type: "text/html"))
      }
    }
    let finding = try #require(try await checkup.run().findings.first { $0.rule.id == "report-is-received" })
    #expect(finding.fix.contains("bot protection"), "\(finding.fix)")
  }

  @Test("The verdict on a status equals the browser's")
  func agreement() async throws {
    for status in [200, 201, 202, 204, 206, 299, 300, 304, 400, 401, 404, 405, 429, 500, 503] {
      var checkup = try Checkup()
      checkup.options.rules = ["report-status", "report-is", "report-path", "report-post"]
      checkup.change = { request, _, exchange in if request.isReport, exchange.isAccepted { exchange.take(.status(status)) } }
      let report = try await checkup.run()
      #expect((report.grade != .fail) == (Exchange(httpStatus: status).undelivered == nil), "\(status): \(report.failures)")
    }
  }

  @Test("The unrelated paths are at the root and next to the endpoint")
  func paths() throws {
    let name = CheckOptions.unrelatedName
    #expect(
      try Checkup().options.unrelatedURLs
        == ["https://ads.example/\(name)", "https://ads.example/.well-known/private-click-measurement/\(name)"])
    #expect(try PostbackCheckup(.skadnetwork).options.unrelatedURLs == ["https://in.ads.example/\(name)"])
    #expect(
      try PostbackCheckup(.skadnetwork, "https://in.ads.example:8443/a/b/?c=/d").options.unrelatedURLs
        == ["https://in.ads.example:8443/\(name)", "https://in.ads.example:8443/a/\(name)"])
  }

  @Test("A selection whose rules do not apply has no result")
  func noResult() async throws {
    var checkup = try Checkup()
    checkup.options.rules = ["report-needs-no-"]
    checkup.change = { request, _, exchange in if request.isReport { exchange.take(.status(401)) } }
    #expect(try await checkup.run().grade == .noResult)
  }

  @Test("With strictness, a warning fails the check")
  func strict() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in exchange.setsCookies = request.isReport }
    var report = try await checkup.run()
    #expect(report.grade == .passWithWarnings)
    report.isStrict = true
    #expect(report.grade == .fail)
  }
}

@Suite("The text of a page")
struct PageTextTests {
  private func page(_ body: String, _ type: String? = "text/html") -> PageText? {
    PageText(ProbeExchange(Exchange(httpStatus: 200, contentType: type, body: Array(body.utf8))))
  }

  @Test(
    "The title and the first paragraph are read",
    arguments: [
      ("<title>A &amp; B</title><p>One<p>Two", "A & B\nOne"),
      ("<title>\n No \n</title><body><p> </p><p>Two <b>three</b></p>", "No\nTwo three"),
      (
        "<html><head><title>405 Not Allowed</title></head><body><center><h1>405 Not Allowed</h1></center><hr>nginx/1.2</body></html>",
        "405 Not Allowed\nnginx/1.2"
      ),
      (
        "<div id=root></div><noscript>You need JavaScript.</noscript><script>var a = '<p>no</p>'</script>",
        "You need JavaScript."
      ),
      ("<!-- <p>no</p> --><h1>Error</h1>", "Error"), ("<html></html>", ""), ("<p>a < b</p>", "a < b"), ("<title>x", "x"),
      ("<body><p", ""), ("<script>", ""), ("<style>p {}</style><p>&#39;q&#39;</p>", "'q'"),
    ])
  func texts(_ body: String, _ expected: String) {
    #expect(page(body)?.lines == expected)
  }

  @Test("Only a page has a text")
  func others() {
    #expect(page("ok") == nil)
    #expect(page("") == nil)
    #expect(page(#"{"a":"<p>"}"#) == nil)
    #expect(page("<p>a</p>", "application/json") == nil)
    #expect(page("<p>a</p>", "text/plain") == nil)
    #expect(page("<html><p>a</p>", nil) != nil)
    #expect(page(String(repeating: "<", count: 60_000)) == nil)
    #expect(page(String(repeating: "<p>", count: 20_000)) != nil)
  }
}
