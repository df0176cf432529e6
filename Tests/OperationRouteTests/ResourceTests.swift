import HTTPSupport
import HTTPTypes
import Testing

/// Browsers, apps, lists, and the resources of the service.
@Suite struct ResourceTests {
  /// A caller that lost the response repeats its request, and other tests may have used the browser since.
  @Test(
    arguments: [
      #"{"storage":"ephemeral","seed":"x","clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"settings":{"debugMode":true}}"#,
      #"{"clock":{"mode":"manual"}}"#, "{}", "",
    ])
  func theRequestThatCreatedABrowserIsAlwaysAcceptedAgain(_ body: String) async throws {
    try await API.test { api in
      let path = "/v1/browsers/repeated"
      #expect(try await api.call(.put, path, body).status == 201)
      #expect(try await api.call(.put, path, body).status == 200)
      if body.contains("manual") {
        #expect(try await api.call(.post, path + "/clock/advance", #"{"by":"PT1H"}"#).status == 200)
      }
      let changed = try await api.call(.patch, path, #"{"settings":{"debugMode":false,"deliveryPolicy":"reliable"}}"#)
      let repeated = try await api.call(.put, path, body)
      #expect(repeated.status == 200)
      if body.contains("manual") { #expect(repeated.text == changed.text, "nothing is changed back") }
      #expect(try await api.call(.put, path, #"{"settings":{"deliveryPolicy":"reliable"}}"#).status == 200)
    }
  }

  @Test(arguments: [
    (#"{"storage":"ephemeral"}"#, "storage"), (#"{"seed":"other"}"#, "seed"), (#"{"clock":{"mode":"real"}}"#, "clock.mode"),
    (#"{"clock":{"mode":"manual","start":"2026-11-20T11:00:00Z"}}"#, "clock.start"),
    (#"{"settings":{"debugMode":true}}"#, "settings"),
  ])
  func aDifferentValueThanThatOfTheCreationIsAConflict(_ body: String, _ member: String) async throws {
    try await API.test { api async throws in
      let answer = try await api.call(.put, "/v1/browsers/test", body)
      #expect(answer.status == 409)
      #expect(try answer.member("detail", as: String.self).hasPrefix("\(member): "))
    }
  }

  @Test func aBrowserWithoutAChosenNameGetsOne() async throws {
    try await API.test { api in
      let first = try await api.call(.post, "/v1/browsers", #"{"clock":{"mode":"manual"}}"#)
      #expect(first.status == 201)
      let name = try first.member("name", as: String.self)
      #expect(first.headers[.location] == "/v1/browsers/\(name)")
      #expect(try await api.call(.get, "/v1/browsers/\(name)").text == first.text)
      let named = try await api.call(.post, "/v1/browsers", #"{"name":"chosen"}"#)
      #expect(named.status == 422)
      #expect(try named.member("detail", as: String.self).contains("PUT /v1/browsers/chosen"))
    }
  }

  @Test func theServiceListsItsVersionsCapabilitiesLimitsAndLinks() async throws {
    try await API.test { api in
      let answer = try await api.call(.get, "/v1")
      #expect(try answer.member("versions", as: [String].self) == ["v1"])
      #expect(try answer.member("capabilities", as: [String].self).contains("scenarios"))
      let limits = try answer.member("limits", as: [String: Any].self)
      #expect(limits["bodyBytes"] as? Int == 65_536)
      let most = try #require(limits["itemsPerPage"] as? Int)
      #expect(try await api.call(.get, "/v1/browsers?limit=\(most)").status == 200)
      #expect(try await api.call(.get, "/v1/browsers?limit=\(most + 1)").status == 422)
      let links = try answer.member("links", as: [String: String].self)
      for path in links.values where path != "/v1/scenarios" {
        #expect(try await api.call(.get, path).status == 200, "\(path)")
      }
      #expect(try await api.call(.post, try #require(links["scenarios"]), "{}").status != 404)
    }
  }

  @Test func theDefaultBrowserCannotBeDeleted() async throws {
    try await API.test { api in
      let before = try await api.call(.get, "/v1/browsers/default")
      #expect(before.text.contains(#""storage":"durable","seed":"drawn","clock":{"mode":"real""#))
      let answer = try await api.call(.delete, "/v1/browsers/default")
      #expect(answer.status == 409)
      #expect(try answer.member("detail", as: String.self).contains("DELETE /v1/browsers/default/data"))
      #expect(try await api.call(.get, "/v1/browsers/default").status == 200)
    }
  }

  @Test func aRealClockCannotAdvance() async throws {
    try await API.test { api async throws in
      #expect(try await api.call(.post, "/v1/browsers/default/clock/advance", #"{"by":"PT1H"}"#).status == 409)
    }
  }

  @Test func aWaitEndsWithTheEventOrTheTimeout() async throws {
    try await API.test { api in
      let known = try await api.call(.get, "/v1/browsers/test/events?kind=app-registered&wait=PT5S")
      #expect(known.status == 200)
      #expect(known.text.hasPrefix(#"{"items":[{"sequence":1,"#))
      #expect(known.text.hasSuffix(#","timedOut":false}"#))
      #expect(try known.position("resumeAfter") == "1")
      let late = try await api.call(.get, "/v1/browsers/test/events?kind=app-registered&wait=PT5S&after=1")
      #expect(late.status == 200)
      #expect(try late.member("timedOut") == true)
      #expect(try late.position("resumeAfter") == "1")
      #expect(try await api.call(.get, "/v1/browsers/test/events?kind=nonsense").status == 422)
      #expect(try await api.call(.get, "/v1/browsers/test/events?kind=attributed&wait=5").status == 422)
    }
  }
}
