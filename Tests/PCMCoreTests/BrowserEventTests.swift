import PCMCore
import StoreContract
import Testing

/// The codec of the log.
@Suite struct BrowserEventTests {
  @Test("The samples cover every kind of event")
  func samples() {
    #expect(Set(Sample.events.map(\.kind)) == Set(EventKind.allCases))
  }

  @Test("Decoding an encoded event returns the event", arguments: Sample.events)
  func roundTrip(_ event: any BrowserEvent) throws {
    #expect(try read(event.kind, event.json).kind == event.kind)
    #expect(try read(event.kind, event.json).json == event.json)
  }

  @Test("A missing or unknown member is an error", arguments: Sample.events)
  func strict(_ event: any BrowserEvent) throws {
    let text = String(decoding: event.json, as: UTF8.self)
    let unknown = "{\"unknown\":1,\(text.dropFirst())"
    #expect(throws: (any Error).self) { try read(event.kind, Array(unknown.utf8)) }
    #expect(throws: (any Error).self) { try read(event.kind, Array("{}".utf8)) }
  }

  @Test("The members of an event are encoded in a fixed order")
  func bytes() {
    let event = ClickReplaced(click: 3, successor: 12)
    #expect(String(decoding: event.json, as: UTF8.self) == #"{"clickId":"click-3","successorId":"click-12"}"#)
  }

  @Test("A detail without its decision has every other member", arguments: Sample.events)
  func withoutDecision(_ event: any BrowserEvent) throws {
    let members = try #require(JSON(parsing: event.json)).members
    let entry = LogEvent(sequence: 1, at: Instant(milliseconds: 0), event)
    let rest = try #require(JSON(parsing: entry.detailWithoutDecision.bytes)).members
    #expect(rest == members.filter { $0.name != "decision" })
    #expect((rest.count < members.count) == (event.decision != nil))
  }

  @Test(
    "A value that quotes a decision does not end a detail",
    arguments: [#"","decision":{"saw":{}}}"#, #"\\"#, #"\\","decision":{"#, "decision", "\n\"decision\":"])
  func quotedDecision(_ text: String) {
    for decision in [nil, RecordedDecision(rules: nil, inputs: [.init("decision", .string(text))])] {
      let reasons = [Reason("decision", text), Reason("a-code", text)]
      func json(_ decision: RecordedDecision?) -> any BrowserEvent {
        ClickDiscarded(origin: .linkClick, destination: nil, reasons: reasons, decision: decision)
      }
      let entry = LogEvent(sequence: 1, at: Instant(milliseconds: 0), json(decision))
      #expect(entry.detailWithoutDecision.bytes == json(nil).json)
    }
  }

  @Test(
    "A malformed record name has no number",
    arguments: ["click-", "click-01", "click-x", "report-1", "click-1 ", "click--1x", "click--1", "click-0"])
  func names(_ name: String) {
    #expect(RecordName.Kind.click.number(name) == nil)
  }

  @Test(
    "A value that no event has is an error",
    arguments: [
      (.tokenRequested, #"{\#(exchange),"step":"bogus","url":"u","keyId":"k"}"#),
      (.tokenRequested, #"{"reportId":"report-5","recipient":"source","step":"signature","urls":[]}"#),
      (.logTrimmed, #"{"eventCount":1,"firstSequence":-9223372036854775808,"lastSequence":0}"#),
      (.logTrimmed, #"{"eventCount":0,"firstSequence":5,"lastSequence":4}"#),
    ] as [(EventKind, String)])
  func invalid(_ kind: EventKind, _ json: String) throws {
    #expect(throws: (any Error).self) { try read(kind, Array(json.utf8)) }
  }

  private static let exchange = #""request":9,"recipient":"source","sourceSite":"a.example","destinationSite":"b.example""#

  private func read(_ kind: EventKind, _ json: [UInt8]) throws -> any BrowserEvent {
    try LogEvent(
      sequence: 1, at: Instant(milliseconds: 0), kind: kind, detail: .verbatim(String(decoding: json, as: UTF8.self))
    )
    .read()
  }
}
