import BrowserSupport
import HTTPTypes
import PCMDelivery
import Testing

/// User names and passwords in URLs are in no answer after the call, and in no part of the log and the history.
@Suite struct PrivacyTests {
  private static let browser = "/v1/browsers/test"

  @Test func userInformationIsNotStored() async throws {
    try await API.test { api in
      let calls = [
        (
          "link-clicks",
          #"{"pageURL":"https://u:secret@news.example/","attributionSourceID":"1","attributionDestination":"https://u:secret@shop.example","href":"https://u:secret@shop.example","landingURL":"https://u:secret@other.example"}"#
        ),
        (
          "link-clicks",
          #"{"pageURL":"https://news.example","attributionSourceID":"1","attributionDestination":"ftp://u:secret@shop example"}"#
        ),
        (
          "event-attributions",
          #"{"bundleIdentifier":"com.example.news","sourceIdentifier":1,"destinationURL":"https://u:secret@shop.example/","openedURL":"http://u:secret@shop.example/","presentation":"safariViewController"}"#
        ),
        (
          "triggering-events",
          #"{"firstPartyURL":"https://u:secret@shop.example/","redirect":{"from":"https://u:secret@news.example/","to":"https://u:secret@news.example/.well-known/private-click-measurement/trigger-attribution/12"}}"#
        ),
        ("loads", #"{"firstPartyURL":"https://u:secret@shop.example/","url":"http://u:secret@news.example/","kind":"script"}"#),
      ]
      for (resource, body) in calls {
        let answer = try await api.call(.post, "\(Self.browser)/\(resource)", body)
        #expect([201, 200].contains(answer.status), "\(answer.text)")
        #expect(!answer.text.contains("secret"), "\(answer.text)")
      }
      for tail in [
        "events?include=decision", "clicks", "triggering-events", "attributions", "scenario", "messages",
        "explain?about=shop.example",
      ] {
        let answer = try await api.call(.get, "\(Self.browser)/\(tail)")
        #expect(answer.status == 200, "\(tail): \(answer.text)")
        #expect(!answer.text.contains("secret"), "\(tail): \(answer.text)")
      }
      // The rule still sees that there was user information.
      let events = try await api.call(.get, "\(Self.browser)/triggering-events").text
      #expect(events.contains("credentials"), "\(events)")
    }
  }

  @Test func userInformationOfAnEndpointIsNotStored() async throws {
    try await API.test { api in
      let endpoint = "https://u:secret@news.example"
      let key = "NSAdvertisingAttributionReportEndpoint"
      let apps = [
        ("a", "application/json", #"{"reportEndpoint":"\#(endpoint)"}"#),
        ("b", "application/json", #"{"infoPlist":{"\#(key)":"\#(endpoint)"}}"#),
        (
          "c", "application/xml",
          "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>c</string>"
            + "<key>\(key)</key><string>\(endpoint)</string></dict></plist>"
        ),
      ]
      for (app, type, body) in apps {
        let answer = try await api.call(.put, "\(Self.browser)/apps/\(app)", body, type: type)
        #expect(answer.status == 200 && !answer.text.contains("secret"), "\(answer.text)")
        #expect(try answer.member("reportEndpoint") == "https://news.example")
        #expect(answer.text.contains("endpoint-credentials-ignored"), "\(answer.text)")
      }
      for tail in ["events", "apps", "scenario"] {
        let answer = try await api.call(.get, "\(Self.browser)/\(tail)")
        #expect(answer.status == 200 && answer.text.contains("news.example"), "\(tail): \(answer.text)")
        #expect(!answer.text.contains("secret"), "\(tail): \(answer.text)")
      }
    }
  }

  @Test func userInformationOfARedirectIsNotStored() async throws {
    let location = "https://u:secret@news.example/.well-known/private-click-measurement/trigger-attribution/12"
    let transport = ScriptedTransport { _, number in
      number == 1 ? Exchange(httpStatus: 302, location: location) : Exchange(httpStatus: 200)
    }
    try await API.test(transport: transport) { api in
      let load = #"{"firstPartyURL":"https://shop.example/","url":"https://news.example/"}"#
      #expect(try await api.call(.post, "\(Self.browser)/loads", load).status == 200)
      for tail in ["events?include=decision", "triggering-events", "scenario"] {
        let answer = try await api.call(.get, "\(Self.browser)/\(tail)")
        #expect(answer.status == 200 && !answer.text.contains("secret"), "\(tail): \(answer.text)")
      }
      let file = try await api.call(.get, "\(Self.browser)/scenario").text
      #expect(file.contains("trigger-rejected"), "the replay has user information, too: \(file)")
      let result = try await api.call(.post, "/v1/scenarios", file, type: "application/yaml")
      #expect(try result.member("outcome") == "passed", "\(result.text)\n\(file)")
    }
  }
}
