import Foundation
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
  func roundTrip(_ event: BrowserEvent) throws {
    #expect(try read(event.kind, event.json) == event)
    #expect(try read(event.kind, event.json).json == event.json)
  }

  @Test("A missing or unknown member is an error", arguments: Sample.events)
  func strict(_ event: BrowserEvent) throws {
    let text = String(decoding: event.json, as: UTF8.self)
    let unknown = "{\"unknown\":1,\(text.dropFirst())"
    #expect(throws: DecodingError.self) { try read(event.kind, Array(unknown.utf8)) }
    #expect(throws: DecodingError.self) { try read(event.kind, Array("{}".utf8)) }
  }

  @Test("The members of an event are encoded in a fixed order")
  func bytes() {
    let event = BrowserEvent.clickReplaced(ClickReplaced(click: 3, successor: 12))
    #expect(String(decoding: event.json, as: UTF8.self) == #"{"clickId":"click-3","successorId":"click-12"}"#)
  }

  @Test("A detail without its decision has every other member", arguments: Sample.events)
  func withoutDecision(_ event: BrowserEvent) throws {
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
      func json(_ decision: RecordedDecision?) -> BrowserEvent {
        .clickDiscarded(ClickDiscarded(origin: .linkClick, destination: nil, reasons: reasons, decision: decision))
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
    "An event from before the member existed names the click that it lost, and no other",
    arguments: [
      ("held-click-mismatch", #"{"heldClick":"click-3"}"#, [3]), ("held-click-expired", #"{"heldClick":"click-3"}"#, [3]),
      ("other-app", #"{"heldClick":"click-3"}"#, []), ("no-held-click", #"{"heldClick":null}"#, []),
    ] as [(String, String, [Int64])])
  func lostClick(_ code: String, _ saw: String, _ lost: [Int64]) throws {
    let json = """
      {"data":12,"priority":0,"sourceSite":"news.example","destinationSite":"shop.example","reasons":\
      [{"code":"\(code)","detail":"…"}],"triggeringEventId":null,"decision":{"saw":\(saw)}}
      """
    let event = try read(.triggerUnmatched, Array(json.utf8))
    let sites: [EventSubject] = [.site(Site("news.example")), .site(Site("shop.example"))]
    #expect(event.subjects(at: 9) == [.triggeringEvent(9)] + lost.map(EventSubject.click) + sites)
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
    #expect(throws: DecodingError.self) { try read(kind, Array(json.utf8)) }
  }

  private static let exchange = #""request":9,"recipient":"source","sourceSite":"a.example","destinationSite":"b.example""#

  private func read(_ kind: EventKind, _ json: [UInt8]) throws -> BrowserEvent {
    let decoder = JSONDecoder()
    decoder.userInfo[try #require(Stored.kind)] = kind
    return try decoder.decode(Stored.self, from: Data(json)).event
  }

  private struct Stored: Decodable {
    static let kind = CodingUserInfoKey(rawValue: "kind")
    let event: BrowserEvent

    init(from decoder: any Decoder) throws {
      let key = try #require(Self.kind)
      event = try BrowserEvent(#require(decoder.userInfo[key] as? EventKind), from: decoder)
    }
  }
}
