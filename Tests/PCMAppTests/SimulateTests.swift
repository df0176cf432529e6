import Foundation
import PCMCore
import ServiceSupport
import Testing

@testable import PCMApp

/// How `simulate` reads events, and how it writes reports and losses. Their content is compared with the service in `AgreementTests`.
@Suite struct SimulateTests {
  private static let header = "user,time,kind,source,destination,source_id,data,priority\n"
  private static let pair =
    "anna,2026-11-20T10:00:00Z,click,news.example,shop.example,7,,\n"
    + "anna,2026-11-20T11:00:00Z,trigger,news.example,shop.example,,3,1\n"

  private struct Outcome: Hashable {
    let reports: String
    let losses: String
    let summary: SimulationCount

    struct SimulationCount: Hashable { let users, events, reports, skipped: Int }
  }

  private func simulate(
    _ text: String, _ format: EventFormat = .csv, skipBad: Int = 0, blockSize: Int = 1_048_576
  ) async throws -> Outcome {
    let folder = try TemporaryFolder()
    func path(_ name: String) -> String { "\(folder.path)/\(name)" }
    try text.write(toFile: path("events"), atomically: true, encoding: .utf8)
    let (reports, losses) = (try ResultFile(path: path("reports")), try ResultFile(path: path("losses")))
    var run = SimulationRun(
      file: "events", seed: "1", format: format, skipped: skipBad, reports: reports, losses: losses)
    run.blockSize = blockSize
    let summary = try await run.perform(try ByteStream(path: path("events")))
    try reports.commit()
    try losses.commit()
    return Outcome(
      reports: try String(contentsOfFile: path("reports"), encoding: .utf8),
      losses: try String(contentsOfFile: path("losses"), encoding: .utf8),
      summary: .init(
        users: summary.users.count, events: summary.counts.events, reports: summary.counts.reports, skipped: summary.skipped))
  }

  @Test func reportsHaveTheLinesOfTheirClickAndEvent() async throws {
    let outcome = try await simulate(Self.header + Self.pair)
    let lines = outcome.reports.split(separator: "\n")
    #expect(lines.count == 2)
    for line in lines {
      let report = try #require(JSON(parsing: Array(line.utf8)))
      #expect(report["user"]?.string == "anna")
      #expect(report["body"]?["source_id"]?.integer == 7)
      #expect([report["click"]?.integer, report["trigger"]?.integer] == [2, 3])
    }
    #expect(outcome.losses == SimulationRun.lossHeader)
  }

  /// Files with the same events, and the line of their first event.
  private static let same: [(EventFormat, String, Int64)] = [
    (.csv, pair, 1), (.csv, "\u{FEFF}" + header + pair, 2), (.csv, header + pair.replacing("\n", with: "\r\n"), 2),
    (.csv, "\n\n" + pair, 3), (.csv, pair.replacing("anna", with: "\"anna\"").replacing(",7,", with: ",\"7\","), 1),
    (.csv, pair.replacing("2026-11-20T10:00:00Z", with: "1795168800"), 1),
    (.csv, pair.replacing("2026-11-20T10:00:00Z", with: "1795168800000").replacing("T11:00:00Z", with: " 11:00:00.000"), 1),
    (.csv, pair.replacing("T10:00:00Z", with: "T11:00:00+01:00").replacing("click,", with: "link-click,"), 1),
    // As pandas writes integers of a column with absent values.
    (.csv, pair.replacing(",3,1", with: ",3.0,1.0"), 1),
    (.csv, pair.replacing("news.example,shop.example,7", with: "https://www.news.example/feed,https://shop.example,7"), 1),
    (
      .csv,
      "kind,user,time,pageURL,attributionDestination,attributionSourceID,firstPartyURL,pixelOf,triggerData,priority\n"
        + "link-click,anna,1795168800,https://news.example/,https://shop.example,7,,,,\n"
        + "triggering-event,anna,1795172400,,,,https://shop.example/thanks,news.example,3,1\n", 2
    ),
    (
      .jsonl,
      #"{"user":"anna","time":1795168800,"kind":"click","source":"news.example","destination":"shop.example","source_id":7}"#
        + "\n"
        + #"{"time":1795172400.000,"user":"anna","kind":"trigger","source":"news.example","destination":"shop.example","data":3,"#
        + #""priority":1,"source_id":null}"# + "\n", 1
    ),
  ]

  /// A click and an event of a user with numbers, which may be out of their range.
  private static func lines(_ user: String, _ sourceID: String, _ data: String, _ priority: String) -> String {
    "\(user),2026-11-20T10:00:00Z,click,news.example,shop.example,\(sourceID),,\n"
      + "\(user),2026-11-20T11:00:00Z,trigger,news.example,shop.example,,\(data),\(priority)\n"
  }

  private static let numbers: [(sourceID: String, data: String, priority: String)] = [
    ("7", "3", "1"), ("255", "15", "63"), ("007", "03", "00"), ("256", "3", ""), ("", "16", "1"), ("x", "0", "64"),
    ("0", "99", "99"),
  ]

  @Test(arguments: numbers.indices, numbers.indices)
  func recordsWithOtherNumbersHaveTheirOwnResults(_ first: Int, _ second: Int) async throws {
    let (one, other) = (Self.numbers[first], Self.numbers[second])
    let lines = Self.lines("berta", other.sourceID, other.data, other.priority)
    let alone = try await simulate(Self.header + "\n\n" + lines)
    let both = try await simulate(Self.header + Self.lines("anna", one.sourceID, one.data, one.priority) + lines)
    func ofBerta(_ text: String) -> [Substring] { text.split(separator: "\n").filter { $0.contains("berta") } }
    #expect(ofBerta(both.reports) == ofBerta(alone.reports))
    #expect(ofBerta(both.losses) == ofBerta(alone.losses))
    #expect(ofBerta(alone.reports).count + ofBerta(alone.losses).count >= 1)
  }

  @Test(arguments: same.indices)
  func filesWithTheSameEventsHaveTheSameReports(_ index: Int) async throws {
    let (format, text, first) = Self.same[index]
    let expected = try await simulate(Self.pair).reports
      .replacing(#""click":1,"trigger":2"#, with: #""click":\#(first),"trigger":\#(first + 1)"#)
    #expect(try await simulate(text, format).reports == expected)
  }

  /// One time, in the forms that databases, shops, and analytics programs export.
  private static let forms = [
    "2026-11-20T10:00:00Z", "2026-11-20 10:00:00", "2026-11-20 10:00:00.000", "2026-11-20T11:00:00+01:00",
    "2026-11-20 11:00:00+01", "2026-11-20 11:00:00 +0100", "2026-11-20 05:00:00.123-0500", "2026-11-20 10:00:00 UTC",
    "2026-11-20 10:00:00.123456 UTC", "1795168800", "1795168800000", "1795168800000000", "1795168800.123",
  ]

  @Test(arguments: forms)
  func aTimeHasSeveralForms(_ text: String) {
    var time = EventTime()
    let found = time.read(Array(text.utf8)[...])
    let fraction: Int64 = text.contains("123") ? 123 : 0
    #expect(found == Instant(milliseconds: 1_795_168_800_000 + fraction))
  }

  @Test(
    arguments: [
      "", "noon", "2026-11-20", "2026-11-20 10:00", "2026-11-20 10:00:00 CET", "2026-11-20 10:00:00 +01000",
      "2026-11-20 10:00:00+",
      "2026-11-20 24:00:00", "17951688000000000", "1795168800000.5",
    ])
  func anotherTextIsNoTime(_ text: String) {
    var time = EventTime()
    #expect(time.read(Array(text.utf8)[...]) == nil)
  }

  /// Files with an error, and the error.
  private static let wrong: [(EventFormat, String, String)] = [
    (.csv, header.replacing("source_id", with: "sorce"), "events:1: sorce: unknown column; did you mean \"source\"?"),
    (.csv, header.replacing("data", with: "source"), "events:1: source: the column is given twice"),
    (.csv, "user,time,source\n", "events:1: kind: the column is missing"),
    (
      .csv, "anna,noon,click,,,,,\n",
      "events:1: time: \"noon\" is no time; use ISO 8601, or seconds, milliseconds, or microseconds since 1970"
    ),
    (
      .csv, "Name,Email,Financial Status,Paid at\n" + pair,
      "events:1: the first row is neither an event nor a header with the columns"
    ),
    (
      .csv, pair.replacing(",", with: ";"),
      "events:1: the cells are separated by semicolons instead of commas; export the file with commas, or convert it with "
        + "csvformat -d ';' of csvkit"
    ),
    (.csv, (header + pair).replacing(",", with: "\t"), "events:1: the cells are separated by tabs instead of commas; "),
    (.csv, (header + pair).replacing(",", with: "|"), "events:1: the cells are separated by vertical bars instead"),
    (.csv, "customer;paid at;total\nanna;1795168800;10,50\n", "events:1: the cells are separated by semicolons"),
    (.csv, ",1795168800,click,,,,,\n", "events:1: user: the cell is empty"),
    (.csv, "anna,1795168800,tap,,,,,\n", "events:1: kind: \"tap\" is no kind of event; use click"),
    (
      .csv, pair.replacing("11:00", with: "09:00"),
      "events:2: time: 2026-11-20T09:00:00.000Z is before 2026-11-20T10:00:00.000Z of line 1"
    ),
    (.csv, pair + pair.replacing("anna", with: "bob") + pair, "events:5: user: the lines of this user are apart"),
    (.csv, pair.replacing(",3,1", with: ",100,1"), "events:2: data: "),
    (.csv, pair.replacing(",3,1", with: ",,1"), "events:2: data: triggerData is missing"),
    (.csv, pair.replacing(",3,1", with: ",3,high"), "events:2: priority: "),
    (.csv, "anna,1795168800,event-attribution,news.example,shop.example,256,,\n", "events:1: source_id: 256 is out of range"),
    (.csv, "anna,1795168800,event-attribution,,shop.example,1,,\n", "events:1: source: an event-attribution needs the site"),
    (
      .csv, "anna,1795168800,click,news.example,shop.example,7,,,,\n", "events:1: the row has 10 cells, and there are 8 columns"
    ),
    (.csv, "anna,1795168800,clear,\"x\"y,,,,\n", "events:1: a quotation mark is within a cell; quote the whole cell"),
    (.csv, pair + "anna,\"" + String(repeating: "x", count: 70_000), "events:3: the record has more than 65536 bytes"),
    (
      .jsonl, #"{"user":"anna","time":1795168800,"kind":"settings","privateBrowsing":"maybe"}"#,
      "events:1: privateBrowsing: privateBrowsing must be true or false"
    ),
    (.jsonl, "{\"user\":\"anna\"\n", "events:1: the line is no JSON object with distinct members"),
    (.jsonl, "{\"user\":\"anna\",\"href\":{}}\n", "events:1: href: the value is an array or an object"),
    (
      .jsonl, "{\"event_timestamp\":1}\n",
      "events:1: event_timestamp: unknown column; name your own columns in the columns of a"
    ),
    (.csv, "{\"user\":\"anna\"}\n", "events: the file has JSON; add --format jsonl"),
    (.jsonl, "[{\"user\":\"anna\"}]\n", "events: the file has a JSON array; write each object on its line with jq -c '.[]'"),
    (.csv, "PAR1\u{15}\n", "events: the file is in Parquet; convert it, such as with DuckDB: COPY (FROM"),
    (.csv, "PK\u{3}\u{4}\u{14}\n", "events: the file is a workbook or a ZIP archive; export the sheet as CSV in UTF-8"),
    (
      .csv, pair.replacing(",3,1", with: ",3.5,1"), "events:2: data: triggerData must be an integer from 0 to 99, found \"3.5\""
    ),
  ]

  @Test(arguments: wrong.indices)
  func anErrorNamesFileLineAndColumn(_ index: Int) async throws {
    let (format, text, expected) = Self.wrong[index]
    let error = await #expect(throws: StartError.self, "\(text.prefix(200))") { _ = try await simulate(text, format) }
    #expect(error?.description.hasPrefix(expected) == true, "\(error?.description ?? "")")
  }

  @Test func aFileInUTF16HasItsRemedy() async throws {
    let folder = try TemporaryFolder()
    try Data([0xFF, 0xFE] + Array("user\n".utf16).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }).write(
      to: URL(fileURLWithPath: "\(folder.path)/events"))
    let run = SimulationRun(
      file: "events", seed: "1", format: .csv, skipped: 0, reports: try ResultFile(path: "\(folder.path)/reports"), losses: nil)
    let error = await #expect(throws: StartError.self) {
      _ = try await run.perform(try ByteStream(path: "\(folder.path)/events"))
    }
    #expect(error?.description == "events: the file is in UTF-16; convert it with iconv -f UTF-16 -t UTF-8")
  }

  @Test func linesThatCannotBeReadAreSkippedUpToANumber() async throws {
    let text = Self.pair + "an\"na,noon,click,,,,,\n" + Self.pair.replacing("-20T", with: "-21T") + "bob,,,,,,,\n"
    let outcome = try await simulate(text, skipBad: 2)
    #expect(outcome.summary == .init(users: 1, events: 4, reports: outcome.summary.reports, skipped: 2))
    let error = await #expect(throws: StartError.self) { _ = try await simulate(text, skipBad: 1) }
    #expect(
      error?.description
        == "events:6: time: \"\" is no time; use ISO 8601, or seconds, milliseconds, or microseconds since 1970"
        + "; it is one more than the 1 that --skip-bad allows")
  }

  @Test(arguments: [1, 70_000, 200_000])
  func blocksChangeNoByte(_ size: Int) async throws {
    var text = ""
    for user in 0..<600 {
      // Some users have more events than a part of the file.
      for event in 0..<(user % 300 == 7 ? 1_200 : 3) {
        text +=
          "\"user, \(user)\",\(1_795_168_800 + event * 60),\(event % 2 == 0 ? "click" : "trigger"),news.example,shop.example,"
          + (event % 2 == 0 ? "\(event % 256),,\n" : ",\(event % 16),\(event % 64)\n")
        if event == 1 { text += "bad line\n" }
      }
    }
    let whole = try await simulate(text, skipBad: 600)
    #expect(whole.summary.users == 600)
    #expect(try await simulate(text, skipBad: 600, blockSize: size) == whole)
  }
}
