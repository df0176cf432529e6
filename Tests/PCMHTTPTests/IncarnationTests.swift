import HTTPSupport
import HTTPTypes
import PCMCore
import Testing

/// The time of a browser's creation, and its incarnation, by which callers distinguish browsers of the same name.
@Suite struct IncarnationTests {
  private func header(_ answer: API.Answer) -> String? {
    HTTPField.Name("Browser-Incarnation").flatMap { answer.headers[$0] }
  }

  @Test func aRecreatedBrowserHasAnotherIncarnation() async throws {
    try await API.test { api in
      let first = try await api.call(.put, "/v1/browsers/a")
      let incarnation: String = try first.member("incarnation")
      #expect(!incarnation.isEmpty && header(first) == incarnation)
      let again = try await api.call(.put, "/v1/browsers/a")
      #expect(header(again) == incarnation && again.text == first.text)
      let listed = try await api.call(.get, "/v1/browsers?limit=1").member("items", as: [[String: Any]].self)
      #expect(listed.first?["incarnation"] as? String == incarnation)
      #expect(header(try await api.call(.delete, "/v1/browsers/a")) == incarnation)
      #expect(header(try await api.call(.get, "/v1/browsers/a")) == nil)
      let second = try await api.call(.put, "/v1/browsers/a")
      #expect(try second.member("incarnation") != incarnation)
      #expect(try header(second) == second.member("incarnation"))
    }
  }

  @Test func everyResponseAboutABrowserHasItsIncarnation() async throws {
    try await API.test { api in
      let incarnation: String = try await api.call(.get, "/v1/browsers/test").member("incarnation")
      for (method, path) in try await OpenAPIDocument(api).calls
      where path.contains("/test") && !(method == .delete && path.hasSuffix("/test")) {
        let answer = try await api.call(method, path)
        #expect(header(answer) == incarnation, "\(method) \(path) \(answer.status)")
      }
      #expect(header(try await api.call(.get, "/v1/browsers")) == nil)
      let generated = try await api.call(.post, "/v1/browsers")
      #expect(try header(generated) == generated.member("incarnation"))
    }
  }

  @Test("A copy has another incarnation, and the header has the incarnation of the browser in the path")
  func copies() async throws {
    try await API.test { api in
      let original: String = try await api.call(.get, "/v1/browsers/test").member("incarnation")
      for _ in 1...2 {
        let copy = try await api.call(
          .post, "/v1/browsers/test/forks", bytes: Array(#"{"name":"copy"}"#.utf8), type: "application/json",
          headers: .key("1"))
        #expect(copy.status == 201, "\(copy.text)")
        #expect(header(copy) == original)
        #expect(try copy.member("incarnation") != original)
      }
    }
  }

  @Test func aBrowserHasTheMachinesTimeOfItsCreation() async throws {
    let wall = try #require(Instant(text: "2030-01-02T03:04:05Z"))
    let wallClock: @Sendable () -> Instant = { wall }
    try await API.test(wallClock: wallClock) { api in
      let path = "/v1/browsers/a"
      let created = try await api.call(.put, path, #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"}}"#)
      #expect(try created.member("createdAt") == wall.text)
      #expect(try await api.call(.post, "\(path)/clock/advance", #"{"by":"P1D"}"#).status == 200)
      #expect(try await api.call(.get, path).member("createdAt") == wall.text)
    }
  }
}
