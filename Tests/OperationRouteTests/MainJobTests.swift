import BrowserSupport
import HTTPSupport
import HTTPTypes
import PCMCore
import PCMNetwork
import Testing

/// The main job through the API: app, tap, trigger, time, reports.
@Suite struct MainJobTests {
  @Test func aTappedAdBecomesTwoReports() async throws {
    let transport = ScriptedTransport()
    try await API.test(transport: transport) { api in
      let click = try await api.call(.post, "/v1/browsers/test/event-attributions", API.eventAttribution)
      #expect(click.status == 201)
      #expect(
        click.text
          == #"{"id":"click-2","at":"2026-11-20T10:00:00.000Z","outcome":"stored","reasons":[],"state":"stored","click":{"id":"click-2","sourceSite":"news.example","destinationSite":"shop.example","sourceIdentifier":4,"bundleIdentifier":"com.apple.mobilesafari","clickedAt":"2026-11-20T10:00:00.000Z","expiresAt":"2026-11-27T10:00:00.000Z","replacedClickId":null,"sourceToken":null},"attributionId":null,"successorId":null,"impressionId":null,"sequence":2}"#
      )
      let trigger = try await api.call(.post, "/v1/browsers/test/triggering-events", API.trigger)
      #expect(trigger.status == 201)
      #expect(try trigger.member("outcome") == "attributed")
      #expect(
        trigger.text.contains(
          #""trigger":{"data":12,"priority":3,"sourceSite":"news.example","destinationSite":"shop.example"}"#))
      let scheduled = try await api.call(.get, "/v1/browsers/test/reports?state=scheduled")
      #expect(try scheduled.member("items", as: [Any].self).count == 2)
      let advanced = try await api.call(.post, "/v1/browsers/test/clock/advance", #"{"by":"PT48H"}"#)
      #expect(advanced.status == 200)
      #expect(try advanced.member("now") == "2026-11-22T10:00:00.000Z")
      #expect(try advanced.member("events", as: [Any].self).count == 5)
      #expect(await transport.requests.count == 2)
      let report = try await api.call(.get, "/v1/browsers/test/reports/report-5")
      #expect(try report.member("state") == "delivered")
      #expect(
        report.text.contains(
          #""body":{"source_engagement_type":"click","source_site":"news.example","source_id":4,"attributed_on_site":"shop.example","trigger_data":12,"version":3}"#
        ))
    }
  }

  @Test func inputThatABrowserIgnoresIsNotAnError() async throws {
    try await API.test { api in
      let body = API.eventAttribution.replacing("true", with: "false")
      let answer = try await api.call(.post, "/v1/browsers/test/event-attributions", body)
      #expect(answer.status == 201)
      #expect(
        answer.text
          == #"{"id":"click-2","at":"2026-11-20T10:00:00.000Z","outcome":"discarded","reasons":[{"code":"tap-not-verified","detail":"the tap did not land on a control that a UIEventAttributionView covers"}],"state":"discarded","click":null,"attributionId":null,"successorId":null,"impressionId":null,"sequence":2}"#
      )
      let events = try await api.call(.get, "/v1/browsers/test/events?after=1")
      #expect(events.text.contains(#""kind":"click-discarded""#))
    }
  }

  @Test func aLinkIsFollowed() async throws {
    try await API.test { api in
      let body = """
        {"pageURL":"https://social.example/feed","attributionSourceID":"7","attributionDestination":"https://shop.example",\
        "landingURL":"https://shop.example/landing","userGesture":true}
        """
      let answer = try await api.call(.post, "/v1/browsers/test/link-clicks", body)
      #expect(answer.status == 201)
      #expect(try answer.member("outcome") == "stored")
      let clicks = try await api.items("/v1/browsers/test/clicks?state=stored")
      #expect(clicks.compactMap { $0["id"] as? String } == [try answer.member("id")])
      #expect(try await api.call(.get, "/v1/browsers/test/attributions").text == #"{"items":[],"next":null}"#)
    }
  }

  @Test func dataIsCleared() async throws {
    try await API.test { api in
      try await api.call(.post, "/v1/browsers/test/event-attributions", API.eventAttribution)
      #expect(try await api.call(.delete, "/v1/browsers/test/data?site=other.example").status == 204)
      #expect(try await api.items("/v1/browsers/test/clicks?state=stored").count == 1)
      #expect(try await api.call(.delete, "/v1/browsers/test/data?site=www.shop.example").status == 204)
      #expect(try await api.items("/v1/browsers/test/clicks?state=stored").isEmpty)
      #expect(try await api.items("/v1/browsers/test/clicks?state=cleared").count == 1)
      #expect(try await api.call(.delete, "/v1/browsers/test/data").status == 204)
    }
  }
}
