import PCMCore
import PCMDelivery
import PCMScenario
import PCMSimulation
import Testing

@testable import PCMApp

/// Recordings with unusual names or sizes, and calls that a scenario cannot represent.
@Suite struct RecordingLimitsTests {
  @Test(
    arguments: [
      #"{"bundleIdentifier":"com.example.news","sourceIdentifier":4.0,"destinationURL":"https://shop.example/"}"#,
      #"{"bundleIdentifier":"com.example.news","sourceIdentifier":4e0,"destinationURL":"https://shop.example/"}"#,
      "\u{FEFF}" + RecordedBrowser.tap(""),
      RecordedBrowser.tap(#","sourceDescription":"a\u2028b\u007f\ufeff""#),
      RecordedBrowser.tap(#","sourceDescription":"\#(String(repeating: "[' {", count: 40))""#),
      RecordedBrowser.tap(#","sourceDescription":"&a *a""#),
      RecordedBrowser.tap(#","tapVerified":true"#),
    ])
  func whatTheAPITakesIsReplayed(_ body: String) async throws {
    let recording = try await RecordedBrowser(network: [:])
    try await recording.begin()
    try await recording.call("POST", "/event-attributions", body)
    try await recording.call("PATCH", "", "{}")
    #expect(try await recording.replayedLog() == recording.log())
    #expect(recording.failed.isEmpty)
  }

  @Test func aLongAddressIsReplayed() async throws {
    let path = "/p?" + String(repeating: "x", count: 2_000)
    let recording = try await RecordedBrowser(network: ["news.example": SiteBehavior(loads: [path: [.status(503)]])])
    try await recording.begin()
    try await recording.call(
      "POST", "/loads", #"{"firstPartyURL":"https://shop.example/","url":"https://news.example\#(path)"}"#)
    #expect(try await recording.replayedLog() == recording.log())
    #expect(recording.failed.isEmpty)
  }

  @Test func aRecordingEndsBeforeACallThatItCannotRepresent() async throws {
    let recording = try await RecordedBrowser(network: ["[::1]": SiteBehavior(loads: ["/p": [.status(503)]])])
    try await recording.begin()
    let file = recording.file
    try await recording.call("POST", "/loads", #"{"firstPartyURL":"https://shop.example/","url":"https://[::1]/p"}"#)
    try await recording.call("POST", "/event-attributions", RecordedBrowser.tap(""))
    #expect(recording.file == file)
    #expect(
      recording.failed == [
        #"session: a scenario cannot represent the call: expected a host in lowercase such as shop.example, found "[::1]""#
      ])
  }

  @Test func aPartialCallEndsTheRecording() async throws {
    let recording = try await RecordedBrowser(network: [:], maximumWrites: 6)
    try await recording.begin()
    try await recording.call("POST", "/event-attributions", RecordedBrowser.tap(""))
    try await recording.call("POST", "/triggering-events", RecordedBrowser.trigger)
    let file = recording.file
    try await recording.call("POST", "/clock/advance", #"{"by":"P10D"}"#, status: 409)
    #expect(recording.failed == ["session: a call returned an error after a part of it took effect"])
    #expect(recording.file == file)
    #expect(try await recording.log().contains("report-"), "nothing was done")
  }

  @Test func eachFailingCallOfTheFileSystemEndsTheRecordingAndNothingElse() async throws {
    let calm = try await Self.recording()
    let (file, log) = (calm.file, try await calm.log())
    #expect(calm.fileCalls > 5 && calm.failed.isEmpty)
    for number in 1...calm.fileCalls {
      let recording = try await Self.recording(failingFileCall: number)
      #expect(recording.failed == ["session: FullDisk()"], "call \(number)")
      #expect(try await recording.log() == log, "call \(number)")
      #expect(file.hasPrefix(recording.file), "call \(number)")
    }
  }

  private static func recording(failingFileCall: Int? = nil) async throws -> RecordedBrowser {
    let recording = try await RecordedBrowser(network: [:], failingFileCall: failingFileCall)
    try await recording.begin()
    try await recording.call("POST", "/event-attributions", RecordedBrowser.tap(""))
    try await recording.call("POST", "/triggering-events", RecordedBrowser.trigger)
    try await recording.call("PUT", "/apps", RecordedBrowser.plist, mediaType: "application/x-plist")
    try await recording.call("POST", "/clock/advance", #"{"by":"P3D"}"#)
    return recording
  }

  @Test(arguments: [0, 2_000])
  func aRecordingEndsAtTheSizeLimit(_ width: Int) throws {
    var transcript = Transcript(
      name: "long", seed: "s", isDurable: false, start: Instant(milliseconds: 0), settings: .object([]))
    var file = transcript.head
    let body: JSON = ["firstPartyURL": .string(String(repeating: "x", count: width)), "url": "https://news.example/"]
    let call = RecordedCall(action: .init("load", body), response: .null, events: [], exchanges: [])
    #expect(throws: TranscriptEnd.full) {
      for _ in 0...1_000 { file += try transcript.lines(for: call) }
    }
    let scenario = try ScenarioReader().read(Array(file.utf8))
    #expect(width == 0 ? scenario.steps.count == 1_000 : file.utf8.count > 262_144 - 2 * width, "\(file.utf8.count)")
  }

  @Test("the recordings of a run end at their maximum size together, and the log says how to continue")
  func allRecordings() async throws {
    let maximum = 60_000
    let recording = try await RecordedBrowser(network: [:], maximumByteCount: maximum)
    try await recording.begin()
    for number in 1...20 {
      let name = "browser-\(number)"
      try await recording.call("PUT", "", #"{"clock":{"mode":"manual"},"storage":"ephemeral"}"#, browser: name)
      try await recording.call("PUT", "/apps", RecordedBrowser.plist, mediaType: "application/x-plist", browser: name)
      try await recording.call("DELETE", "", browser: name)
    }
    let files = recording.files
    #expect(files.count > 4)
    #expect(files.values.reduce(0) { $0 + $1.utf8.count + RecordingRoom.bytesOfFile } <= maximum)
    #expect(recording.failed.count == 1, "a later browser has no recording that could end")
    try await recording.call("POST", "/event-attributions", RecordedBrowser.tap(""))
    #expect(recording.failed.count == 2 && recording.files == files)
    #expect(recording.failed.allSatisfy { $0.contains("--max-recordings 60000, ") }, "\(recording.failed)")
    try await recording.call("GET", "/events")
  }

  @Test func onlyTheCalledBrowserIsRecorded() async throws {
    let recorder = ExchangeRecorder(SimulatedSites(registrableDomain: { $0 }))
    let request = BrowserRequest.report(url: "https://news.example/", body: "{}")
    let (one, other) = (recorder.transport(of: "one"), recorder.transport(of: "other"))
    await recorder.start("one")
    for transport in [one, other, one] { _ = await transport.send(request, route: NetworkRoute()) }
    #expect(await recorder.stop().count == 2)
    _ = await one.send(request, route: NetworkRoute())
    #expect(await recorder.stop().isEmpty)
  }
}
