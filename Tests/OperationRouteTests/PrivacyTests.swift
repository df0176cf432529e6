import BrowserSupport
import HTTPSupport
import HTTPTypes
import PCMNetwork
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
          "link-clicks",
          #"{"pageURL":"view-source:https://u:secret@news.example/","attributionSourceID":"1","attributionDestination":"https://shop.example"}"#
        ),
        (
          "link-clicks",
          #"{"pageURL":"https://news.example","attributionSourceID":"https://u:secret@a","attributionDestination":"https://shop.example"}"#
        ),
        (
          "link-clicks",
          #"{"pageURL":"https://news.example","attributionSourceID":"1","attributionDestination":"blob:https://u:secret@shop.example"}"#
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

  @Test(arguments: [
    ("https://u:secret@news.example\(PrivacyTests.trigger)", "has-credentials"),
    ("\(PrivacyTests.trigger)?attributionSource=https://u:secret@news.example", "source-parameter-invalid"),
    ("\(PrivacyTests.trigger)?attributionSource=https%3A%2F%2Fu%3Asecret%40news.example", "source-parameter-invalid"),
  ])
  func userInformationOfARedirectIsNotStored(_ location: String, _ code: String) async throws {
    let transport = ScriptedTransport { _, number in
      number == 1 ? Exchange(httpStatus: 302, location: location) : Exchange(httpStatus: 200)
    }
    try await API.test(transport: transport) { api in
      let load = #"{"firstPartyURL":"https://shop.example/","url":"https://news.example/"}"#
      let answer = try await api.call(.post, "\(Self.browser)/loads", load)
      #expect(answer.status == 200 && answer.text.contains("removed"), "\(answer.text)")
      #expect(answer.text.contains(code) && !answer.text.contains("secret"), "\(answer.text)")
      try await Self.checkReplay(api, code)
    }
  }

  @Test func userInformationInTheScriptOfASiteIsNotStored() async throws {
    try await API.test { api in
      #expect(try await api.call(.put, "\(Self.browser)/network", #"{"mode":"simulated"}"#).status == 200)
      let site = #"{"loads":{"/p":{"status":302,"location":"https://u:secret@news.example\#(Self.trigger)"}}}"#
      let put = try await api.call(.put, "\(Self.browser)/sites/news.example", site)
      #expect(put.status == 201 && put.text.contains("https://removed@news.example"), "\(put.text)")
      let load = #"{"firstPartyURL":"https://shop.example/","url":"https://news.example/p"}"#
      let answers = [
        put, try await api.call(.post, "\(Self.browser)/loads", load), try await api.call(.get, "\(Self.browser)/sites"),
        try await api.call(.get, "\(Self.browser)/messages"),
      ]
      for answer in answers { #expect(!answer.text.contains("secret"), "\(answer.text)") }
      try await Self.checkReplay(api, "has-credentials")
    }
  }

  @Test func userInformationOfARejectedCallIsNotRepeated() async throws {
    try await API.test { api in
      let pixel = #"{"firstPartyURL":"https://shop.example/","pixelOf":"u:secret@news.example","triggerData":1}"#
      let answer = try await api.call(.post, "\(Self.browser)/triggering-events", pixel)
      #expect(answer.status == 422 && !answer.text.contains("secret"), "\(answer.text)")
      let explanation = try await api.call(.get, "\(Self.browser)/explain?about=shop.example")
      #expect(explanation.text.contains("pixelOf: a text with an @ is not a host"), "\(explanation.text)")
      #expect(!explanation.text.contains("secret"), "\(explanation.text)")
    }
  }

  private static let trigger = "/.well-known/private-click-measurement/trigger-attribution/12"

  /// Checks that the log and the scenario have no user information, and that the scenario's replay decides the same.
  private static func checkReplay(_ api: API, _ code: String) async throws {
    for tail in ["events?include=decision", "triggering-events", "scenario"] {
      let answer = try await api.call(.get, "\(browser)/\(tail)")
      #expect(answer.status == 200 && !answer.text.contains("secret"), "\(tail): \(answer.text)")
    }
    let events = try await api.call(.get, "\(browser)/events").text
    #expect(events.contains(code), "\(events)")
    let file = try await api.call(.get, "\(browser)/scenario").text
    let result = try await api.call(.post, "/v1/scenarios", file, type: "application/yaml")
    #expect(try result.member("outcome") == "passed", "\(result.text)\n\(file)")
  }
}
