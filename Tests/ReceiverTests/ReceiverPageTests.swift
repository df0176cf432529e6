import HTTPTypes
import HummingbirdTesting
import PCMCore
import PCMEndpoint
import PCMPages
import Testing

/// The report endpoint's page, its files, and its parts, without a socket.
@Suite struct ReceiverPageTests {
  private static let report = "/.well-known/private-click-measurement/report-attribution/"
  private static let valid = #"""
    {"source_engagement_type":"click","source_site":"news.example","source_id":4,"attributed_on_site":"shop.example",\#
    "trigger_data":12,"version":3}
    """#

  @Test(
    "The page and its files need no token and allow no inline script or style",
    arguments: ["/", "/assets/page.css", "/assets/page.js", "/assets/receive.js"])
  func headers(_ path: String) async throws {
    try await ReceiverAPI.test(token: "secret") { client async throws in
      let answer = try await client.execute(uri: path, method: .get)
      #expect(answer.status == .ok)
      let policy = answer.headers[.contentSecurityPolicy] ?? ""
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';") && !policy.contains("unsafe"))
      #expect(answer.headers[.xContentTypeOptions] == "nosniff")
    }
  }

  @Test("The parts need the token", arguments: ["/admin/page/requests", "/admin/page/faults"])
  func token(_ path: String) async throws {
    try await ReceiverAPI.test(token: "secret") { client async throws in
      #expect(try await ReceiverAPI.call(client, .get, path).status == 401)
      let answer = try await client.execute(uri: path, method: .get, headers: [.authorization: "Bearer secret"])
      #expect(answer.status == .ok)
      #expect(answer.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
    }
  }

  @Test("Requests are listed with their verdicts, newest first, and a body is never markup")
  func requests() async throws {
    try await ReceiverAPI.test { client async throws in
      #expect(try await ReceiverAPI.call(client, .get, "/admin/page/requests").text.contains("No requests yet"))
      #expect(try await ReceiverAPI.call(client, .post, Self.report, Self.valid).status == 200)
      let hostile = #"{"x":"<script>alert(1)</script><img src=x onerror=alert(1)>"}"#
      #expect(try await ReceiverAPI.call(client, .post, Self.report, hostile).status == 400)
      let text = try await ReceiverAPI.call(client, .get, "/admin/page/requests").text
      #expect(!text.contains("<script") && !text.contains("<img") && text.contains("&lt;script&gt;"))
      let accepted = try #require(text.firstRange(of: "report: accepted"))
      let rejected = try #require(text.firstRange(of: "report: rejected"))
      #expect(rejected.lowerBound < accepted.lowerBound)
      #expect(text.contains("source_id <b>4</b>\ntrigger_data <b>12</b>"))
      #expect(text.contains("<code>member-missing</code> ") && text.contains("<b>Change:</b> Add the member."))
      #expect(
        try await ReceiverAPI.call(client, .get, "/admin/page/requests?kind=postback").text.contains("No requests of this kind")
      )
      #expect(try await ReceiverAPI.call(client, .get, "/admin/page/requests?kind=nonsense").status == 422)
    }
  }

  @Test("Each code of a request has a change", arguments: RequestError.Code.allCases)
  func change(_ code: RequestError.Code) {
    #expect(ReceivedView.changes[code.rawValue] != nil)
  }

  @Test("The signature of a postback is decoded")
  func signature() async throws {
    try await ReceiverAPI.test { client async throws in
      let parts = [#"{"kid":"test"}"#, #"{"app-id":7}"#].map { Base64URL.encode(Array($0.utf8)) }
      let body = #"{"jws-string":"\#(parts.joined(separator: ".")).AA"}"#
      _ = try await ReceiverAPI.call(client, .post, "/.well-known/appattribution/report-attribution/", body)
      let text = try await ReceiverAPI.call(client, .get, "/admin/page/requests").text
      #expect(text.contains("&quot;kid&quot;: &quot;test&quot;") && text.contains("&quot;app-id&quot;: 7"), "\(text)")
    }
  }

  @Test("A long body is shortened")
  func longBody() async throws {
    try await ReceiverAPI.test { client async throws in
      let body = "{\"x\":\"" + String(repeating: "y", count: 10_000) + "\"}"
      _ = try await ReceiverAPI.call(client, .post, Self.report, body)
      let text = try await ReceiverAPI.call(client, .get, "/admin/page/requests").text
      #expect(text.contains("… 5912 more bytes in GET /admin/requests") && text.utf8.count < 6_000)
    }
  }

  @Test("The faults are listed until they are used up")
  func faults() async throws {
    try await ReceiverAPI.test { client async throws in
      #expect(try await ReceiverAPI.call(client, .get, "/admin/page/faults").text.contains("No faults"))
      let faults = #"""
        {"faults":[{"fault":"status","on":"report","status":500,"times":1},{"fault":"delay","host":"<b>","probability":0.5}]}
        """#
      #expect(try await ReceiverAPI.call(client, .put, "/admin/faults", faults).status == 200)
      let text = try await ReceiverAPI.call(client, .get, "/admin/page/faults").text
      #expect(text.contains("on report, status 500, 1 more time"))
      #expect(text.contains("on all requests, at &lt;b&gt;, 1000 ms, probability 0.5, always"))
      #expect(try await ReceiverAPI.call(client, .post, Self.report, Self.valid).status == 500)
      #expect(try await ReceiverAPI.call(client, .get, "/admin/page/faults").text.contains("status 500, used up"))
      #expect(try await ReceiverAPI.call(client, .get, "/admin/page/requests").text.contains("Fault <b>status"))
    }
  }
}
