import HTTPTypes
import PCMCore
import Testing

/// The pages, their files, and the parts that their script loads.
@Suite struct PageRouteTests {
  @Test(
    "Pages, files, and parts have the policy that allows no script but the service's",
    arguments: ["/", "/browsers/test", "/assets/page.js", "/assets/page.css", "/browsers", "/browsers/test/log"])
  func headers(_ path: String) async throws {
    try await API.test { api in
      let answer = try await api.call(.get, path)
      #expect(answer.status == 200)
      let policy = answer.headers[.contentSecurityPolicy] ?? ""
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
      #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
      #expect(answer.headers[.xContentTypeOptions] == "nosniff")
      let referrerPolicy = try #require(HTTPField.Name("Referrer-Policy"))
      #expect(answer.headers[referrerPolicy] == "no-referrer")
      #expect(!answer.text.contains(" style=") && !answer.text.contains(" onclick="))
    }
  }

  @Test("A file that the reader has is not sent again")
  func unchangedFile() async throws {
    try await API.test { api in
      let first = try await api.call(.get, "/assets/page.css")
      let tag = try #require(first.headers[.eTag])
      let again = try await api.call(.get, "/assets/page.css", headers: [.ifNoneMatch: tag])
      #expect(again.status == 304 && again.text.isEmpty && again.headers[.eTag] == tag)
      #expect(try await api.call(.get, "/assets/page.css", headers: [.ifNoneMatch: "\"x\""]).status == 200)
    }
  }

  @Test("The parts show a click, and text from outside is never markup")
  func parts() async throws {
    try await API.test { api in
      let hostile = "<script>alert(1)</script>"
      let tap = #"""
        {"bundleIdentifier":"com.example.news","sourceIdentifier":4,"destinationURL":"https://shop.example/",\#
        "sourceDescription":"\#(hostile)","purchaser":"\#(hostile)"}
        """#
      try await api.call(.put, "/v1/browsers/test/apps/com.example.news", #"{"reportEndpoint":"https://news.example"}"#)
      let click = try await api.call(.post, "/v1/browsers/test/event-attributions", tap)
      #expect(click.status == 201, "\(click.text)")
      let log = try await api.call(.get, "/browsers/test/log").text
      #expect(log.contains("click-stored") && !log.contains("<script"))
      let other = try await api.call(.get, "/browsers/test/log?kind=clock").text
      #expect(!other.contains("click-stored"))
      #expect(try await api.call(.get, "/browsers/test/log?text=SHOP.example").text.contains("click-stored"))
      #expect(try await api.call(.get, "/browsers/test/timeline?width=700").text.contains("news.example → shop.example"))
      #expect(try await api.call(.get, "/browsers/test/summary").text.contains("Clicks"))
      #expect(try await api.call(.get, "/browsers?name=TES").text.contains("/browsers/test"))
      let nobody = try await api.call(.get, "/browsers?name=nobody").text
      #expect(!nobody.contains("/browsers/test"))
    }
  }

  @Test(
    "A part that cannot be shown is a problem, not an error of the service",
    arguments: [
      ("/browsers/nobody/summary", 404), ("/browsers/test/why", 422), ("/browsers/test/why?about=click-99", 404),
      ("/browsers/test/timeline?from=2&to=1", 422), ("/browsers/test/timeline?from=0&to=9999999999999999", 422),
      ("/browsers/test/timeline?width=wide", 422), ("/browsers/test/timeline?width=-9223372036854775808", 200),
      ("/browsers/test/log?kinds=x", 422),
    ])
  func problems(_ path: String, _ status: Int) async throws {
    try await API.test { api in
      let answer = try await api.call(.get, path)
      #expect(answer.status == status, "\(answer.text)")
      #expect(status == 200 || answer.headers[.contentType] == "application/problem+json")
    }
  }
}
