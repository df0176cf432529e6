import Foundation
import PCMCore
import PCMScenario
import ServiceSupport
import Testing

@testable import PCMApp

/// The part of the summary of `simulate` about values that an encoding cannot tell apart.
@Suite struct AmbiguousNumbersTests {
  private static let profile = """
    encodings:
      source_id: {from: campaign, table: {spring: 7, summer: 7, autumn: 8, winter: 9}, default: 9}
      data: {from: total, buckets: [10, 50]}
      priority: {from: product, table: {shoe: 1, hat: 1}, default: 0}
    """

  /// Clicks of campaigns, and an order.
  private static func events(_ campaigns: [String]) -> String {
    var text = "user,time,kind,source,destination,campaign,total,product\n"
    for (user, campaign) in campaigns.enumerated() {
      text += "u\(user),2026-11-20T10:00:00Z,click,news.example,shop.example,\(campaign),,\n"
      text += "u\(user),2026-11-20T11:00:00Z,trigger,news.example,shop.example,spring,\(user),shoe\n"
    }
    return text
  }

  private func simulate(
    _ campaigns: [String], _ profile: String = profile, blockSize: Int = 1_048_576
  ) async throws -> SimulationSummary {
    let folder = try TemporaryFolder()
    try Self.events(campaigns).write(toFile: "\(folder.path)/events", atomically: true, encoding: .utf8)
    var run = SimulationRun(
      file: "events", seed: "1", format: .csv, skipped: 0, reports: try ResultFile(path: "/dev/null"), losses: nil)
    (run.profile, run.blockSize) = (try SimulationProfile(Array(profile.utf8), file: "profile.yaml"), blockSize)
    return try await run.perform(try ByteStream(path: "\(folder.path)/events"))
  }

  private static let campaigns = ["spring", "winter", "fair", "autumn", "summer", "spring", "", "summer", "summer"]

  @Test(arguments: [1, 1_048_576])
  func anIdentifierHasTheValuesThatShareIt(_ blockSize: Int) async throws {
    let summary = try await simulate(Self.campaigns, blockSize: blockSize)
    let expected = """
      [{"column":"source_id","from":"campaign","values":5,"numbers":3,"sharing":4,"shared":[\
      {"number":7,"events":5,"count":2,"values":[{"value":"summer","events":3},{"value":"spring","events":2}]},\
      {"number":9,"events":2,"count":2,"values":[{"value":"fair","events":1},{"value":"winter","events":1}]}]}]
      """
    #expect(summary.json["encodings"]?.text == expected)
    let words = summary.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      words.hasSuffix(
        "shared 4 of 5 values of campaign share a number of source_id: 7 (2 values, 5 events), 9 (2 values, 2 events)"),
      "\(summary.text)")
    let page = summary.html(title: "events")
    #expect(page.contains("<h2>Shared numbers of source_id</h2>"))
    #expect(page.contains("<tr><td>7</td><td>5</td><td>summer (3), spring (2)</td></tr>"), "\(page)")
  }

  @Test func anEncodingWithoutAmbiguousNumbersHasNoLine() async throws {
    let summary = try await simulate(["spring", "autumn", "spring"])
    #expect(
      summary.json["encodings"]?.text
        == #"[{"column":"source_id","from":"campaign","values":2,"numbers":2,"sharing":0,"shared":[]}]"#)
    #expect(!summary.text.contains("shared  ") && !summary.html(title: "events").contains("Shared numbers"))
  }

  @Test func theTenMostFrequentNumbersAndValuesAreShown() async throws {
    // Of 300 values, 25 have each number, and the first ones have more clicks.
    let campaigns = (0..<300).flatMap { value in [String](repeating: "\(value)", count: value < 50 ? 2 : 1) }
    let limits = stride(from: 25, to: 300, by: 25).map(String.init).joined(separator: ", ")
    let summary = try await simulate(
      campaigns, "columns: {}\nencodings: {data: {value: 1}, source_id: {from: campaign, buckets: [\(limits)]}}")
    let json = try #require(summary.json["encodings"]?.items.first)
    #expect([json["values"], json["numbers"], json["sharing"]].map { $0?.integer } == [300, 12, 300])
    let shared = json["shared"]?.items ?? []
    #expect(shared.map { $0["number"]?.text } == ["0", "1", "10", "11", "2", "3", "4", "5", "6", "7"])
    #expect(shared.allSatisfy { $0["values"]?.items.count == 10 && $0["count"]?.integer == 25 })
    #expect(summary.text.contains("and 9 more numbers"), "\(summary.text)")
    let page = summary.html(title: "events")
    #expect(page.contains("and 15 more</td>") && page.contains("Of 12 such numbers, these have the most events."))
  }

  @Test(arguments: [(10_000, 10_000), (10_001, nil)] as [(Int, Int64?)])
  func tooManyValuesAreNotKept(_ count: Int, _ found: Int64?) {
    var (first, second) = (EncodedValues(), EncodedValues())
    for value in 0..<count {
      let cell = Array("\(value)".utf8)[...]
      if value % 2 == 0 { first.count(cell) } else { second.count(cell) }
    }
    var other = second
    other.add(first)
    first.add(second)
    #expect(first == other)
    let encoding = CellEncoding(
      column: "source_id", from: "campaign", place: SourcePlace(line: 1, column: 1), rule: .buckets([5], digits: [[48], [49]]),
      fallback: nil)
    let shared = AmbiguousNumbers(encoding, first)
    #expect(shared.json["values"]?.integer == found)
    #expect(
      shared.text.joined().contains(
        found == nil ? "more than 10000 values of campaign have a number of source_id" : "of 10000 values of campaign share"))
  }
}
