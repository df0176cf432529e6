import HTTPSupport
import HTTPTypes
import Testing

/// `POST /v1/scenarios`: a scenario in one call.
@Suite struct ScenarioRouteTests {
  private func play(_ text: String, type: String = "application/yaml") async throws -> API.Answer {
    let router = try await API.router()
    return try await API.answer(of: router) { try await $0.call(.post, "/v1/scenarios", text, type: type) }
  }

  @Test(arguments: ["application/yaml", "application/x-yaml", "text/yaml", "Application/YAML; charset=utf-8"])
  func aScenarioIsPlayed(_ type: String) async throws {
    let answer = try await play(API.scenario, type: type)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(try answer.member("outcome") == "passed")
    #expect(try answer.member("seed") == "A tap is stored")
  }

  @Test func aFailedScenarioReturns200() async throws {
    let answer = try await play(API.scenario.replacing("outcome: stored", with: "outcome: ephemeral"))
    #expect(answer.status == 200)
    #expect(try answer.member("outcome") == "failed")
    let failure: [String: Any] = try answer.member("failure")
    let mismatch = try #require((failure["mismatches"] as? [[String: Any]])?.first)
    #expect(mismatch["line"] as? Int == 7)
    #expect(mismatch["pointer"] as? String == "/steps/0/expect/outcome")
  }

  @Test func aScenarioLeavesNoBrowser() async throws {
    try await API.test { api in
      try await api.call(.post, "/v1/scenarios", API.scenario, type: "text/yaml")
      #expect(try await api.call(.get, "/v1/browsers/scenario").status == 404)
      let browsers: [[String: Any]] = try await api.call(.get, "/v1/browsers").member("items")
      #expect(browsers.compactMap { $0["name"] as? String } == ["default", "test"])
    }
  }

  @Test(arguments: ["steps: [", "a: b: c", "\"unfinished", "a: &x 1\nb: *x", "\u{0}", "- - -\n  -\n - [}"])
  func invalidYAMLIsMalformed(_ text: String) async throws {
    let answer = try await play(text)
    #expect(answer.status == 400, "\(text): \(answer.text)")
    let errors: [[String: Any]] = try answer.member("errors")
    #expect(errors.allSatisfy { $0["line"] is Int && $0["column"] is Int && $0["detail"] is String }, "\(answer.text)")
    #expect(!errors.isEmpty)
  }

  @Test func allErrorsHaveTheirPlaces() async throws {
    let wrong = API.scenario.replacing("outcome: stored", with: "outcom: stored").replacing(
      "rule: \"section 2\"", with: "rule: 7")
    let answer = try await play(wrong)
    #expect(answer.status == 422)
    #expect(try answer.pointers == ["/rule", "/steps/0/expect/outcom"])
    let errors: [[String: Any]] = try answer.member("errors")
    #expect(errors.map { $0["line"] as? Int } == [2, 7])
    #expect(errors.map { $0["column"] as? Int } == [7, 15])
  }

  @Test func localFilesAreRejected() async throws {
    let answer = try await play("scenario: x\nsteps:\n  - app: { manifest: /etc/passwd }\n")
    #expect(answer.status == 422)
    #expect(try answer.pointers == ["/steps/0/app/manifest"])
  }

  @Test func aScenarioNamesTheAppOfASourceManifest() async throws {
    let keys =
      "<key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>"
      + "<key>NSAdvertisingAttributionReportEndpoint</key><string>https://news.example</string>"
    let step = { (name: String) in "  - app: { plist: '<plist><dict>\(keys)</dict></plist>'\(name) }\n" }
    let tap =
      "  - event-attribution: { bundleIdentifier: com.example.given, sourceIdentifier: 4, "
      + "destinationURL: 'https://shop.example/' }\n    expect: { outcome: stored }\n"
    let named = try await play("scenario: x\nsteps:\n\(step(", bundleIdentifier: com.example.given"))\(tap)")
    #expect(try named.member("outcome") == "passed", "\(named.text)")
    let unnamed = try await play("scenario: x\nsteps:\n\(step(""))")
    #expect(try unnamed.member("outcome") == "failed")
    #expect(unnamed.text.contains("add bundleIdentifier next to manifest or plist"), "\(unnamed.text)")
  }
}
