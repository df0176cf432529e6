import HTTPSupport
import HTTPTypes
import PCMCore
import PCMStore
import Testing

/// `GET /v1/browsers/{browser}/scenario`.
@Suite struct HistoryRouteTests {
  private static let path = "/v1/browsers/test/scenario"

  @Test func theScenarioOfAStoryPassesAsYAMLAndAsJSON() async throws {
    try await API.test { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      try await api.call(.post, "/v1/browsers/test/clock/advance", #"{"untilIdle":true}"#)
      let yaml = try await api.call(.get, Self.path)
      #expect(yaml.status == 200 && yaml.headers[.contentType] == "application/yaml", "\(yaml.text)")
      #expect(yaml.text.contains("scenario: \"recording of test\"\n") && yaml.text.contains("com.example.news"))
      #expect(yaml.text.contains(#""events": ["report-sent", "report-delivered", "report-sent", "report-delivered"]"#))
      let json = try await api.call(.get, Self.path, headers: [.accept: "application/json"])
      #expect(json.headers[.contentType] == "application/json")
      #expect(try json.member("steps", as: [[String: Any]].self).count == 4)
      for (file, type) in [(yaml, "application/yaml"), (json, "application/json")] {
        let result = try await api.call(.post, "/v1/scenarios", file.text, type: type)
        #expect(try result.member("outcome") == "passed", "\(result.text)\n\(file.text)")
      }
    }
  }

  @Test func missingHistoriesHaveTheirCodes() async throws {
    let store = MemoryStore()
    try await API.test(store: store) { api in
      func code(_ path: String) async throws -> String {
        let answer = try await api.call(.get, path)
        #expect(answer.status == 409, "\(answer.text)")
        #expect(try answer.member("retryable") == false)
        return try answer.member("code")
      }
      #expect(try await code("/v1/browsers/default/scenario") == "scenario-clock-real")
      let record = try #require(try await store.browsers().first { $0.name == "test" })
      for (ending, expected) in [
        (JournalEnding.interrupted, "interrupted"), (.full, "too-long"),
      ] {
        let body = #"{"name":"\#(expected)"}"#
        #expect(try await api.call(.post, "/v1/browsers/test/forks", body).status == 201)
        let fork = try #require(try await store.browsers().first { $0.name == expected })
        #expect(fork.id != record.id)
        try await store.write(fork.id) { try $0.endJournal(ending) }
        #expect(try await code("/v1/browsers/\(expected)/scenario") == "scenario-\(expected)")
      }
    }
  }

  @Test func binaryManifestsAreInTheScenario() async throws {
    try await API.test { api in
      let answer = try await api.put(manifest: "binary")
      #expect(answer.status == 200, "\(answer.text)")
      let file = try await api.call(.get, Self.path).text
      let result = try await api.call(.post, "/v1/scenarios", file, type: "application/yaml")
      #expect(try result.member("outcome") == "passed", "\(result.text)\n\(file)")
    }
  }
}
