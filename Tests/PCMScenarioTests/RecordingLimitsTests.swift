import PCMCore
import PCMDelivery
import PCMScenario
import Testing

/// Sessions whose words or length a scenario file has to be made fit for, and those that it cannot tell.
@Suite struct RecordingLimitsTests {
  @Test(
    arguments: [
      #"{"app":"com.example.news","sourceIdentifier":4.0,"destinationURL":"https://shop.example/"}"#,
      #"{"app":"com.example.news","sourceIdentifier":4e0,"destinationURL":"https://shop.example/"}"#,
      "\u{FEFF}" + RecordedSession.tap(""),
      RecordedSession.tap(#","sourceDescription":"a\u2028b\u007f\ufeff""#),
      RecordedSession.tap(#","sourceDescription":"\#(String(repeating: "[' {", count: 40))""#),
      RecordedSession.tap(#","sourceDescription":"&a *a""#),
      RecordedSession.tap(#","sourceDescription":null,"tapVerified":true"#),
    ])
  func whatTheAPITakesIsReplayed(_ body: String) async throws {
    let session = try await RecordedSession(network: [:])
    try await session.begin()
    try await session.call("POST", "/event-attributions", body)
    try await session.call("PUT", "", #"{"settings":null}"#)
    #expect(try await session.replayedLog() == session.log())
    #expect(session.failed.isEmpty)
  }

  @Test func aLongAddressIsReplayed() async throws {
    let path = "/p?" + String(repeating: "x", count: 2_000)
    let session = try await RecordedSession(network: ["news.example": SiteBehavior(loads: [path: [.status(503)]])])
    try await session.begin()
    try await session.call(
      "POST", "/loads", #"{"firstPartyURL":"https://shop.example/","url":"https://news.example\#(path)"}"#)
    #expect(try await session.replayedLog() == session.log())
    #expect(session.failed.isEmpty)
  }

  @Test func theFileEndsBeforeWhatItCannotTell() async throws {
    let session = try await RecordedSession(network: ["[::1]": SiteBehavior(loads: ["/p": [.status(503)]])])
    try await session.begin()
    let file = session.file
    try await session.call("POST", "/loads", #"{"firstPartyURL":"https://shop.example/","url":"https://[::1]/p"}"#)
    try await session.call("POST", "/event-attributions", RecordedSession.tap(""))
    #expect(session.file == file)
    #expect(
      session.failed == [
        #"session: a scenario cannot represent the call: expected a host in lowercase such as shop.example, found "[::1]""#
      ])
  }

  @Test func aCallThatIsRefusedHalfwayEndsTheFile() async throws {
    let session = try await RecordedSession(network: [:], mostWrites: 6)
    try await session.begin()
    try await session.call("POST", "/event-attributions", RecordedSession.tap(""))
    try await session.call("POST", "/triggering-events", RecordedSession.trigger)
    let file = session.file
    try await session.call("POST", "/clock/advance", #"{"by":"P10D"}"#, status: 409)
    #expect(session.failed == ["session: a call returned an error after a part of it took effect"])
    #expect(session.file == file)
    #expect(try await session.log().contains("report-"), "nothing was done")
  }

  @Test(arguments: [0, 2_000])
  func aFileGrowsNoLongerThanItMayBe(_ width: Int) throws {
    var transcript = Transcript(
      name: "long", seed: "s", isDurable: false, start: Instant(milliseconds: 0), settings: .object([]))
    var file = transcript.head
    let body: JSON = ["firstPartyURL": .string(String(repeating: "x", count: width)), "url": "https://news.example/"]
    let call = RecordedCall(action: .init("load", body), answer: .null, events: [], exchanges: [])
    #expect(throws: TranscriptEnd.full) {
      for _ in 0...1_000 { file += try transcript.lines(for: call) }
    }
    let scenario = try ScenarioReader().read(Array(file.utf8))
    #expect(width == 0 ? scenario.steps.count == 1_000 : file.utf8.count > 262_144 - 2 * width, "\(file.utf8.count)")
  }

  @Test func onlyTheBrowserThatIsCalledIsHeard() async throws {
    let tap = ExchangeTap(try SimulatedSites(registrableDomain: { $0 }))
    let request = BrowserRequest.report(url: "https://news.example/", body: "{}")
    let (one, other) = (tap.transport(of: "one"), tap.transport(of: "other"))
    await tap.listen(to: "one")
    for transport in [one, other, one] { _ = await transport.send(request, route: NetworkRoute()) }
    #expect(await tap.stop().count == 2)
    _ = await one.send(request, route: NetworkRoute())
    #expect(await tap.stop().isEmpty)
  }
}
