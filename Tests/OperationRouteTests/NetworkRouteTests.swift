import HTTPSupport
import HTTPTypes
import PCMNetwork
import Testing

/// Simulated sites of a live browser, on the wire.
@Suite struct NetworkRouteTests {
  private static let browser = "/v1/browsers/test"
  /// An entry of the sites of a scenario.
  private static let entry = """
    key: second
    report: [{ status: 503 }, { failure: { code: timed-out, detail: slow } }, {}]
    sign: { forged: true }
    loads: { /pixel: { location: "https://news.example/" } }
    """
  private static let behavior =
    #"{"key":"second","report":[{"status":503},"#
    + #"{"failure":{"code":"timed-out","detail":"slow"}},{}],"sign":[{"forged":true}],"#
    + #""loads":{"/pixel":[{"location":"https://news.example/"}]}}"#

  private func simulate(_ api: API) async throws {
    #expect(try await api.call(.put, "\(Self.browser)/network", #"{"mode":"simulated"}"#).text == #"{"mode":"simulated"}"#)
  }

  @Test func theModeIsRealUntilItIsChanged() async throws {
    try await API.test { api in
      #expect(try await api.call(.get, "\(Self.browser)/network").text == #"{"mode":"real"}"#)
      try await simulate(api)
      #expect(try await api.call(.get, "\(Self.browser)/network").text == #"{"mode":"simulated"}"#)
      for body in ["{}", #"{"mode":"off"}"#, #"{"mode":null}"#] {
        let answer = try await api.call(.put, "\(Self.browser)/network", body)
        #expect(answer.status == 422)
        #expect(try answer.pointers == ["/mode"])
      }
    }
  }

  @Test(arguments: [(entry, "application/yaml"), (behavior, "application/json")])
  func anEntryOfAScenarioIsASite(_ entry: String, _ type: String) async throws {
    try await API.test { api in
      let site = "\(Self.browser)/sites/news.example"
      let created = try await api.call(.put, site, entry, type: type)
      #expect(created.status == 201)
      #expect(created.headers[.location] == site)
      let expected = #"{"host":"news.example","behavior":\#(Self.behavior)}"#
      #expect(created.text == expected)
      #expect(try await api.call(.get, site).text == expected)
      #expect(try await api.call(.put, site, entry, type: type).status == 200)
      #expect(try await api.call(.put, "\(Self.browser)/sites/a.example", "{}").status == 201)
      let first = try await api.call(.get, "\(Self.browser)/sites?limit=1")
      #expect(first.text.hasPrefix(#"{"items":[{"host":"a.example","behavior":{}}],"next":""#))
      #expect(try first.position() == "a.example")
      let last = try await api.call(.get, "\(Self.browser)/sites?limit=1&cursor=\(try first.member("next", as: String.self))")
      #expect(last.text == #"{"items":[\#(expected)],"next":null}"#)
      #expect(try await api.call(.delete, site).status == 204)
      #expect(try await api.call(.get, site).status == 404)
      #expect(try await api.call(.delete, site).status == 404)
    }
  }

  @Test(
    arguments: [
      (#"{"report":{"status":99}}"#, "/report/status"), (#"{"key":"third"}"#, "/key"), (#"{"reports":{}}"#, "/reports"),
      (#"{"report":[]}"#, "/report"), (#"{"sign":{"failure":"timed-out","status":200}}"#, "/sign"),
      (#"{"loads":{"pixel":{}}}"#, "/loads/pixel"), (#"{"report":null}"#, "/report"), ("[]", ""),
    ])
  func aScriptIsChecked(_ body: String, _ pointer: String) async throws {
    try await API.test { api in
      let answer = try await api.call(.put, "\(Self.browser)/sites/news.example", body)
      #expect(answer.status == 422, "\(answer.text)")
      #expect(try answer.pointers.contains { $0.hasPrefix(pointer) }, "\(answer.text)")
      #expect(try await api.call(.get, "\(Self.browser)/sites").text == #"{"items":[],"next":null}"#)
    }
  }

  @Test func messagesHaveTheBytesThatASiteReceived() async throws {
    try await API.test { api in
      try await simulate(api)
      try await api.call(.post, "\(Self.browser)/event-attributions", API.eventAttribution)
      try await api.call(.post, "\(Self.browser)/triggering-events", API.trigger)
      try await api.call(.post, "\(Self.browser)/clock/advance", #"{"by":"PT49H"}"#)
      let all = try await api.call(.get, "\(Self.browser)/messages")
      #expect(try all.member("items", as: [[String: Any]].self).count == 2)
      #expect(all.text.hasSuffix(#"],"next":null,"droppedCount":0}"#))
      let page = try await api.call(.get, "\(Self.browser)/messages?limit=1")
      let next: String = try page.member("next")
      let rest = try await api.call(.get, "\(Self.browser)/messages?cursor=\(next)")
      let ids = try (page.member("items", as: [[String: Any]].self) + rest.member("items")).compactMap { $0["id"] as? String }
      #expect(ids == ["message-1", "message-2"])
      let shop = try await api.call(.get, "\(Self.browser)/messages?host=shop.example&host=other.example")
      let message = try #require(try shop.member("items", as: [[String: Any]].self).first)
      #expect(message["host"] as? String == "shop.example")
      #expect(message["kind"] as? String == "report")
      #expect(message["method"] as? String == "POST")
      #expect(message["httpStatus"] as? Int == 200)
      let headers = try #require(message["headers"] as? [[String: String]])
      #expect(
        headers.map { $0["name"] } == ["accept", "content-type", "cache-control", "user-agent", "content-length"])
      let body = try #require(message["body"] as? String)
      #expect(body.hasPrefix(#"{"source_engagement_type":"click","source_site":"news.example","source_id":4,"#))
      #expect(headers.last?["value"] == String(body.utf8.count))
    }
  }
}
