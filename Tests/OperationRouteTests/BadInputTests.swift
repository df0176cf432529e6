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

  @Test(arguments: [
    (#""maximumCount":999"#, "maximumCount"), (#""maximumCount":1000000001"#, "maximumCount"),
    (#""maximumCount":"many""#, "maximumCount"), (#""maximumAge":"P1Y""#, "maximumAge"),
    (#""maximumAge":"PT23H""#, "maximumAge"),
    (#""maximumAge":"P36501D""#, "maximumAge"), (#""minimumAge":"P2D""#, "minimumAge"),
  ])
  func aRetentionOutOfRangeIsRejected(_ member: String, _ name: String) async throws {
    try await API.test { api in
      let answer = try await api.call(.patch, "/v1/browsers/test", #"{"settings":{"logRetention":{\#(member)}}}"#)
      try expectProblem(answer, 422, pointers: ["/settings/logRetention/\(name)"])
    }
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

  @Test(arguments: ["{", "", "nonsense", "{\"app\":}", "\u{FEFF}{}x", "{'app':'x'}", "[1,2", "\"unfinished", #"{"a":1,}"#])
  func invalidJSONIsMalformed(_ body: String) async throws {
    try await expectMalformed(Array(body.utf8) + [0x20])
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

  private func expectMalformed(_ body: [UInt8]) async throws {
    try await API.test { api in
      let answer = try await api.call(.post, Self.clicks, bytes: body, type: "application/json")
      try expectProblem(answer, 400)
      #expect(try answer.member("code") == "malformed")
    }
  }

  @Test func invalidUTF8IsMalformed() async throws {
    try await expectMalformed(Array(#"{"bundleIdentifier":""#.utf8) + [0xFF, 0xFE] + Array("\"}".utf8))
  }

  @Test(arguments: ["", "\u{FEFF}"], [false, true])
  func utf16IsMalformed(_ byteOrderMark: String, _ isBigEndian: Bool) async throws {
    let units = (byteOrderMark + API.eventAttribution).utf16.map { isBigEndian ? $0.byteSwapped : $0 }
    try await expectMalformed(units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
  }

  @Test func deeplyNestedJSONIsRejected() async throws {
    try await API.test { api in
      let body = String(repeating: "[", count: 30_000)
      try expectProblem(try await api.call(.post, Self.clicks, body), 400)
      let closed =
        #"{"bundleIdentifier":"# + String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000) + "}"
      let answer = try await api.call(.post, Self.clicks, closed)
      #expect([400, 422].contains(answer.status))
    }
  }

  @Test(arguments: ["[]", "null", "4", "\"text\"", "true"])
  func aBodyMustBeAnObject(_ body: String) async throws {
    try await API.test { api in try expectProblem(try await api.call(.post, Self.clicks, body), 422, pointers: [""]) }
  }

  /// The number with many digits would be 4 as a floating-point number.
  @Test(arguments: [
    "-1", "256", "4.5", "\"4\"", "true", "null", "[4]", "99999999999999999999", "1e400", "4.00000000000000000001",
  ])
  func aSourceIdentifierIsAnIntegerFrom0To255(_ value: String) async throws {
    try await API.test { api in
      let body = API.eventAttribution.replacing(":4,", with: ":\(value),")
      try expectProblem(try await api.call(.post, Self.clicks, body), 422, pointers: ["/sourceIdentifier"])
    }
  }

  @Test(arguments: [
    "", "/relative", "shop.example", "https://", "https:///", "https://sh op.example/", "https://shop.example/\\u0000",
    "ftp://shop.example/", "https://shop.example:99999/", "https://[::1", "about:blank", "https://\\u0000",
  ])
  func aDestinationIsAnAbsoluteURLWithAHost(_ value: String) async throws {
    try await API.test { api in
      let body = API.eventAttribution.replacing("https://shop.example/tabletStandDeluxe.html", with: value)
      try expectProblem(try await api.call(.post, Self.clicks, body), 422, pointers: ["/destinationURL"])
    }
  }

  @Test func aURLOfTenKilobytesIsRejected() async throws {
    try await API.test { api in
      let long = "https://shop.example/" + String(repeating: "a", count: 10_240)
      let body = API.eventAttribution.replacing("https://shop.example/tabletStandDeluxe.html", with: long)
      try expectProblem(try await api.call(.post, Self.clicks, body), 422, pointers: ["/destinationURL"])
    }
  }

  @Test func unknownMembersAreReported() async throws {
    try await API.test { api in
      let body = API.eventAttribution.replacing("tapVerified", with: "tapVerifed")
      let answer = try await api.call(.post, Self.clicks, body)
      try expectProblem(answer, 422, pointers: ["/tapVerifed"])
      let nested = API.trigger.replacing(#""from""#, with: #""form/~""#)
      try expectProblem(
        try await api.call(.post, "/v1/browsers/test/triggering-events", nested), 422,
        pointers: ["/redirect/form~1~0"])
      try expectProblem(
        try await api.call(.put, "/v1/browsers/new", #"{"settings":{"debug":true},"clock":{"mode":"maual"}}"#), 422,
        pointers: ["/clock/mode", "/settings/debug"])
    }
  }

  @Test func allErrorsOfABodyAreReported() async throws {
    try await API.test { api in
      let answer = try await api.call(.post, Self.clicks, #"{"bundleIdentifier":1,"tapVerified":"yes","x":0}"#)
      try expectProblem(
        answer, 422, pointers: ["/bundleIdentifier", "/sourceIdentifier", "/destinationURL", "/tapVerified", "/x"])
    }
  }

  @Test func anUnknownAppIsRejected() async throws {
    try await API.test { api in
      let answer = try await api.call(
        .post, Self.clicks, API.eventAttribution.replacing("com.example.news", with: "com.example.none"))
      try expectProblem(answer, 422, pointers: ["/bundleIdentifier"])
      #expect(answer.text.contains(#""code":"app-unknown""#))
    }
  }

  @Test func anUnknownPresentationIsRejected() async throws {
    try await API.test { api in
      let body = API.eventAttribution.replacing(#""tapVerified":true"#, with: #""presentation":"webView""#)
      try expectProblem(try await api.call(.post, Self.clicks, body), 422, pointers: ["/presentation"])
    }
  }

  @Test(
    arguments: [
      (.post, "/v1/browsers/none/event-attributions"), (.post, "/v1/browsers/none/link-clicks"),
      (.post, "/v1/browsers/none/triggering-events"), (.post, "/v1/browsers/none/clock/advance"), (.get, "/v1/browsers/none"),
      (.delete, "/v1/browsers/none"), (.get, "/v1/browsers/none/events"), (.get, "/v1/browsers/none/reports"),
      (.get, "/v1/browsers/test/reports/report-99"), (.get, "/v1/browsers/test/reports/99"),
      (.get, "/v1/browsers/test/reports/report-007"), (.get, "/v1/browsers/test/apps/none"), (.get, "/nothing"),
      (.delete, "/v1/browsers/none/data"),
      (.put, "/v1/browsers/none/apps"),
    ] as [(HTTPRequest.Method, String)])
  func missingResourcesAreNotFound(_ method: HTTPRequest.Method, _ path: String) async throws {
    try await API.test { api in
      try expectProblem(try await api.call(method, path, method == .post || method == .put ? "{}" : ""), 404)
    }
  }

  @Test(arguments: ["/v1/nosuch", "/nothing", "/v1/browsers/test/nosuch", "/v1/browsers/none"])
  func whatDoesNotExistIsTheSameKindOfProblem(_ path: String) async throws {
    try await API.test { api in
      let answer = try await api.call(.get, path)
      #expect(try answer.member("type") == "urn:pcm-browser:problem:not-found")
      #expect(try answer.member("title") == "Not found")
    }
  }

  @Test func theNameInTheBodyMustMatchThePath() async throws {
    try await API.test { api in
      try expectProblem(try await api.call(.put, "/v1/browsers/a", #"{"name":"b"}"#), 422, pointers: ["/name"])
    }
  }

  @Test(arguments: ["", #""seed":"","#, #""seed":"\#(String(repeating: "s", count: 201))","#])
  func aSeedHas1To200Characters(_ member: String) async throws {
    try await API.test { api in
      let answer = try await api.call(.put, "/v1/browsers/seeded", "{\(member)\"storage\":\"ephemeral\"}")
      if member.isEmpty { #expect(answer.status == 201) } else { try expectProblem(answer, 422, pointers: ["/seed"]) }
    }
  }

  @Test(
    arguments: [
      (.get, "/v1/browsers/test/event-attributions", "POST"), (.delete, "/v1/browsers", "GET, POST, HEAD"),
      (.delete, "/v1/browsers/test/events", "GET, HEAD"),
      (.trace, "/v1/browsers/test", "GET, PUT, PATCH, DELETE, HEAD"),
      (API.unheardOfMethod, "/v1/browsers/test/", "GET, PUT, PATCH, DELETE, HEAD"),
      (.put, "/healthz", "GET, HEAD"),
      (.options, "/v1/browsers/test/data", "DELETE"),
    ] as [(HTTPRequest.Method, String, String)])
  func otherMethodsReturnTheAllowedOnes(_ method: HTTPRequest.Method, _ path: String, _ allowed: String)
    async throws
  {
    try await API.test { api in
      let answer = try await api.call(method, path, "")
      try expectProblem(answer, 405)
      #expect(answer.headers[.allow] == allowed)
    }
  }

  @Test(arguments: [nil, "text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])
  func otherMediaTypesAreRejected(_ type: String?) async throws {
    try await API.test { api in
      try expectProblem(try await api.call(.post, Self.clicks, API.eventAttribution, type: type), 415)
      try expectProblem(try await api.call(.put, "/v1/browsers/test/apps", "<plist/>", type: type ?? "application/json"), 415)
    }
  }

  @Test func aMediaTypeMayHaveParameters() async throws {
    try await API.test { api async throws in
      #expect(
        try await api.call(.post, Self.clicks, API.eventAttribution, type: "Application/JSON ; charset=utf-8").status == 201)
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

  @Test(arguments: ["not-a-plist", "truncated", "no-bundle-identifier", "source-form"])
  func invalidManifestsAreRejected(_ fixture: String) async throws {
    try await API.test { api in try expectProblem(try await api.put(manifest: fixture), 422, pointers: [""]) }
  }

  @Test func hostileManifestsAreRejected() async throws {
    let deep =
      "<plist>" + String(repeating: "<array>", count: 100_000) + String(repeating: "</array>", count: 100_000) + "</plist>"
    let laughs = """
      <!DOCTYPE plist [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>
      <plist><string>&c;</string></plist>
      """
    try await API.test { api in
      for hostile in [String(deep.prefix(1_000_000)), laughs, "bplist00", "{ a = 1; }", "{}"] {
        try expectProblem(try await api.call(.put, "/v1/browsers/test/apps", hostile, type: "text/xml"), 422, pointers: [""])
      }
    }
  }

  @Test(arguments: [
    "/v1/browsers?limit=0", "/v1/browsers?limit=1001", "/v1/browsers?limit=x", "/v1/browsers/test/reports?state=lost",
    "/v1/browsers/test/reports?cursor=x", "/v1/browsers/test/reports?cursor=12", "/v1/browsers/test/events?after=-1",
    "/v1/browsers/test/events?afer=1",
    "/v1/browsers/test/clicks?limit=99999999999999999999", "/v1/browsers/test/events?timeout=5",
    "/v1/browsers?limit=%2B5", "/v1/browsers/test/events?after=%2B5",
  ])
  func queryParametersAreValidated(_ path: String) async throws {
    try await API.test { api in
      let answer = try await api.call(.get, path)
      try expectProblem(answer, 422)
      #expect(answer.text.contains(#""parameter""#))
    }
  }

  @Test(arguments: [
    ("/v1/browsers?limit=1&limit=2", "limit"), ("/v1/browsers?limit=1&limit=1", "limit"),
    ("/v1/browsers/test/reports?state=failed&cursor=1&cursor=2", "cursor"),
    ("/v1/browsers/test/events?wait=PT1S&wait=PT2S", "wait"),
    ("/v1/browsers/test/explain?about=click-1&about=click-2", "about"),
  ])
  func aParameterWithOneValueOccursOnce(_ path: String, _ name: String) async throws {
    try await API.test { api in
      let answer = try await api.call(.get, path)
      try expectProblem(answer, 422)
      #expect(
        answer.text.contains(
          #"{"parameter":"\#(name)","detail":"the parameter occurs 2 times; send it once","code":"repeated-parameter"}"#))
    }
  }

  @Test(arguments: [
    ("/v1/browsers?label=a%3D%ff", "label"), ("/v1/browsers?label=a%3D%zz", "label"), ("/v1/browsers?limit=5&label=%", "label"),
    ("/v1/browsers/test/events?about=%C3", "about"), ("/v1/browsers/test/events?about=", "about"),
    ("/v1/browsers/test/explain?about=", "about"),
    ("/v1/devices/test/events?about=shop.example&about=", "about"), ("/v1/browsers/test/messages?host=", "host"),
  ])
  func aParameterIsUTF8InPercentEncoding(_ path: String, _ name: String) async throws {
    try await API.test { api in
      let answer = try await api.call(.get, path)
      try expectProblem(answer, 422)
      #expect(answer.text.contains(#""parameter":"\#(name)""#), "\(answer.text)")
    }
  }

  @Test(arguments: ["click-0", "click-01", "attribution-0", "triggering-event-0", "postback-99999999999999999999"])
  func aNameThatNoRecordHasIsNotExplained(_ name: String) async throws {
    try await API.test { api in
      try expectProblem(try await api.call(.get, "/v1/browsers/test/explain?about=\(name)"), 404)
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

  @Test func aFilterHasAtMost16Subjects() async throws {
    try await API.test { api in
      func path(_ count: Int) -> String {
        "/v1/browsers/test/events?about=click-1&" + (1...count).map { "about=click-\($0)" }.joined(separator: "&")
      }
      #expect(try await api.call(.get, path(16)).status == 200)
      try expectProblem(try await api.call(.get, path(17)), 422)
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
