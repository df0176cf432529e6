import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import PCMStore
import Testing

/// Requests to a process about browsers that another process over the same store deleted.
@Suite struct StaleBrowserTests {
  private static let browser = "/v1/browsers/test"
  private static let clock = #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"}}"#
  private static let click =
    #"{"pageURL":"https://news.example/","attributionSourceID":"4","attributionDestination":"https://shop.example"}"#

  private static func test(_ body: @escaping @Sendable (_ one: API, _ other: API) async throws -> Void) async throws {
    let store = MemoryStore()
    let one = Application(router: try await API.router(store: store))
    let other = Application(router: try await API.router(store: store))
    try await one.test(.router) { one in
      try await other.test(.router) { try await body(API(client: one), API(client: $0)) }
    }
  }

  @Test("A request with or without a body reaches the browser that was created again, once")
  func replacement() async throws {
    try await Self.test { one, other in
      let name = try #require(HTTPField.Name("Browser-Incarnation"))
      for (method, path, body) in [
        (HTTPRequest.Method.get, "", ""), (.post, "/link-clicks", Self.click), (.patch, "", #"{"labels":{"a":"1"}}"#),
        (.put, "", "{}"), (.post, "/clock/advance", #"{"by":"PT1H"}"#),
      ] {
        #expect(try await one.call(.put, Self.browser, Self.clock).status == 201)
        #expect(try await other.call(.get, Self.browser).status == 200)
        #expect(try await one.call(.delete, Self.browser).status == 204)
        let new = try await one.call(.put, Self.browser, Self.clock)
        let answer = try await other.call(method, Self.browser + path, body)
        #expect((200...201).contains(answer.status), "\(method) \(path): \(answer.text)")
        #expect(answer.headers[name] == new.headers[name] && new.headers[name] != nil, "\(method) \(path)")
        let clicks = try await one.call(.get, "\(Self.browser)/clicks").member("items", as: [[String: Any]].self)
        #expect(clicks.count == (path == "/link-clicks" ? 1 : 0))
        #expect(try await one.call(.delete, Self.browser).status == 204)
      }
    }
  }

  @Test("A browser that was deleted elsewhere is 404 as if it had never existed")
  func deletion() async throws {
    try await Self.test { one, other in
      for (method, path, body) in [
        (HTTPRequest.Method.get, "", ""), (.post, "/link-clicks", Self.click), (.delete, "", ""), (.patch, "", "{}"),
      ] {
        #expect(try await one.call(.put, Self.browser, Self.clock).status == 201)
        #expect(try await other.call(.get, Self.browser).status == 200)
        #expect(try await one.call(.delete, Self.browser).status == 204)
        let answer = try await other.call(method, Self.browser + path, body)
        #expect(answer.status == 404 && answer.text.contains("PUT /v1/browsers/test creates it"), "\(method): \(answer.text)")
      }
    }
  }
}
