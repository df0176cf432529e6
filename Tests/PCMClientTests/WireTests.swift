import Foundation
import Testing

@testable import PCMClient

/// Encoding and decoding, without a service.
@Suite struct WireTests {
  @Test(
    "instants are the same in both directions, to the millisecond",
    arguments: [
      ("2026-11-20T10:00:00.000Z", 1_795_168_800_000), ("2026-11-21T15:46:04.214Z", 1_795_275_964_214),
      ("1970-01-01T00:00:00.001Z", 1), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ] as [(String, Int64)])
  func instants(_ text: String, _ milliseconds: Int64) throws {
    let date = try #require(Date(wire: text))
    #expect(date == Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
    #expect(date.wire == text)
  }

  @Test("invalid instants are rejected", arguments: ["", "2026-11-20", "2026-11-20T10:00:00", "2026-11-20T10:00:00.Z", "Z"])
  func noInstants(_ text: String) {
    #expect(Date(wire: text) == nil)
  }

  @Test(
    "a date that a manual clock cannot show is not sent",
    arguments: [Date.distantPast.timeIntervalSince1970, -0.001, 253_370_764_800, 1e300, -.infinity, .nan])
  func datesOutOfRange(_ seconds: Double) async throws {
    let date = Date(timeIntervalSince1970: seconds)
    // No service listens: an error that names the range was thrown before the request.
    let service = PCMService(url: "http://127.0.0.1:9")
    let browser = Browser(name: "a", connection: Connection(service: service))
    let range = "from 1970-01-01T00:00:00.000Z to 9998-12-31T23:59:59.999Z"
    let advance = await #expect(throws: ServiceError.self) { try await browser.advance(to: date) }
    #expect(advance?.description.contains(range) == true, "\(String(describing: advance))")
    #expect(advance?.description.hasPrefix("POST http://127.0.0.1:9/v1/browsers/a/clock/advance was not sent") == true)
    let creation = await #expect(throws: ServiceError.self) {
      try await service.createBrowser("a", clock: .manual(startingAt: date))
    }
    #expect(creation?.description.contains(range) == true, "\(String(describing: creation))")
    #expect(creation?.code == "invalid")
    #expect(creation?.description.hasPrefix("PUT http://127.0.0.1:9/v1/browsers/a was not sent") == true)
  }

  @Test("an instant can have no, a short, or a long fraction")
  func fractions() {
    let second = Date(timeIntervalSince1970: 1_795_168_800)
    #expect(Date(wire: "2026-11-20T10:00:00Z") == second)
    #expect(Date(wire: "2026-11-20T10:00:00.5Z") == second + 0.5)
    #expect(Date(wire: "2026-11-20T10:00:00.500999Z") == second + 0.5)
  }

  @Test(
    "durations are ISO 8601",
    arguments: [
      (.hours(48), "PT48H"), (.days(7), "PT168H"), (.minutes(90), "PT1H1800S"), (.milliseconds(500), "PT0.500S"),
      (.milliseconds(3_600_001), "PT1H0.001S"), (.zero, "PT0S"), (.seconds(-1), "-PT1S"),
    ] as [(Duration, String)])
  func durations(_ duration: Duration, _ text: String) {
    #expect(duration.wire == text)
  }

  @Test("durations have microseconds")
  func timings() {
    #expect(Duration(wire: "PT0.012345S") == .microseconds(12_345))
    #expect(Duration(wire: "PT3S") == .seconds(3))
    for text in ["PT", "PTS", "P1D", "PT-1S", "PTnanS", "PTinfS"] { #expect(Duration(wire: text) == nil, "\(text)") }
  }

  @Test(
    "names are escaped byte by byte", arguments: [("a.b_c-d~9", "a.b_c-d~9"), ("a/b c", "a%2Fb%20c"), ("ä\n", "%C3%A4%0A")])
  func escaping(_ text: String, _ escaped: String) {
    #expect(text.pathPart == escaped)
  }

  @Test("the environment names the service; empty variables count as absent")
  func environment() {
    #expect(PCMService(environment: [:]) == PCMService(url: "http://127.0.0.1:8726"))
    let named = PCMService(environment: ["PCM_BROWSER_URL": "http://pcm:1/", "PCM_BROWSER_API_TOKEN": "t"])
    #expect(named == PCMService(url: "http://pcm:1", token: "t"))
    #expect(PCMService(environment: ["PCM_BROWSER_URL": "", "PCM_BROWSER_API_TOKEN": ""]) == PCMService())
  }

  @Test("unknown members and values of a newer service are accepted")
  func newerService() throws {
    let json = """
      {"id":"click-2","at":"2026-11-20T10:00:00.000Z","outcome":"postponed","state":"waiting",\
      "reasons":[{"code":"full-moon","detail":"d","since":1}],"click":null,"mood":{"a":[1.5,null]}}
      """
    let outcome = try Wire.decoder.decode(ClickOutcome.self, from: Data(json.utf8))
    #expect(outcome.outcome.rawValue == "postponed")
    #expect(outcome.reasons.map(\.code) == [Reason.Code(rawValue: "full-moon")])
    #expect(outcome.state.rawValue == "waiting")
  }

  @Test("settings without a retention are not read, because they could not be sent back")
  func settingsWithoutRetention() throws {
    let json =
      #"{"measurementEnabled":true,"privateBrowsing":false,"debugMode":false,"deliveryPolicy":"webkit","reportURL":"well-known""#
    #expect(throws: DecodingError.self) { try Wire.decoder.decode(BrowserSettings.self, from: Data("\(json)}".utf8)) }
    let complete = json + #","logRetention":{"maximumCount":1000000,"maximumAge":"PT9600H"}}"#
    #expect(try Wire.decoder.decode(BrowserSettings.self, from: Data(complete.utf8)) == BrowserSettings())
  }

  @Test("any JSON is decoded and described")
  func anyJSON() throws {
    let json = #"{"b":[1,2.5,"x"],"a":{"d":true,"c":null},"e":-7}"#
    let value = try Wire.decoder.decode(JSONValue.self, from: Data(json.utf8))
    #expect(
      value
        == .object([
          "b": .array([.integer(1), .number(2.5), .string("x")]), "a": .object(["d": .bool(true), "c": .null]),
          "e": .integer(-7),
        ]))
    #expect(value.description == "a {c none, d true}, b [1, 2.5, x], e -7")
    #expect(value["a"]?["d"]?.bool == true)
    #expect(value["b"]?.array?.last?.string == "x")
    #expect(value["e"]?.integer == -7)
    #expect(value["e"]?["a"] == nil)
  }

  @Test("a response that is not a problem document is shown unchanged")
  func proxyAnswer() {
    let error = ServiceError(status: 502, body: Data("<h1>Bad Gateway</h1>".utf8), request: "GET http://pcm/v1/browsers")
    #expect(
      error.description == "GET http://pcm/v1/browsers returned 502: no problem document\n  <h1>Bad Gateway</h1>")
  }
}
