import HTTPSupport
import HTTPTypes
import Testing

/// Unknown paths, and the paths that their callers mean.
@Suite struct NearestPathTests {
  static let paths: [(HTTPRequest.Method, String, String)] = [
    (.get, "/v1/browser/test", "GET /v1/browsers/test"), (.get, "/v1/Browsers", "GET /v1/browsers"),
    (.get, "/v1/browsers/test/report", "GET /v1/browsers/test/reports"),
    (.get, "/v1/browsers/test/report/report-5", "GET /v1/browsers/test/reports/report-5"),
    (.get, "/v1/browsers/test/event", "GET /v1/browsers/test/events"),
    (.post, "/v1/browsers/test/clock", "POST /v1/browsers/test/clock/advance"),
    (.post, "/v1/browsers/test/advance", "POST /v1/browsers/test/clock/advance"),
    (.post, "/v1/browsers/test/linkClicks", "POST /v1/browsers/test/link-clicks"),
    (.post, "/v1/browsers/test/link_clicks", "POST /v1/browsers/test/link-clicks"),
    (.post, "/v1/browsers/test/link-click", "POST /v1/browsers/test/link-clicks"),
    (.post, "/v1/browsers/test/triggering-event", "POST /v1/browsers/test/triggering-events"),
    (.post, "/v1/browsers/test/trigger", "POST /v1/browsers/test/triggering-events"),
    (.post, "/v1/browsers/test/eventAttributions", "POST /v1/browsers/test/event-attributions"),
    (.put, "/v1/browsers/test/app/com.example.news", "PUT /v1/browsers/test/apps/com.example.news"),
    (.post, "/browsers/test/link-clicks", "POST /v1/browsers/test/link-clicks"),
    (.get, "/api/v1/browsers/test/reports", "GET /v1/browsers/test/reports"),
    (.get, "/v2/browsers", "GET /v1/browsers"), (.get, "/v1/reports", "GET /v1/browsers/{browser}/reports"),
    (.get, "/v1/devices/test/reports", "GET /v1/browsers/test/reports"),
    (.post, "/v1/browsers/test/impressions", "POST /v1/devices/test/impressions"),
    (.post, "/v1/browsers/test/installs", "POST /v1/devices/test/installs"),
    (.post, "/v1/devices/test/conversionValues", "POST /v1/devices/test/conversion-values"),
    (.put, "/v1/devices/test/adNetworks/a", "PUT /v1/devices/test/ad-networks/a"),
    (.get, "/v1/device/test/postback", "GET /v1/devices/test/postbacks"), (.get, "/health", "GET /healthz"),
    (.delete, "/v1/browsers/test/report", "GET /v1/browsers/test/reports"),
    (.get, "/v1/browsers/test/clock", "POST /v1/browsers/test/clock/advance"),
    (.post, "/link-clicks", "POST /v1/browsers/{browser}/link-clicks"),
    (.post, "/v1/impressions", "POST /v1/devices/{device}/impressions"),
    (.get, "/v1/browsers/test/cookies", "GET /v1/browsers/test"),
  ]

  @Test("An unknown path is 404 with the nearest one", arguments: paths)
  func nearest(_ method: HTTPRequest.Method, _ path: String, _ expected: String) async throws {
    try await API.test { api async throws in
      let answer = try await api.call(method, path, method == .get ? "" : "{}")
      #expect(answer.status == 404, "\(answer.text)")
      #expect(try answer.member("code", as: String.self) == "not-found")
      #expect(
        try answer.member("detail", as: String.self) == "there is no resource \"\(path)\"; did you mean \(expected)?")
    }
  }

  @Test(
    "A path that resembles none has no suggestion",
    arguments: ["/nothing", "/v1/nothing", "/a/b/c/d/e/f/g/h/i/j/k/l/m", "/v1/%C3"])
  func none(_ path: String) async throws {
    try await API.test { api async throws in
      let answer = try await api.call(.get, path)
      #expect(answer.status == 404)
      #expect(try !answer.member("detail", as: String.self).contains("did you mean"), "\(answer.text)")
    }
  }

  @Test(
    "A trailing slash changes nothing",
    arguments: ["/v1/browsers/test/reports/", "/v1/browsers/test/", "/v1/devices/test/apps/"])
  func trailingSlash(_ path: String) async throws {
    try await API.test { api async throws in
      #expect(try await api.call(.get, path).status == 200)
    }
  }
}
