import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import PCMHTTP
import Testing

/// Access tokens and host names.
@Suite struct AccessTests {
  private func status(_ rules: AccessRules, path: String = "/v1/browsers", authorization: String? = nil) async throws -> Int {
    let router = try await API.router(access: rules)
    let headers: HTTPFields = authorization.map { [.authorization: $0] } ?? [:]
    return try await Application(router: router).test(.router) { client in
      try await client.execute(uri: path, method: .get, headers: headers) { $0.status.code }
    }
  }

  @Test(
    arguments: [
      (nil, 401), ("Bearer wrong!", 401), ("Bearer secret!", 200), ("bearer secret!", 200), ("Basic secret!", 401),
      ("Bearer secret", 401), ("secret!", 401),
    ] as [(String?, Int)])
  func theTokenIsRequired(_ authorization: String?, _ expected: Int) async throws {
    #expect(try await status(AccessRules(hosts: nil, token: "secret!"), authorization: authorization) == expected)
  }

  @Test(arguments: [
    ("/healthz", 200), ("/readyz", 200), ("/", 200), ("/browsers/test", 200), ("/assets/page.js", 200), ("/browsers", 401),
    ("/metrics", 200),
    ("/browsers/test/summary", 401), ("/nothing", 401),
  ])
  func onlyProbesAndPagesNeedNoToken(_ path: String, _ expected: Int) async throws {
    #expect(try await status(AccessRules(hosts: nil, token: "secret"), path: path) == expected)
  }

  @Test func anotherHostIsMisdirected() async throws {
    #expect(try await status(AccessRules(hosts: ["127.0.0.1"], token: nil)) == 421)
    #expect(try await status(AccessRules(hosts: ["LOCALHOST"], token: nil)) == 200)
  }

  @Test(
    arguments: [
      ("localhost", true), ("LocalHost:1234", true), ("127.0.0.1:8726", true), ("[::1]:8726", true), ("[::1]", true),
      (nil, false),
      ("localhost:0", true), ("[::1]:65535", true), ("localhost:x", false), ("localhost:", true), ("localhost:80x", false),
      ("localhost:+80", false), ("localhost:65536", false), ("localhost:80:80", false), ("[::1].evil.example", false),
      ("[::1]evil.example:80", false), ("[::1]:x", false), ("[::1", false), ("::1", false), ("user@localhost", false),
      ("localhost/", false), ("localhost,evil.example", false), ("localhost ", false),
      ("evil.example", false), ("localhost.evil.example", false), ("evil.example:8726", false), ("", false),
    ] as [(String?, Bool)])
  func theServiceAcceptsItsHostNames(_ authority: String?, _ expected: Bool) {
    let rules = AccessRules(hosts: ["127.0.0.1", "::1", "localhost"], token: nil)
    #expect(rules.serves(authority: authority) == expected)
  }

  @Test("A name with an asterisk stands for the hosts of its domain")
  func wildcard() {
    let rules = AccessRules(hosts: ["*.news.example", "localhost"], token: nil)
    for (host, isServed) in [
      ("www.news.example:8443", true), ("localhost:", true), ("news.example", false), ("a.b.news.example", false),
      ("*.news.example", false), ("evil.example", false),
    ] {
      #expect(rules.serves(authority: host) == isServed, "\(host)")
    }
  }

  @Test(
    "A web browser takes no response for another media type",
    arguments: [
      "/", "/v1", "/v1/browsers", "/v1/browsers/default", "/v1/browsers/default/events", "/v1/browsers/default/scenario",
      "/v1/browsers/default/explain?about=shop.example", "/v1/browsers/none", "/v1/none", "/healthz", "/metrics",
      "/openapi.json", "/docs",
    ])
  func noSniffing(_ path: String) async throws {
    let router = try await API.router(access: AccessRules(hosts: ["localhost"], token: nil))
    try await Application(router: router).test(.router) { client in
      let answer = try await client.execute(uri: path, method: .get)
      #expect(answer.headers[.xContentTypeOptions] == "nosniff")
    }
  }
}
