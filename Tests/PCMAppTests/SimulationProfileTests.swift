import Foundation
import PCMCore
import ServiceSupport
import Testing

@testable import PCMApp

/// How a profile changes the reading of events, and what it says about a mistake.
@Suite struct SimulationProfileTests {
  private struct Outcome: Hashable {
    let reports: String
    let losses: String
    let ignored: Int

    /// The reports without the lines of the file, which differ between files with the same events.
    var withoutLines: [String] {
      reports.split(separator: "\n").map { line in
        String(line[..<(line.firstRange(of: #","click":"#)?.lowerBound ?? line.endIndex)])
      }
    }
  }

  private static func profile(_ text: String, _ file: String = "profile.yaml") throws(StartError) -> SimulationProfile {
    try SimulationProfile(Array(text.utf8), file: file)
  }

  private static func simulate(
    _ text: String, _ profile: SimulationProfile?, _ format: EventFormat = .csv, blockSize: Int = 1_048_576
  ) async throws -> Outcome {
    let folder = try TemporaryFolder()
    func path(_ name: String) -> String { "\(folder.path)/\(name)" }
    try text.write(toFile: path("events"), atomically: true, encoding: .utf8)
    let (reports, losses) = (try ResultFile(path: path("reports")), try ResultFile(path: path("losses")))
    var run = SimulationRun(file: "events", seed: "1", format: format, skipped: 0, reports: reports, losses: losses)
    (run.profile, run.blockSize) = (profile, blockSize)
    let summary = try await run.perform(try ByteStream(path: path("events")))
    try reports.commit()
    try losses.commit()
    return Outcome(
      reports: try String(contentsOfFile: path("reports"), encoding: .utf8),
      losses: try String(contentsOfFile: path("losses"), encoding: .utf8), ignored: summary.counts.ignored)
  }

  private static let plain =
    "anna,2026-11-20T10:00:00Z,click,news.example,shop.example,7,,\n"
    + "anna,2026-11-20T11:00:00Z,trigger,news.example,shop.example,,3,1\n"

  private static let shop =
    "ts,customer,event,campaign,revenue,order\n2026-11-20T10:00:00Z,anna,ad_click,spring,,\n"
    + "2026-11-20T10:30:00Z,anna,page_view,,,\n2026-11-20T11:00:00Z,anna,order,,120.50,\"o,1\"\n"

  private static let shopProfile = """
    columns:
      user: customer
      time: ts
      kind: event
      source: {value: news.example}
      destination: {value: shop.example}
    kinds: {ad_click: click, order: trigger, page_view: ignore}
    encodings:
      source_id: {from: campaign, table: {spring: 7, summer: 8}}
      data: {from: revenue, buckets: [10, 50, 100, 500]}
      priority: {value: 1}

    """

  private static let lines =
    #"{"ts":"2026-11-20T10:00:00Z","customer":"anna","event":"ad_click","campaign":"spring","page":{"n":[1]}}"# + "\n"
    + #"{"ts":1795172400,"customer":"anna","event":"order","revenue":120.5}"# + "\n"

  private static let nestedProfile = shopProfile.replacing("user: customer", with: "user: user.id").replacing(
    "from: campaign", with: "from: properties.ad.campaign")

  /// A member with the name of the path, and nested members.
  private static let nestedLines =
    #"{"ts":"2026-11-20T10:00:00Z","user":{"id":"anna"},"event":"ad_click","properties":{"ad":{"campaign":"spring"},"n":[1]}}"#
    + "\n"
    + #"{"ts":1795172400,"user.id":"anna","user":{"id":"bert"},"event":"order","revenue":120.5,"properties":"none"}"# + "\n"

  private static let plainLines =
    #"{"user":"anna","time":1795168800,"kind":"click","source":"news.example","destination":"shop.example","source_id":7}"#
    + "\n"
    + #"{"user":"anna","time":1795172400,"kind":"trigger","source":"news.example","destination":"shop.example","data":3,"#
    + #""priority":1}"# + "\n"

  /// Profiles and files with the events of the plain file, and the number of ignored lines.
  private static let same: [(name: String, profile: String, format: EventFormat, events: String, ignored: Int)] = [
    ("profile.yaml", shopProfile, .csv, shop, 1),
    ("profile.yaml", "\u{FEFF}" + shopProfile.replacing("\n", with: "\r\n"), .csv, shop.replacing("\n", with: "\r\n"), 1),
    ("profile.yaml", shopProfile, .jsonl, lines, 0),
    ("profile.yaml", nestedProfile, .jsonl, nestedLines, 0),
    (
      "profile.yaml", "encodings: {source_id: {from: ad.campaign, table: {spring: 7}}}", .jsonl,
      plainLines.replacing(#""source_id":7"#, with: #""ad":{"campaign":"spring"}"#), 0
    ),
    ("profile.yaml", "kinds: {order: trigger}", .csv, plain.replacing("trigger", with: "order"), 0),
    ("profile.yaml", "settings: {private_share: 0, other_browser_share: 0.0}", .csv, plain, 0),
    (
      "profile.yaml", "encodings: {data: {from: source_id, table: {2024: 3}}}", .csv,
      plain.replacing(",,3,1", with: ",2024,,1"), 0
    ),
    (
      "profile.json",
      #"{"columns":{"kind":"what","data":{"value":3}},"kinds":{"":"ignore"},"encodings":{"#
        + #""source_id":{"from":"size","buckets":[0.5,1,1.5,2,2.5,3,3.25,4e2]}}}"#, .csv,
      "user,time,what,source,destination,size,data,priority\n"
        + plain.replacing(",7,", with: ",3.25,").replacing(",3,1", with: ",9,1")
        + "anna,1795172401,,,,,,\n", 1
    ),
  ]

  @Test(arguments: same.indices)
  func aProfileReadsTheSameEventsFromAnotherFile(_ index: Int) async throws {
    let row = Self.same[index]
    let expected = try await Self.simulate(Self.plain, nil)
    #expect(expected.withoutLines.count == 2)
    let found = try await Self.simulate(row.events, try Self.profile(row.profile, row.name), row.format)
    #expect(found.withoutLines == expected.withoutLines, "\(row.profile)")
    #expect(found.ignored == row.ignored && found.losses == SimulationRun.lossHeader, "\(row.profile): \(found.losses)")
  }

  /// Profiles with a mistake, and the error.
  private static let wrong: [(String, String)] = [
    ("colums: {}", #":1:1: expected a known member, found "colums"; did you mean "columns"?"#),
    ("columns:\nuser: customer", #":2:1: expected a known member, found "user"; indent it below columns"#),
    ("columns:\n  user: a\n   time: b", ":3:8: expected YAML or JSON; it mapping values are not allowed in this context"),
    ("columns: {customer: user}", #":1:11: expected user, time, kind, source, destination, source_id, data, priority, "#),
    ("columns: {source: {valu: a}}", #":1:20: expected a known member, found "valu"; did you mean "value"?"#),
    ("columns: {user: {value: anna}}", ":1:17: expected a string, found an object"),
    ("kinds: {order: tigger}", #":1:16: expected click, trigger, link-click, "#),
    ("settings: {private_share: 20 %}", #":1:27: expected a share from 0 to 1 such as 0.15, found "20 %"; 20 percent is 0.2"#),
    ("settings: {private_share: 20}", ":1:27: expected a share from 0 to 1 such as 0.15, found 20; 20 percent is 0.2"),
    ("settings: {private_share: 12.5}", ":1:27: expected a share from 0 to 1 such as 0.15, found 12.5; 12.5 percent is 0.125"),
    ("settings: {private_share: \"0,2\"}", #":1:27: expected a share from 0 to 1 such as 0.15, found "0,2"; write 0.2"#),
    ("settings: {private_share: -1}", ":1:27: expected a share from 0 to 1 such as 0.15, found -1"),
    ("settings: {privateShare: 0.1}", #":1:12: expected a known member, found "privateShare"; did you mean "private_share"?"#),
    ("encodings: {source_id: {from: a, table: {x: 300}}}", ":1:45: expected an integer from 0 to 255, found 300"),
    ("encodings: {data: {from: a, table: {x: 16}}}", ":1:40: expected an integer from 0 to 15, found 16"),
    ("encodings: {data: {from: a, table: {7: 1, \"7\": 2}}}", #":1:37: expected each member once, found "7" again"#),
    (
      "encodings: {data: {from: a, table: {x: \"7\"}}}",
      #":1:40: expected an integer from 0 to 15, found "7"; remove the quotes"#
    ),
    ("encodings: {data: {from: a, buckets: [10, 50, 20]}}", ":1:47: expected limits in ascending order, found 20 after 50"),
    ("encodings: {data: {from: a, buckets: [1, \"2\"]}}", #":1:42: expected a number, found "2"; remove the quotes"#),
    (
      "encodings: {data: {from: a, buckets: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}}",
      ":1:38: expected 1 to 15 items, found 16; for apps, the encoding fineValue has 0 to 63"
    ),
    (
      "encodings: {source_id: {from: a, table: {x: 1234}}}",
      ":1:45: expected an integer from 0 to 255, found 1234; for apps, the encoding sourceIdentifier has 0 to 9999"
    ),
    ("encodings: {data: {from: a}}", ":1:19: expected at least one of table, buckets, value"),
    ("encodings: {data: {table: {x: 1}}}", ":1:19: expected the member from: the column of the file with the value"),
    ("encodings: {data: {from: a, value: 1}}", ":1:29: expected value without other members"),
    ("columns: {data: d}\nencodings: {data: {value: 1}}", ":2:13: expected data in columns or in encodings, found both"),
    (
      "manifests: {}",
      #":1:1: expected columns, kinds, settings, encodings, device, ad_networks, apps, crowd_tiers, found "manifests""#
    ),
    ("- columns", ":1:1: expected an object, found a list"), ("", ":1:1: expected an object, found nothing"),
  ]

  @Test(arguments: wrong.indices)
  func anErrorNamesLineAndColumnOfTheProfile(_ index: Int) throws {
    let (text, expected) = Self.wrong[index]
    let error = #expect(throws: StartError.self, "\(text)") { _ = try Self.profile(text) }
    #expect(error?.description.contains("profile.yaml" + expected) == true, "\(text): \(error?.description ?? "")")
  }

  /// Profiles that are read, files of events, and the error.
  private static let unfit: [(profile: String, format: EventFormat, events: String, error: String)] = [
    (
      shopProfile, .csv, shop.replacing("campaign", with: "campain"),
      "profile.yaml:9:21: expected a column of events, found \"campaign\"; did you mean \"campain\"?"
    ),
    (
      shopProfile, .csv, plain,
      #"profile.yaml:2:9: expected a column of events, found "customer"; the columns are anna, 2026-11-20T10:00:00Z, click, "#
    ),
    (
      "columns: {time: ts}", .csv, shop,
      "events:1: user: the column is missing; name it in the profile's columns, such as user: NAME; the columns are ts, customer, "
    ),
    (
      "columns: {user: customer, time: ts}", .csv, shop,
      "events:1: kind: the column is missing; name it in the profile's columns, or"
    ),
    (shopProfile, .csv, shop.replacing("order\n", with: "revenue\n"), "events:1: revenue: the column is given twice"),
    (
      "encodings: {data: {from: score, buckets: [1]}}", .csv, "user,time,kind,sorce,score\n",
      "events:1: sorce: unknown column; did you mean \"source\"?; a profile with columns ignores other columns of the file"
    ),
    (
      shopProfile, .csv, shop.replacing("spring", with: "sprng"),
      #"events:2: campaign: "sprng" is not in the table of source_id; did"#
    ),
    (
      shopProfile, .csv, shop.replacing("spring", with: "winter"),
      "\"winter\" is not in the table of source_id; add it to the profile"
    ),
    (
      shopProfile, .csv, shop.replacing("spring", with: ""),
      "events:2: campaign: the cell is empty; give the encoding of source_id a"
    ),
    (
      shopProfile, .csv, shop.replacing("120.50", with: "\"120,50\""),
      #"events:4: revenue: "120,50" is no number such as 19.99, for"#
    ),
    (
      shopProfile, .csv, shop.replacing("page_view", with: "view"),
      #"events:3: event (kind): "view" is no kind of event; add it to"#
    ),
    (
      shopProfile, .csv, shop.replacing("2026-11-20T11:00:00Z", with: "noon"), #"events:4: ts: "noon" is no time; use ISO 8601"#
    ),
    (shopProfile, .jsonl, lines.replacing("anna", with: ""), "events:1: customer: the cell is empty"),
    (
      nestedProfile, .jsonl, nestedLines.replacing(#""anna""#, with: "{}"),
      "events:1: user.id: the value is an array or an object"
    ),
    (nestedProfile, .jsonl, nestedLines.replacing(#"{"id":"anna"}"#, with: "7"), "events:1: user.id: the cell is empty"),
    (shopProfile, .csv, shop.replacing(",", with: ";"), "events:1: the cells are separated by semicolons instead of commas; "),
    (
      "columns: {data: score}", .csv,
      "user,time,kind,source,destination,score\nanna,1795172400,trigger,a.example,b.example,100\n",
      "events:2: score (data): "
    ),
    (
      "columns: {source: {value: \"a b\"}}", .csv, "user,time,kind,destination,data\nanna,1795172400,trigger,b.example,1\n",
      "events:2: source of the profile: "
    ),
  ]

  @Test(arguments: unfit.indices)
  func anErrorNamesTheColumnOfTheFile(_ index: Int) async throws {
    let row = Self.unfit[index]
    let profile = try Self.profile(row.profile)
    let error = await #expect(throws: StartError.self, "\(row.error)") {
      _ = try await Self.simulate(row.events, profile, row.format)
    }
    #expect(error?.description.contains(row.error) == true, "\(row.error)\n\(error?.description ?? "")")
  }

  /// The cells of an encoding with the limits -1, 0.3, 10, and 500, and the numbers; nil for an error.
  private static let buckets: [(String, Int?)] = [
    ("-1.5", 0), ("-1", 1), ("0", 1), ("0.29", 1), ("0.3", 2), (".3", 2), ("9.99", 2), ("10", 3), ("10.00", 3), ("1e1", 3),
    ("499.999999999999999", 4), ("499.99", 3), ("12345678901234567890", 4), ("", 9), ("ten", nil), ("nan", nil), ("-", nil),
    ("1.2.3", nil), ("0x10", nil), (" 1", nil), ("5.", 2),
  ]

  @Test(arguments: buckets)
  func aBucketIsTheCountOfLimitsUpToTheNumber(_ cell: String, _ expected: Int?) async throws {
    let profile = try Self.profile(
      "encodings: {data: {from: priority, buckets: [-1, 0.3, 10, 500], default: 9}, priority: {value: 1}}")
    let events = Self.plain.replacing(",,3,1", with: ",,,\(cell)")
    let found = try? await Self.simulate(events, profile).reports.firstMatch(of: /"trigger_data":(\d+)/)?.1
    #expect(found == expected.map { "\($0)" }, "\(cell)")
  }

  /// Clicks and orders of 400 users.
  private static func users(_ numbers: some Sequence<Int>, _ events: String = plain) -> String {
    numbers.map { events.replacing("anna", with: "user-\($0)") }.joined()
  }

  /// The users with a loss of a reason.
  private static func lost(_ outcome: Outcome, _ reason: String) -> Set<Substring> {
    Set(outcome.losses.split(separator: "\n").filter { $0.hasSuffix(",\(reason)") }.map { $0.prefix { $0 != "," } })
  }

  @Test func aShareDependsOnTheUserAlone() async throws {
    let quarter = try Self.profile("settings: {other_browser_share: 0.25}")
    let all = try await Self.simulate(Self.users(0..<400), quarter)
    let lost = Self.lost(all, "other-browser")
    #expect((80...120).contains(lost.count), "\(lost.count)")
    #expect(all.losses.split(separator: "\n").count == 1 + 2 * lost.count)
    #expect(try await Self.simulate(Self.users(0..<400), quarter, blockSize: 1) == all)
    // The other users have the reports that they have without a profile.
    let plain = try await Self.simulate(Self.users(0..<400), nil)
    let kept = plain.reports.split(separator: "\n").filter { line in !lost.contains { line.contains("\"\($0)\"") } }
    #expect(all.reports.split(separator: "\n") == kept)
    var shards: [String] = []
    for shard in [300..<400, 0..<300] { shards += try await Self.simulate(Self.users(shard.reversed()), quarter).withoutLines }
    #expect(shards.sorted() == all.withoutLines.sorted())
    let half = try await Self.simulate(
      Self.users(0..<400), try Self.profile("settings: {other_browser_share: 0.5, private_share: 0.5}"))
    #expect(Self.lost(half, "other-browser").isSuperset(of: lost))
  }

  /// Settings of all users, and the line of a user that has the same effect.
  @Test(arguments: [
    ("private_share", "anna,2026-11-20T10:00:00Z,settings,,,,,,true,"),
    ("measurement_off_share", "anna,2026-11-20T10:00:00Z,settings,,,,,,,false"),
  ])
  func aSettingHasTheEffectOfALine(_ share: String, _ line: String) async throws {
    let header = "user,time,kind,source,destination,source_id,data,priority,privateBrowsing,measurementEnabled\n"
    let profile = try Self.profile("settings: {\(share): 1}")
    // A private session has one click at a time.
    let events = Self.plain.replacing(
      "anna,2026-11-20T11", with: "anna,2026-11-20T10:01:00Z,click,news.example,b.example,8,,\nanna,2026-11-20T11")
    let found = try await Self.simulate(header + Self.users(0..<20, events), profile)
    let expected = try await Self.simulate(header + Self.users(0..<20, line + "\n" + events), nil)
    #expect(found.withoutLines == expected.withoutLines)
    func reasons(_ outcome: Outcome) -> [Substring] {
      outcome.losses.split(separator: "\n").map {
        $0.split(separator: ",", omittingEmptySubsequences: false).dropFirst(2).joined(separator: ",")[...]
      }
    }
    #expect(reasons(found) == reasons(expected))
    #expect(try await Self.simulate(header + Self.users(0..<20, events), nil).withoutLines != found.withoutLines)
  }

  @Test func theSchemaHasTheMembersOfTheFormat() throws {
    let schema = ProfileFormat.schema
    let example = try #require(schema["examples"]?.items.first)
    #expect(try SimulationProfile(example.bytes, file: "profile.json").isMapping)
    #expect(schema["properties"]?["columns"]?["properties"]?.members.map(\.name) == EventColumns.all.names)
  }
}
