import HTTPSupport
import HTTPTypes
import Testing

/// Browsers, apps, lists, and the resources of the service.
@Suite struct ResourceTests {
  @Test func aBrowserIsCreatedChangedListedAndDeleted() async throws {
    try await API.test { api in
      let body =
        #"{"name":"a.b_c-1","storage":"ephemeral","seed":"x","clock":{"mode":"manual","start":"2026-11-20T12:00:00+02:00"},"settings":{"debugMode":true}}"#
      let created = try await api.call(.put, "/v1/browsers/a.b_c-1", body)
      #expect(created.status == 201)
      #expect(created.headers[.location] == "/v1/browsers/a.b_c-1")
      #expect(
        created.text
          == #"{"name":"a.b_c-1","storage":"ephemeral","seed":"x","clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z","now":"2026-11-20T10:00:00.000Z"},"settings":{"measurementEnabled":true,"privateBrowsing":false,"debugMode":true,"deliveryPolicy":"webkit","reportURL":"well-known","logRetention":{"maximumCount":1000000,"maximumAge":"PT9600H"}},"device":{"systemVersion":"18.6","country":"US","developerMode":false,"developerModeSince":null,"testingProfile":false,"testingProfileSince":null,"minimumViewTime":"PT2S","conversionWindowStart":"launch","sourceDomain":"displaying-site","postbackKeys":"test","escapedSlashes":true},"labels":{},"createdAt":"2026-11-20T10:00:00.000Z","incarnation":"4-drawn"}"#
      )
      let retained = try await api.call(
        .patch, "/v1/browsers/a.b_c-1", #"{"settings":{"logRetention":{"maximumAge":"P7D"}}}"#)
      #expect(retained.text.contains(#""logRetention":{"maximumCount":1000000,"maximumAge":"PT168H"}"#))
      let changed = try await api.call(.patch, "/v1/browsers/a.b_c-1", #"{"settings":{"deliveryPolicy":"reliable"}}"#)
      #expect(changed.status == 200)
      #expect(changed.text.contains(#""debugMode":true,"deliveryPolicy":"reliable""#))
      #expect(try await api.call(.get, "/v1/browsers/a.b_c-1").text == changed.text)
      let names = try await api.call(.get, "/v1/browsers").member("items", as: [[String: Any]].self).map {
        $0["name"] as? String
      }
      #expect(names == ["a.b_c-1", "default", "test"])
      #expect(try await api.call(.delete, "/v1/browsers/a.b_c-1").status == 204)
      #expect(try await api.call(.get, "/v1/browsers/a.b_c-1").status == 404)
    }
  }

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

  @Test func aBrowserNeedsNoBody() async throws {
    try await API.test { api async throws in
      #expect(try await api.call(.put, "/v1/browsers/plain").status == 201)
    }
  }

  @Test func appsAreRegisteredListedAndRemoved() async throws {
    try await API.test { api in
      let answer = try await api.put(manifest: "subdomain-and-path")
      #expect(answer.status == 200)
      #expect(try answer.member("findings", as: [Any].self).count > 2)
      let id: String = try answer.member("bundleIdentifier")
      #expect(try await api.call(.get, "/v1/browsers/test/apps/\(id)").text == answer.text)
      #expect(try await api.call(.get, "/v1/browsers/test/apps").member("items", as: [Any].self).count >= 1)
      #expect(try await api.call(.delete, "/v1/browsers/test/apps/\(id)").status == 204)
      #expect(try await api.call(.get, "/v1/browsers/test/apps/\(id)").status == 404)
      #expect(try await api.call(.delete, "/v1/browsers/test/apps/\(id)").status == 404)
    }
  }

  @Test func anAppWithoutAnEndpointIsAcceptedWithAFinding() async throws {
    try await API.test { api in
      let answer = try await api.put(manifest: "no-endpoint")
      #expect(answer.status == 200)
      #expect(answer.text.contains("endpoint-missing"))
      let id: String = try answer.member("bundleIdentifier")
      let click = try await api.call(
        .post, "/v1/browsers/test/event-attributions", API.eventAttribution.replacing("com.example.news", with: id))
      #expect(click.text.contains("no-report-endpoint"))
    }
  }

  @Test func listsHavePages() async throws {
    try await API.test { api in
      for number in 0..<7 {
        let body = API.eventAttribution.replacing("shop.example", with: "shop\(number).example")
        #expect(try await api.call(.post, "/v1/browsers/test/event-attributions", body).status == 201)
      }
      let items = try await api.items("/v1/browsers/test/events?limit=3")
      #expect(items.compactMap { $0["sequence"] as? Int } == Array(1...8))
    }
  }

  @Test(arguments: [1, 2, 3, 100])
  func reportsOfSeveralStatesHavePages(_ limit: Int) async throws {
    try await API.test { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      try await api.advance("P3D")
      for number in 1...2 {
        _ = try await api.tap(["destinationURL": "https://d\(number).example/"])
        _ = try await api.trigger(page: "https://d\(number).example/")
      }
      func states(_ filter: String) async throws -> [String] {
        try await api.items("/v1/browsers/test/reports?\(filter)&limit=\(limit)").compactMap { $0["state"] as? String }
      }
      let all = ["delivered", "delivered", "scheduled", "scheduled", "scheduled", "scheduled"]
      #expect(try await states("state=scheduled&state=delivered") == all)
      #expect(try await states("state=delivered&state=failed&state=delivered") == ["delivered", "delivered"])
      #expect(try await states("state=failed&state=cleared").isEmpty)
    }
  }

  @Test func probesReturnTheState() async throws {
    try await API.test { api in
      let health = try await api.call(.get, "/healthz")
      #expect(health.text == #"{"status":"ok"}"#)
      let readiness = try await api.call(.get, "/readyz")
      #expect(readiness.text == #"{"status":"ready"}"#)
    }
  }

  @Test(arguments: [
    (#"{"by":"PT1H"}"#, 200), (#"{"to":"2026-11-21T00:00:00Z"}"#, 200), (#"{"toNextEvent":true}"#, 200),
    (#"{"untilIdle":true}"#, 200),
    (#"{"to":"2026-11-20T09:59:59Z"}"#, 422), ("{}", 422), (#"{"by":"PT1H","untilIdle":true}"#, 422), (#"{"by":"1h"}"#, 422),
    (#"{"toNextEvent":false}"#, 422), (#"{"by":"P9999999D"}"#, 422), (#"{"to":"tomorrow"}"#, 422),
  ])
  func aClockAdvancesInFourWays(_ body: String, _ status: Int) async throws {
    try await API.test { api in
      let answer = try await api.call(.post, "/v1/browsers/test/clock/advance", body)
      #expect(answer.status == status, "\(answer.text)")
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
