import HTTPTypes
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
}
