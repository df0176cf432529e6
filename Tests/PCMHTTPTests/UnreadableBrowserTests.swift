import BrowserSupport
import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

/// A browser with a damaged row, among others.
@Suite struct UnreadableBrowserTests {
  private static let browser = "/v1/browsers/test"

  /// Performs a test with a service that has not loaded a browser.
  private static func test(_ name: String?, _ body: @escaping @Sendable (API) async throws -> Void) async throws {
    let router = try await API.router(store: DamagedStore(name))
    try await Application(router: router).test(.router) { try await body(API(client: $0)) }
  }

  @Test func eachCallToItIsAProblemWithACode() async throws {
    try await Self.test("test") { api in
      for (method, path) in try await OpenAPIDocument(api).calls
      where path.contains("/test") && !(method == .delete && path.hasSuffix("/test")) {
        let answer = try await api.call(method, path)
        #expect(answer.status == 503, "\(method) \(path): \(answer.text)")
        #expect(try answer.member("code") == "browser-unreadable")
        #expect(try answer.member("retryable") == false)
        #expect(
          try answer.member("detail")
            == "row -7 of the table browsers is not readable: its clock_mode is not valid; DELETE /v1/browsers/{browser} removes "
            + "the browser, and a backup restores it")
      }
    }
  }

  @Test func otherBrowsersAreNotAffected() async throws {
    try await Self.test("test") { api in
      #expect(try await api.call(.put, "/v1/browsers/other").status == 201)
      let names = try await api.call(.get, "/v1/browsers").member("items", as: [[String: Any]].self).map {
        $0["name"] as? String
      }
      #expect(names == ["default", "other"])
      #expect(try await api.call(.get, "/readyz").status == 200)
      #expect(try await api.call(.post, "/v1/browsers/other/forks", #"{"name":"test"}"#).status == 503)
    }
  }

  @Test func withoutANameItIsSkipped() async throws {
    try await Self.test(nil) { api async throws in
      #expect(try await api.call(.get, "/readyz").status == 200)
      #expect(try await api.call(.get, "/v1/browsers").member("items", as: [[String: Any]].self).count == 1)
      #expect(try await api.call(.put, Self.browser).status == 201)
    }
  }

  @Test func itsDeletionFreesItsName() async throws {
    try await Self.test("test") { api in
      let answer = try await api.call(.delete, Self.browser)
      #expect(answer.status == 204)
      #expect(try await api.call(.get, Self.browser).status == 404)
      #expect(try await api.call(.put, Self.browser).status == 201)
    }
  }

  @Test func theDefaultBrowserIsCreatedAgain() async throws {
    try await Self.test("default") { api async throws in
      #expect(try await api.call(.get, "/v1/browsers/default").status == 503)
      #expect(try await api.call(.delete, "/v1/browsers/default").status == 204)
      #expect(try await api.call(.get, "/v1/browsers/default").status == 200)
      #expect(try await api.call(.delete, "/v1/browsers/default").status == 409)
    }
  }
}
