import HTTPSupport
import HTTPTypes
import PCMCore
import Testing

/// The documentation of the API and the files of its viewer.
@Suite struct DocumentationRouteTests {
  @Test(
    "The documentation has the policy of all pages, without unsafe-inline",
    arguments: [
      ("/docs", "text/html"), ("/assets/docs.js", "text/javascript"), ("/assets/docs.css", "text/css"),
      ("/assets/swagger-ui-bundle.js", "text/javascript"), ("/assets/swagger-ui.css", "text/css"),
    ])
  func headers(_ path: String, _ mediaType: String) async throws {
    try await API.test { api in
      let answer = try await api.call(.get, path)
      #expect(answer.status == 200 && answer.headers[.contentType] == "\(mediaType); charset=utf-8")
      let policy = answer.headers[.contentSecurityPolicy] ?? ""
      #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';") && !policy.contains("unsafe"))
    }
  }

  @Test("The viewer is sent once")
  func unchangedFile() async throws {
    try await API.test { api in
      let first = try await api.call(.get, "/assets/swagger-ui-bundle.js")
      #expect(first.text.contains("SwaggerUIBundle"))
      let tag = try #require(first.headers[.eTag])
      let again = try await api.call(.get, "/assets/swagger-ui-bundle.js", headers: [.ifNoneMatch: tag])
      #expect(again.status == 304 && again.text.isEmpty)
    }
  }

  @Test("The page loads everything from the service")
  func noOtherHost() async throws {
    try await API.test { api in
      let html = try await api.call(.get, "/docs").text
      #expect(!html.contains("://") && !html.contains(" style=") && !html.contains("<script>"))
    }
  }
}
