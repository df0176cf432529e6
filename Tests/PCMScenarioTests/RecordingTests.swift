import PCMDelivery
import PCMScenario
import Testing

/// Sessions that are written down, and what comes of them when they are played.
@Suite struct RecordingTests {
  @Test func aRecordedSessionReplaysToTheSameEventLog() async throws {
    let session = try await RecordedSession(network: ["news.example": SiteBehavior(report: [.status(503)], loads: Self.loads)])
    try await session.call(
      "PUT", "", #"{"clock":{"mode":"manual","now":"2026-11-20T10:00:00Z"},"seed":"s","storage":"memory"}"#)
    try await session.call("PUT", "/apps", RecordedSession.plist, mediaType: "application/x-plist")
    try await session.call("POST", "/event-attributions", RecordedSession.tap(#","tapVerified":false"#))
    try await session.call("POST", "/event-attributions", RecordedSession.tap(#","sourceNonce":"ABEiM0RVZneImaq7zN3u_w""#))
    try await session.call("POST", "/clock/advance", #"{"by":"PT3H"}"#)
    try await session.call("POST", "/loads", #"{"firstPartyURL":"https://shop.example/","url":"https://news.example/p"}"#)
    try await session.call("PUT", "", #"{"settings":{"deliveryPolicy":"reliable"}}"#)
    await session.sites.apply(["news.example": SiteBehavior(report: [Self.failing, .good])])
    try await session.call("POST", "/clock/advance", #"{"untilIdle":true}"#)
    try await session.call("DELETE", "/data?site=shop.example")
    try await session.call("DELETE", "/apps/com.example.news")
    #expect(try await session.replayedLog() == session.log())
    #expect(session.failed.isEmpty)
    let failure = #""failure": {"code": "timed-out", "detail": "too slow"}"#
    #expect(session.file.contains(failure), "\(session.file)")
  }

  @Test func aChangedKeyAndAForgedSignatureAreReplayed() async throws {
    let session = try await RecordedSession(network: [:])
    try await session.call(
      "PUT", "", #"{"clock":{"mode":"manual","now":"2026-11-20T10:00:00Z"},"seed":"s","storage":"memory"}"#)
    try await session.call("PUT", "/apps", RecordedSession.plist, mediaType: "application/x-plist")
    let nonce = #","sourceNonce":"ABEiM0RVZneImaq7zN3u_w""#
    try await session.call("POST", "/event-attributions", RecordedSession.tap(nonce))
    try await session.call("POST", "/triggering-events", RecordedSession.trigger)
    await session.sites.apply(["news.example": SiteBehavior(key: .second)])
    try await session.call("POST", "/clock/advance", #"{"by":"PT48H"}"#)
    var forged = SiteBehavior.Answer()
    forged.forged = true
    await session.sites.apply(["news.example": SiteBehavior(sign: [forged])])
    try await session.call("POST", "/event-attributions", RecordedSession.tap(nonce))
    let log = try await session.log()
    #expect(log.contains("token-key-changed") && log.contains("token-signature-invalid"), "\(log)")
    #expect(try await session.replayedLog() == log)
  }

  @Test func whatChangesNothingAndWhatCannotBeReplayedIsNotWrittenDown() async throws {
    let session = try await RecordedSession(network: [:])
    try await session.call("PUT", "", #"{"clock":{"mode":"real"},"storage":"memory"}"#)
    #expect(session.file.isEmpty)
    try await session.call("DELETE", "")
    try await session.call(
      "PUT", "", #"{"clock":{"mode":"manual","now":"2026-11-20T10:00:00Z"},"seed":"s","storage":"memory"}"#)
    try await session.call("POST", "/event-attributions", RecordedSession.tap(""), status: 422)
    #expect(session.file.isEmpty, "a scenario without steps is none")
    try await session.call("PUT", "/apps", RecordedSession.plist, mediaType: "application/x-plist")
    let head = session.file
    #expect(!head.isEmpty)
    try await session.call("GET", "/events")
    try await session.call("POST", "/event-attributions", RecordedSession.tap(#","purchaser":7"#), status: 422)
    #expect(session.file == head)
  }

  private static let loads = [
    "/p": [SiteBehavior.Answer.redirect("https://news.example/.well-known/private-click-measurement/trigger-attribution/12")]
  ]
  private static var failing: SiteBehavior.Answer {
    var answer = SiteBehavior.Answer()
    answer.failure = .timedOut
    answer.failureDetail = "too slow"
    return answer
  }
}
