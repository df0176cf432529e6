import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import PCMCore
import PCMHTTP
import Testing

/// Names of browsers in paths, links, and lists.
@Suite struct BrowserNameTests {
  private static let names = [
    "tests/test_ads.py::test_tap[https://shop.example-ü]", "100%", "%2F", "a?b=c#d", "a b", "...", "apps", "e\u{301}\u{301}",
    "clock/advance", "\"'\\<&>", String(repeating: "👩‍💻", count: 18),
  ]

  @Test(arguments: names)
  func everyRouteFindsABrowserByItsEncodedName(_ name: String) async throws {
    try await API.test { api in
      let path = BrowserName(name).path
      let created = try await api.call(.put, path, #"{"storage":"ephemeral","seed":"1","clock":{"mode":"manual"}}"#)
      #expect(created.status == 201)
      #expect(created.headers[.location] == path)
      #expect(try await api.call(.get, path).member("name") == name)
      let prefix = "/v1/browsers/test/"
      for (method, call) in try await OpenAPIDocument(api).calls where call.hasPrefix(prefix) {
        let tail = call.dropFirst(prefix.count)
        let (expected, answer) = (try await api.call(method, call), try await api.call(method, "\(path)/\(tail)"))
        #expect(answer.status == expected.status, "\(method) \(tail)")
        let detail = (try? answer.object["detail"] as? String) ?? ""
        #expect(!detail.contains("no browser") && !detail.contains("the resource"), "\(method) \(tail): \(detail)")
      }
      #expect(try await api.call(.delete, path).status == 204)
      let missing = try await api.call(.get, path)
      #expect(missing.status == 404)
      #expect(try missing.member("detail", as: String.self).hasSuffix("PUT \(path) creates it"))
      #expect(try await api.call(.get, "/v1/browsers/test").status == 200)
    }
  }

  /// The position in the cursor of a list is a name.
  @Test(arguments: names + ["\u{301}a", "\u{200D}b"])
  func aListContinuesAfterEveryName(_ name: String) async throws {
    try await API.test { api in
      for name in [name, name + "z"] { try await api.call(.put, BrowserName(name).path, #"{"seed":"1"}"#) }
      let listed = try await api.items("/v1/browsers?limit=1").compactMap { $0["name"] as? String }
      #expect(listed.filter { $0.hasPrefix(name) }.count == 2, "\(listed)")
    }
  }

  @Test(arguments: [
    ("%2E", "is not a name"), ("%2e%2E", "is not a name"), ("%20a", "white space"), ("a%0A", "U+000A"),
    ("a%E2%80%AEb", "U+202E"),
    (String(repeating: "%C3%BC", count: 101), "202 bytes"), ("%FF", "not UTF-8"), ("100%", "%25"), ("%zz", "%25"),
  ])
  func anInvalidNameIsAnErrorOfThePath(_ part: String, _ detail: String) async throws {
    try await API.test { api in
      for (method, tail) in [(.put, ""), (.get, ""), (.delete, ""), (.get, "/events")] as [(HTTPRequest.Method, String)] {
        let answer = try await api.call(method, "/v1/browsers/\(part)\(tail)")
        #expect(answer.status == 422, "\(method) \(answer.text)")
        let entry = try #require(try answer.member("errors", as: [[String: Any]].self).first)
        #expect(entry["parameter"] as? String == "browser")
        #expect((entry["detail"] as? String)?.contains(detail) == true, "\(answer.text)")
      }
    }
  }

  @Test func equivalentFormsOfALetterAreDifferentNames() async throws {
    try await API.test { api async throws in
      #expect(try await api.call(.put, "/v1/browsers/%C3%A9", #"{"seed":"composed"}"#).status == 201)
      #expect(try await api.call(.get, "/v1/browsers/e%CC%81").status == 404)
      #expect(try await api.call(.put, "/v1/browsers/e%CC%81", #"{"name":"é","seed":"x"}"#).status == 422)
      #expect(try await api.call(.put, "/v1/browsers/e%CC%81", #"{"seed":"decomposed"}"#).status == 201)
      #expect(try await api.call(.get, "/v1/browsers/%C3%A9").member("seed") == "composed")
    }
  }

  @Test func aListOfAnyNamesHasPages() async throws {
    try await API.test { api in
      for name in Self.names { #expect(try await api.call(.put, BrowserName(name).path).status == 201) }
      let found = try await api.items("/v1/browsers?limit=2").compactMap { $0["name"] as? String }
      let expected = (Self.names + ["default", "test"]).map(BrowserName.init).sorted()
      #expect(found.map(BrowserName.init) == expected)
    }
  }

  @Test func metricsContainNoNames() async throws {
    let api = try await API.metered()
    try await Application(router: api.router()).test(.router) { client in
      let (api, path) = (API(client: client), BrowserName("secret/name").path)
      #expect(try await api.call(.put, path).status == 201)
      #expect(try await api.call(.get, "\(path)/events").status == 200)
      let text = try await api.call(.get, "/metrics").text
      #expect(text.contains(#"route="/v1/browsers/{browser}/events""#) && !text.contains("secret"))
    }
  }

  @Test func theNameOfASpecificationIsEncodedInItsHint() async throws {
    try await API.test { api async throws in
      let answer = try await api.call(.post, "/v1/browsers", #"{"name":"a/b"}"#)
      #expect(try answer.member("detail", as: String.self).contains("PUT /v1/browsers/a%2Fb creates one"))
      #expect(try await api.call(.post, "/v1/browsers", #"{"name":"a\n"}"#).pointers == ["/name"])
    }
  }
}
