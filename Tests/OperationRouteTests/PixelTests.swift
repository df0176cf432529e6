import HTTPSupport
import HTTPTypes
import NIOConcurrencyHelpers
import Testing

/// The shorthand for pixels of `POST …/triggering-events`.
@Suite struct PixelTests {
  private static let path = "/v1/browsers/test/triggering-events"

  @Test func aPixelIsTheRedirectThatItStandsFor() async throws {
    let pixel = #"{"firstPartyURL":"https://shop.example/thanks","pixelOf":"news.example","triggerData":12,"priority":3}"#
    let logs = NIOLockedValueBox<[String]>([])
    for body in [API.trigger, pixel] {
      try await API.test { api in
        try await api.call(.post, "/v1/browsers/test/event-attributions", API.eventAttribution)
        let answer = try await api.call(.post, Self.path, body)
        #expect(try answer.member("outcome") == "attributed")
        let log = try await api.call(.get, "/v1/browsers/test/events").text
        logs.withLockedValue { $0.append(log) }
      }
    }
    let both = logs.withLockedValue { $0 }
    #expect(both.count == 2 && both[0] == both[1], "\(both)")
  }

  @Test func numbersThatWebKitRejectsAreRejected() async throws {
    try await API.test { api in
      for members in [#""triggerData":16"#, #""triggerData":99,"priority":3"#, #""triggerData":1,"priority":64"#] {
        let body = #"{"firstPartyURL":"https://shop.example/","pixelOf":"news.example",\#(members)}"#
        let answer = try await api.call(.post, Self.path, body)
        #expect(try answer.member("outcome") == "rejected", "\(answer.text)")
      }
    }
  }

  @Test(
    arguments: [
      ("", "/pixelOf"), ("a b", "/pixelOf"), ("news.example/x", "/pixelOf"), ("news.example?x", "/pixelOf"),
      ("news.example#x", "/pixelOf"), ("me@news.example", "/pixelOf"), ("https://news.example", "/pixelOf"),
    ])
  func aPixelHasAHost(_ host: String, _ pointer: String) async throws {
    try await API.test { api in
      let body = #"{"firstPartyURL":"https://shop.example/","pixelOf":"\#(host)","triggerData":1}"#
      let answer = try await api.call(.post, Self.path, body)
      #expect(answer.status == 422, "\(answer.text)")
      #expect(Set(try answer.pointers) == [pointer], "\(answer.text)")
    }
  }
}
