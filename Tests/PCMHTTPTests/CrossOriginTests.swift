import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import PCMHTTP
import Testing

/// Pages of other origins can neither control the service nor read from it.
@Suite struct CrossOriginTests {
  private struct Answer {
    let status: Int
    let headers: HTTPFields
    let text: String
  }

  /// The authority of requests without a socket is `localhost`.
  private func ask(
    _ method: HTTPRequest.Method, _ path: String, _ headers: [(String, String)], body: String? = nil
  ) async throws -> Answer {
    let router = try await API.router(access: AccessRules(hosts: ["127.0.0.1", "localhost"], token: nil))
    var fields = HTTPFields()
    for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
    return try await Application(router: router).test(.router) { [fields] client in
      try await client.execute(uri: path, method: method, headers: fields, body: body.map { ByteBuffer(string: $0) }) {
        Answer(status: $0.status.code, headers: $0.headers, text: String(buffer: $0.body))
      }
    }
  }

  private func expectNoLeave(_ answer: Answer, _ status: Int) {
    #expect(answer.status == status, "\(answer.text)")
    #expect(!answer.headers.contains { $0.name.canonicalName.hasPrefix("access-control-") })
  }

  @Test(
    arguments: [
      "https://evil.example", "http://localhost:3000", "http://localhost.evil.example", "null", "file://", "localhost",
      "http://evil.example/http://localhost", "", "http://127.0.0.1:8726", "ftp://localhost",
    ])
  func otherOriginsAreRejected(_ origin: String) async throws {
    for method in [HTTPRequest.Method.get, .post, .delete, .put] {
      let answer = try await ask(method, "/v1/browsers/default/data", [("Origin", origin)])
      expectNoLeave(answer, 403)
      #expect(answer.headers[.contentType] == "application/problem+json")
      #expect(answer.text.contains("urn:pcm-browser:problem:cross-origin"))
    }
  }

  @Test func aPostThatNeedsNoPreflightDoesNothing() async throws {
    let click = #"{"pageURL":"https://a.example/","attributionSourceID":"1","attributionDestination":"https://b.example"}"#
    let answer = try await ask(
      .post, "/v1/browsers/default/link-clicks", [("Origin", "https://evil.example"), ("Content-Type", "text/plain")],
      body: click)
    expectNoLeave(answer, 403)
  }

  @Test func preflightRequestsAreRejected() async throws {
    let preflight = [("Origin", "https://evil.example"), ("Access-Control-Request-Method", "DELETE")]
    expectNoLeave(try await ask(.options, "/v1/browsers/default", preflight), 403)
    expectNoLeave(try await ask(.options, "/v1/browsers/default", []), 405)
  }

  @Test(arguments: ["http://localhost", "https://localhost", "HTTP://LOCALHOST"])
  func theServicesPageIsAllowed(_ origin: String) async throws {
    let answer = try await ask(.delete, "/v1/browsers/default/data", [("Origin", origin), ("Sec-Fetch-Site", "same-origin")])
    expectNoLeave(answer, 204)
  }

  @Test(arguments: [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200), ("Cross-Site", 403)])
  func fetchMetadataIsEvaluated(_ site: String, _ status: Int) async throws {
    expectNoLeave(try await ask(.get, "/v1/browsers", [("Sec-Fetch-Site", site)]), status)
  }

  @Test(arguments: [("navigate", "document", 200), ("navigate", "iframe", 403), ("no-cors", "image", 403)])
  func linksToTheServiceWork(_ mode: String, _ destination: String, _ status: Int) async throws {
    let fields = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", destination)]
    expectNoLeave(try await ask(.get, "/", fields), status)
    expectNoLeave(try await ask(.delete, "/v1/browsers/default/data", fields), 403)
  }

  @Test func callersWithoutOriginAreAllowed() async throws {
    expectNoLeave(try await ask(.get, "/v1/browsers", []), 200)
  }
}
