import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import PCMHTTP
import Testing

/// The website of the documentation, which a package may have.
@Suite struct WebsiteRouteTests {
  private static let files = [
    "documentation/pcm-browser/index.html":
      "<script>var baseUrl = \"/documentation/\"</script><script src=\"/documentation/js/a.js\">",
    "js/a.js": "start()", "data/documentation/pcm-browser.json": "{}", ".hidden.js": "secret", "notes.txt": "secret",
  ]
  private static let website = Website { path in files[path].map { Array($0.utf8) } }

  private func get(_ path: String, from website: Website = website) async throws -> TestResponse {
    let router = try await API.router(access: AccessRules(hosts: nil, token: "secret"), website: website)
    return try await Application(router: router).test(.router) { try await $0.execute(uri: path, method: .get) }
  }

  @Test(
    "Pages and files need no token, and have the policy of all pages",
    arguments: [
      ("/documentation/documentation/pcm-browser", "text/html; charset=utf-8"),
      ("/documentation/documentation/pcm-browser/", "text/html; charset=utf-8"),
      ("/documentation/js/a.js", "text/javascript; charset=utf-8"),
      ("/documentation/data/documentation/pcm-browser.json", "application/json"),
    ])
  func files(_ path: String, _ mediaType: String) async throws {
    let answer = try await get(path)
    #expect(answer.status == .ok && answer.headers[.contentType] == mediaType)
    let policy = try #require(answer.headers[.contentSecurityPolicy])
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'") && !policy.contains("unsafe"))
    // openssl dgst -sha256 -binary | base64, of: var baseUrl = "/documentation/"
    let hash = "script-src 'self' 'sha256-lJA+gvCd7o3z4B0MohPQ5aimsy6USUHwFKiK41SFTVY=';"
    #expect(policy.contains(hash) == (mediaType.hasPrefix("text/html")), "\(policy)")
  }

  @Test(
    "Other paths have no file",
    arguments: [
      "/documentation/none", "/documentation/js/b.js", "/documentation/.hidden.js", "/documentation/js/../js/a.js",
      "/documentation/notes.txt", "/documentation/js", "/documentation/%2e%2e/a.js",
    ])
  func otherPaths(_ path: String) async throws {
    #expect(try await get(path).status == .notFound)
  }

  @Test("The address leads to the first page, or says where the documentation is")
  func address() async throws {
    let answer = try await get("/documentation")
    #expect(answer.status == .found && answer.headers[.location] == "/documentation/documentation/pcm-browser")
    let missing = try await get("/documentation", from: .none)
    #expect(missing.status == .ok && String(buffer: missing.body).contains("scripts/documentation FOLDER"))
    #expect(try await get("/documentation/js/a.js", from: .none).status == .notFound)
    #expect(String(buffer: try await get("/").body).contains("<a href=\"/documentation\">Documentation</a>"))
  }
}
