import Foundation
import PCMBrowser
import PCMCore
import PCMHTTP
import ServiceSupport
import Testing

@testable import PCMApp

/// The summary of `simulate`: its counts, its text, and its page.
@Suite struct SimulationSummaryTests {
  /// A click with two events, a click that another one replaces, a click that expires, and clicks without an identifier.
  static let events = """
    anna,2026-11-20T10:00:00Z,click,news.example,shop.example,7,,
    anna,2026-11-20T11:00:00Z,trigger,news.example,shop.example,,3,2
    anna,2026-11-20T12:00:00Z,trigger,news.example,shop.example,,5,1
    bob,2026-11-20T10:00:00Z,click,news.example,shop.example,7,,
    bob,2026-11-20T11:00:00Z,click,news.example,shop.example,8,,
    bob,2026-11-29T12:00:00Z,trigger,news.example,shop.example,,5,
    cara,2026-11-20T10:00:00Z,click,news.example,shop.example,300,,
    cara,2026-11-20T11:00:00Z,trigger,news.example,shop.example,,5,
    cara,2026-11-20T12:00:00Z,event-attribution,blog.example,shop.example,8,,
    dan,2026-11-20T12:00:00Z,trigger,news.example,shop.example,,15,63

    """

  static func simulate(_ text: String, skipBad: Int = 0, blockSize: Int = 1_048_576) async throws -> SimulationSummary {
    let folder = try TemporaryFolder()
    try text.write(toFile: "\(folder.path)/events", atomically: true, encoding: .utf8)
    var run = SimulationRun(
      file: "events", seed: "1", format: .csv, skipped: skipBad, reports: try ResultFile(path: "/dev/null"), losses: nil)
    run.blockSize = blockSize
    return try await run.perform(try ByteStream(path: "\(folder.path)/events"))
  }

  @Test func theSummaryCountsReportsLossesAndLastClicks() async throws {
    let json = try await Self.simulate(Self.events + "bad\n", skipBad: 1).json
    let expected = """
      {"users":4,"events":10,"skipped":1,"ignored":0,\
      "clicks":{"count":5,"reported":1,"reportedShare":0.2000,"losses":[\
      {"rule":"a-click-is-stored","reason":"click-expired","count":1,"share":0.2000},\
      {"rule":"click-replaced","reason":"click-replaced","count":1,"share":0.2000},\
      {"rule":"source-id-at-most-255","reason":"source-id-too-large","count":1,"share":0.2000},\
      {"rule":"","reason":"stored","count":1,"share":0.2000}]},\
      "triggers":{"count":5,"reported":1,"reportedShare":0.2000,"losses":[\
      {"rule":"a-click-is-stored","reason":"no-click","count":2,"share":0.4000},\
      {"rule":"a-click-is-stored","reason":"click-expired","count":1,"share":0.2000},\
      {"rule":"priority-is-higher","reason":"lower-or-equal-priority","count":1,"share":0.2000}]},\
      "reports":2,"recipients":{"source":1,"destination":1},\
      "lastClick":{"triggers":4,"reportedShare":0.2500},\
      "invalidSourceIDs":1,"sourceIDs":[\
      {"sourceID":7,"clicks":2,"reported":1,"lastClick":2,"shared":false},\
      {"sourceID":8,"clicks":2,"reported":0,"lastClick":1,"shared":true},\
      {"sourceID":null,"clicks":1,"reported":0,"lastClick":1,"shared":false}],\
      "encodings":[],"triggerData":{"3":1},
      """
    #expect(json.text.hasPrefix(expected), "\(json.text)")
    #expect(json["delayHours"]?.members.reduce(0) { $0 + ($1.value.integer ?? 0) } == 2, "\(json.text)")
  }

  @Test func theTextHasTheMostFrequentReasons() async throws {
    let text = try await Self.simulate(Self.events + "bad\n", skipBad: 1).text
    #expect(
      text == """
        4 users, 10 events, 2 reports, 8 losses
          clicks    5, 1 reported (20.0%)
          lost      1 click-expired (20.0%), 1 click-replaced (20.0%), 1 source-id-too-large (20.0%), 1 stored
                    (20.0%)
          triggers  5, 1 reported (20.0%)
          lost      2 no-click (40.0%), 1 click-expired (20.0%), 1 lower-or-equal-priority (20.0%)
          no limits 4 triggers by last click; 25.0% as many are reported
          note      1 line could not be read and was skipped.
          note      1 click has no identifier from 0 to 255, so that no report names it.
        """)
    let empty = "0 users, 0 events, 0 reports, 0 losses\n  note      There are no events."
    #expect(try await Self.simulate("").text == empty)
  }

  /// The generated lines of each user.
  private static let users = (0..<400).map { user in
    var random = SplitMix64(seed: UInt64(user))
    return (0..<Int(random.next() % 12)).map { event in
      let (site, value) = (random.next() % 3, random.next() % 300)
      let isClick = random.next() % 2 == 0
      let cells = isClick ? "\(value),," : ",\(value % 16),\(value % 64)"
      return
        "\(user),\(1_795_168_800 + event * 90_000),\(isClick ? "click" : "trigger"),news\(site).example,shop.example,\(cells)\n"
    }.joined()
  }

  @Test func theOrderOfUsersAndBlocksChangesNoCount() async throws {
    let whole = try await Self.simulate(Self.users.joined())
    #expect(try await Self.simulate(Self.users.reversed().joined(), blockSize: 1).json.text == whole.json.text)
    // Shards.
    var sum = SimulationCounts()
    for rest in 0..<3 {
      let shard = Self.users.indices.filter { $0 % 3 == rest }.map { Self.users[$0] }
      sum.add(try await Self.simulate(shard.joined()).counts)
    }
    #expect(sum == whole.counts)
  }

  @Test func everyClickAndEventIsReportedOrLost() async throws {
    let summary = try await Self.simulate(Self.users.joined())
    for subject in [(summary.counts.clicks, summary.losses(.click)), (summary.counts.triggers, summary.losses(.trigger))] {
      #expect(subject.0 - subject.1.reduce(0) { $0 + $1.count } == summary.counts.reported)
    }
    #expect(summary.counts.reported > 100)
    #expect(summary.delays.reduce(0) { $0 + $1.count } == summary.counts.reports)
    #expect(summary.counts.identifiers.reduce(0) { $0 + $1.reported } == summary.counts.reported)
    #expect(summary.counts.losses.keys.allSatisfy { !$0.words.isEmpty }, "\(summary.counts.losses.keys)")
  }

  @Test(
    arguments: [
      ("click-replaced", "click-replaced"), ("held-click-replaced", "held-click-replaced"), ("report-still-counts", "cleared"),
      ("measurement-is-enabled", "measurement-disabled"), ("", "stored"), ("", "ephemeral"), ("", "other-browser"),
      ("", "recorded"), ("", "lowest-tier"),
    ])
  func aLossHasWords(_ rule: String, _ reason: String) {
    #expect(!SimulationCounts.Loss(subject: .click, rule: rule, reason: reason).words.isEmpty)
  }

  @Test(
    arguments: [
      (5_000_000, 2.5, 0.51, "5000000 events, 2000000 a second, 51% of the file"), (0, 0, nil, "0 events, 0 a second"),
      (10, 1, 1, "10 events, 10 a second, 100% of the file"),
    ] as [(Int, Double, Double?, String)])
  func progressHasARateAndAShare(_ events: Int, _ seconds: Double, _ share: Double?, _ text: String) {
    #expect(SimulationProgress.text(events, in: seconds, share: share) == text)
  }

  @Test func aFileKnowsTheShareThatWasRead() throws {
    let folder = try TemporaryFolder()
    try "text".write(toFile: "\(folder.path)/events", atomically: true, encoding: .utf8)
    let stream = try ByteStream(path: "\(folder.path)/events")
    #expect(stream.share == 0)
    _ = try stream.next()
    #expect(stream.share == 1)
    #expect(try ByteStream(path: "/dev/null").share == nil)
  }
}

/// The page of `simulate`, in one file and with text from outside escaped.
@Suite struct SimulationPageTests {
  @Test func thePageIsAsRecorded() async throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Fixtures/pages/simulate.html")
    let html = try await SimulationSummaryTests.simulate(SimulationSummaryTests.events).html(title: "events.csv")
    let main = try #require(html.firstMatch(of: /(?s)<main>\n(.*?)<\/main>/)?.1)
    #expect(try String(contentsOf: file, encoding: .utf8) == main)
  }

  @Test(arguments: ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</style></main>"])
  func textIsEscaped(_ text: String) async throws {
    let summary = try await SimulationSummaryTests.simulate(SimulationSummaryTests.events)
    #expect(!summary.html(title: text).contains(text))
  }

  @Test(arguments: ["", SimulationSummaryTests.events])
  func thePageIsInOneFile(_ events: String) async throws {
    let html = try await SimulationSummaryTests.simulate(events).html(title: "events.csv")
    let style = try #require(html.firstMatch(of: /(?s)<style>(.*?)<\/style>/)?.1)
    #expect(html.contains("content=\"default-src 'none'; style-src 'sha256-\(PageHash.sha256(String(style)))'\""))
    for sign in ["http://", "https://", "<script", "src=", "url(", "@import", "<link", " style=", "<a ", "NaN"] {
      #expect(!html.contains(sign), "\(sign)")
    }
  }
}
