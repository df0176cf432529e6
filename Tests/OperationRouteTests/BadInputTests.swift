import HTTPSupport
import HTTPTypes
import PCMStore
import Testing

/// Invalid requests return a problem document with the place of each error, never 500.
@Suite struct BadInputTests {
  private func expectProblem(_ answer: API.Answer, _ status: Int, pointers: [String]? = nil) throws {
    #expect(answer.status == status, "\(answer.text.prefix(400))")
    #expect(answer.headers[.contentType] == "application/problem+json")
    let problem = try answer.object
    #expect(problem["status"] as? Int == status)
    for member in ["type", "code", "title", "detail"] { #expect((problem[member] as? String)?.isEmpty == false) }
    #expect(problem["type"] as? String == "urn:pcm-browser:problem:\(problem["code"] ?? "")")
    #expect(problem["retryable"] as? Bool == (status == 503))
    let requestID = try #require(HTTPField.Name("Request-Id").flatMap { answer.headers[$0] })
    #expect(problem["requestId"] as? String == requestID)
    let codes = (problem["errors"] as? [[String: Any]] ?? []).map { $0["code"] as? String }
    #expect(codes.allSatisfy { $0?.isEmpty == false }, "\(answer.text.prefix(400))")
    if let pointers { #expect(try answer.pointers == pointers, "\(answer.text.prefix(400))") }
  }

  private static let clicks = "/v1/browsers/test/event-attributions"

  @Test func severalErrorsFormOneSentence() async throws {
    try await API.test { api in
      let body = #"{"firstPartyURL":"","redirect":{"from":"https://","to":"https://a.example"}}"#
      let answer = try await api.call(
        .post, "/v1/browsers/test/triggering-events", bytes: Array(body.utf8), type: "application/json")
      try expectProblem(answer, 422, pointers: ["/firstPartyURL", "/redirect/from"])
      let detail = try #require(try answer.object["detail"] as? String)
      #expect(!detail.contains(".;"), "\(detail)")
    }
  }

  @Test("The place of the first flaw is in the detail")
  func placeOfAFlaw() async throws {
    try await API.test { api in
      for path in [Self.clicks, "/v1/browsers/test/expectations"] {
        let answer = try await api.call(.post, path, bytes: Array("{\n  \"a\": 1\n  \"b\": 2 }".utf8), type: "application/json")
        try expectProblem(answer, 400)
        #expect(
          try answer.member("detail", as: String.self).hasPrefix(
            "the body is not valid JSON in UTF-8: line 3, column 3: a comma is missing"))
      }
    }
  }

  @Test func thePointerOfAMemberIsEscaped() async throws {
    try await API.test { api in
      let body = API.trigger.replacing(#""from""#, with: #""form/~""#)
      let answer = try await api.call(.post, "/v1/browsers/test/triggering-events", body)
      try expectProblem(answer, 422, pointers: ["/redirect/form~1~0"])
    }
  }

  @Test(
    arguments: [
      (.post, "/v1/browsers/none/event-attributions"), (.post, "/v1/browsers/none/link-clicks"),
      (.post, "/v1/browsers/none/triggering-events"), (.post, "/v1/browsers/none/clock/advance"), (.get, "/v1/browsers/none"),
      (.post, "/v1/browsers/none/loads"), (.delete, "/v1/browsers/test/apps/none"),
      (.delete, "/v1/browsers/none"), (.get, "/v1/browsers/none/events"), (.get, "/v1/browsers/none/reports"),
      (.get, "/v1/browsers/test/reports/report-99"), (.get, "/v1/browsers/test/reports/99"),
      (.get, "/v1/browsers/test/reports/report-007"), (.get, "/v1/browsers/test/apps/none"), (.get, "/nothing"),
      (.delete, "/v1/browsers/none/data"),
      (.put, "/v1/browsers/none/apps"),
    ] as [(HTTPRequest.Method, String)])
  func missingResourcesAreNotFound(_ method: HTTPRequest.Method, _ path: String) async throws {
    try await API.test { api in
      let answer = try await api.call(method, path, method == .post || method == .put ? "{}" : "")
      try expectProblem(answer, 404)
      #expect(try answer.member("code") == "not-found" && answer.member("title") == "Not found")
    }
  }

  @Test func theNameInTheBodyMustMatchThePath() async throws {
    try await API.test { api in
      try expectProblem(try await api.call(.put, "/v1/browsers/a", #"{"name":"b"}"#), 422, pointers: ["/name"])
    }
  }

  @Test(arguments: [nil, "text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])
  func otherMediaTypesAreRejected(_ type: String?) async throws {
    try await API.test { api in
      try expectProblem(try await api.call(.post, Self.clicks, API.eventAttribution, type: type), 415)
      try expectProblem(try await api.call(.put, "/v1/browsers/test/apps", "<plist/>", type: type ?? "application/json"), 415)
    }
  }

  @Test func bodiesAboveTheLimitAreRejected() async throws {
    try await API.test { api in
      let json = API.eventAttribution + String(repeating: " ", count: 65_537 - API.eventAttribution.utf8.count)
      try expectProblem(try await api.call(.post, Self.clicks, json), 413)
      #expect(try await api.call(.post, Self.clicks, String(json.dropLast())).status == 201)
      let plist = String(repeating: "x", count: 1_048_577)
      try expectProblem(try await api.call(.put, "/v1/browsers/test/apps", plist, type: "application/xml"), 413)
    }
  }

  @Test(arguments: [
    ("browsers?limit=0", "limit"), ("browsers?limit=1001", "limit"), ("browsers?limit=x", "limit"),
    ("browsers?limit=%2B5", "limit"), ("browsers?label=a%3D%ff", "label"), ("browsers?label=a%3D%zz", "label"),
    ("browsers?limit=5&label=%", "label"), ("browsers?label=job", "label"), ("browsers?label==7", "label"),
    ("browsers?label=", "label"),
    ("browsers/test/reports?state=lost", "state"), ("browsers/test/reports?cursor=x", "cursor"),
    ("browsers/test/reports?cursor=12", "cursor"), ("browsers/test/reports?site=", "site"),
    ("browsers/test/reports?site=a/b", "site"), ("browsers/test/reports?site=shop.example&site=https://shop.example", "site"),
    ("browsers/test/reports?recipient=app", "recipient"), ("browsers/test/reports?recipient=source&recipient=", "recipient"),
    ("browsers/test/reports?include=attempts", "include"), ("browsers/test/reports?include=body&include=", "include"),
    ("browsers/test/events?after=-1", "after"), ("browsers/test/events?after=%2B5", "after"),
    ("browsers/test/events?afer=1", "afer"), ("browsers/test/events?timeout=5", "timeout"),
    ("browsers/test/events?about=%C3", "about"), ("browsers/test/events?about=", "about"),
    ("browsers/test/events?include=Decision", "include"), ("browsers/test/events?include=decision&include=other", "include"),
    ("browsers/test/clicks?limit=99999999999999999999", "limit"), ("browsers/test/clicks?state=waiting", "state"),
    ("browsers/test/triggering-events?outcome=stored", "outcome"), ("browsers/test/attributions?state=stored", "state"),
    ("browsers/test/explain?about=", "about"), ("browsers/test/explain?about=a%20b", "about"),
    ("browsers/test/explain?about=attribution-3", "about"), ("browsers/test/messages?host=", "host"),
    ("devices/test/events?about=shop.example&about=", "about"), ("devices/test/postbacks?state=lost", "state"),
    ("devices/test/postbacks?include=attempts", "include"), ("devices/test/postbacks?recipient=developer", "recipient"),
    ("devices/test/impressions?cursor=x", "cursor"), ("devices/test/keys?cursor=MTI", "cursor"),
    ("devices/test/keys?id=ad-network", "id"),
  ])
  func queryParametersAreValidated(_ query: String, _ name: String) async throws {
    try await API.test { api in
      let answer = try await api.call(.get, "/v1/\(query)")
      try expectProblem(answer, 422)
      let errors: [[String: Any]] = try answer.member("errors")
      #expect(errors.map { $0["parameter"] as? String } == [name], "\(answer.text)")
    }
  }

  @Test(
    arguments: [
      (.get, "browsers/%20", "browser"), (.get, "devices/%20", "device"), (.get, "devices/%20/postbacks", "device"),
      (.put, "devices/%20", "device"), (.put, "browsers/test/apps/a%20b", "bundleIdentifier"),
      (.put, "browsers/test/apps/a%2Fb", "bundleIdentifier"), (.put, "browsers/test/apps/%C3%BC", "bundleIdentifier"),
      (.put, "browsers/test/apps/" + String(repeating: "a", count: 256), "bundleIdentifier"),
      (.put, "browsers/test/sites/News.example", "host"), (.get, "browsers/test/sites/News.example", "host"),
      (.delete, "browsers/test/sites/News.example", "host"), (.put, "browsers/test/sites/news.example:443", "host"),
      (.put, "browsers/test/sites/-", "host"), (.put, "browsers/test/sites/a..b", "host"),
      (.put, "browsers/test/sites/a%2Fb", "host"), (.put, "devices/test/ad-networks/X%2FY", "adNetwork"),
      (.put, "devices/test/ad-networks/%20", "adNetwork"), (.put, "devices/test/ad-networks/%C3%BC", "adNetwork"),
    ] as [(HTTPRequest.Method, String, String)])
  func namesInPathsAreValidated(_ method: HTTPRequest.Method, _ path: String, _ name: String) async throws {
    let bodies = [
      "bundleIdentifier": #"{"reportEndpoint":"https://news.example"}"#,
      "adNetwork": DeviceAds.registration(at: "https://a.example/"),
    ]
    try await API.test { api in
      let answer = try await api.call(method, "/v1/\(path)", method == .put ? bodies[name] ?? "{}" : "")
      try expectProblem(answer, 422)
      let errors: [[String: Any]] = try answer.member("errors")
      #expect(errors.map { $0["parameter"] as? String } == [name], "\(answer.text)")
    }
  }

  @Test(arguments: [
    "", "a b", "news.example/x", "news.example?x", "news.example#x", "me@news.example", "https://news.example",
  ])
  func aPixelHasAHost(_ host: String) async throws {
    try await API.test { api in
      let body = #"{"firstPartyURL":"https://shop.example/","pixelOf":"\#(host)","triggerData":1}"#
      let answer = try await api.call(.post, "/v1/browsers/test/triggering-events", body)
      try expectProblem(answer, 422)
      #expect(Set(try answer.pointers) == ["/pixelOf"], "\(answer.text)")
    }
  }

  @Test func repeatedSitesClearNothing() async throws {
    try await API.test { api in
      _ = try await api.tap()
      let path = "/v1/browsers/test/data?site=shop.example&site=news.example"
      try expectProblem(try await api.call(.delete, path), 422)
      #expect(try await api.items("/v1/browsers/test/clicks?state=stored").count == 1)
    }
  }

  @Test(arguments: [("events", "about", "click-1"), ("reports", "site", "a1.example"), ("clicks", "site", "a1.example")])
  func aFilterHasAtMost16Values(_ list: String, _ name: String, _ repeated: String) async throws {
    try await API.test { api in
      func path(_ count: Int) -> String {
        "/v1/browsers/test/\(list)?\(name)=\(repeated)&"
          + (1...count).map { "\(name)=\(repeated.replacing("1", with: "\($0)"))" }.joined(separator: "&")
      }
      #expect(try await api.call(.get, path(16)).status == 200)
      let answer = try await api.call(.get, path(17))
      try expectProblem(answer, 422)
      #expect(answer.text.contains("out-of-range"), "\(answer.text)")
    }
  }

  @Test(
    arguments: [
      (.get, "/v1/browsers?limit=0", "", ["out-of-range"]), (.get, "/v1/browsers?limit=x", "", ["invalid-value"]),
      (.get, "/v1/browsers?lmit=1", "", ["unknown-parameter"]),
      (.get, "/v1/browsers/test/events?wait=PT6M", "", ["out-of-range"]),
      (.post, "/v1/browsers/test/expectations", #"{"noReport":{"triggerData":9},"wait":"PT6M"}"#, ["out-of-range"]),
      (.get, "/v1/browsers/test/reports?state=lost", "", ["invalid-value"]),
      (
        .post, clicks, #"{"bundleIdentifier":1,"bundleIdentifier":2,"x":0}"#,
        ["wrong-type", "duplicate-member", "missing", "missing", "unknown-member"]
      ),
      (.post, clicks, API.eventAttribution.replacing(":4,", with: ":256,"), ["out-of-range"]),
      (.post, clicks, API.eventAttribution.replacing(":4,", with: ":-1,"), ["out-of-range"]),
      (.post, clicks, API.eventAttribution.replacing("com.example.news", with: "com.example.none"), ["app-unknown"]),
      (.post, "/v1/browsers/test/clock/advance", "{}", ["missing"]),
      (.post, "/v1/browsers/test/clock/advance", #"{"by":"PT1H","untilIdle":true}"#, ["conflicting-members"]),
      (.post, "/v1/scenarios", #"{"scenario":1,"steps":[{"expct":{}}]}"#, ["wrong-type", "unknown-member", "missing"]),
    ] as [(HTTPRequest.Method, String, String, [String])])
  func eachErrorHasACode(_ method: HTTPRequest.Method, _ path: String, _ body: String, _ codes: [String]) async throws {
    try await API.test { api in
      let answer = try await api.call(method, path, body)
      try expectProblem(answer, 422)
      let errors: [[String: Any]] = try answer.member("errors")
      #expect(errors.map { $0["code"] as? String } == codes, "\(answer.text)")
    }
  }

  @Test func lastEventIDIsValidated() async throws {
    try await API.test { api in
      let name = try #require(HTTPField.Name("Last-Event-ID"))
      for text in ["-1", "x", "", "12"] {
        try expectProblem(try await api.call(.get, "/v1/browsers/test/events", headers: [name: text]), 400)
      }
    }
  }

  @Test(arguments: ["", "https://shop.example", "a/b", "shop.example:443", "x@y", "a b"])
  func aSiteToClearIsADomain(_ site: String) async throws {
    try await API.test { api in
      let encoded = site.replacing(" ", with: "%20")
      try expectProblem(try await api.call(.delete, "/v1/browsers/test/data?site=\(encoded)"), 422)
    }
  }

  @Test func aClosedStoreReturns503() async throws {
    let store = MemoryStore()
    try await API.test(store: store) { api in
      try await store.close()
      try expectProblem(try await api.call(.post, Self.clicks, API.eventAttribution), 503)
      try expectProblem(try await api.call(.get, "/readyz"), 503)
      #expect(try await api.call(.get, "/healthz").status == 200)
    }
  }
}
