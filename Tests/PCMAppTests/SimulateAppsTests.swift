import Foundation
import PCMBrowser
import PCMCore
import PCMManifest
import PCMSimulatedSites
import PCMURL
import ServiceSupport
import Testing

@testable import PCMApp

/// How `simulate` reads the events of ads for apps, and how it writes postbacks. Their content is compared with the engine, which
/// `AgreementTests` compares with the service.
@Suite struct SimulateAppsTests {
  private static let profile = """
    apps:
      - { bundleIdentifier: com.example.news, itemIdentifier: 1001, adNetworks: [example123.skadnetwork] }
      - { bundleIdentifier: com.example.game, itemIdentifier: 525463029 }

    """

  private static let header = "user,time,kind,source,destination,source_id,data,version\n"
  private static let game =
    "anna,2026-11-20T10:00:00Z,impression,com.example.news,com.example.game,5239,,4.0\n"
    + "anna,2026-11-20T11:00:00Z,install,,com.example.game,,,\n"
    + "anna,2026-11-20T11:01:00Z,launch,,com.example.game,,,\n"
    + "anna,2026-11-20T12:00:00Z,conversion-value,,com.example.game,,42,\n"

  private struct Outcome {
    let lines: [JSON]
    let losses: String
    let summary: SimulationSummary
  }

  private static func simulate(
    _ text: String, _ profile: String? = profile, signs: Bool = false, folder: TemporaryFolder? = nil
  ) async throws -> Outcome {
    let folder = try folder ?? TemporaryFolder()
    func path(_ name: String) -> String { "\(folder.path)/\(name)" }
    try text.write(toFile: path("events"), atomically: true, encoding: .utf8)
    let (reports, losses) = (try ResultFile(path: path("reports")), try ResultFile(path: path("losses")))
    var run = SimulationRun(file: "events", seed: "1", format: .csv, skipped: 0, reports: reports, losses: losses)
    run.profile = try profile.map { try SimulationProfile(Array($0.utf8), file: path("profile.yaml")) }
    run.signsPostbacks = signs
    let summary = try await run.perform(try ByteStream(path: path("events")))
    try reports.commit()
    try losses.commit()
    let lines = try String(contentsOfFile: path("reports"), encoding: .utf8).split(separator: "\n")
    return Outcome(
      lines: try lines.map { try #require(JSON(parsing: Array($0.utf8))) },
      losses: try String(contentsOfFile: path("losses"), encoding: .utf8), summary: summary)
  }

  @Test func aPostbackHasTheLinesOfItsAdInstallAndValue() async throws {
    let outcome = try await Self.simulate(Self.header + Self.game)
    let first = try #require(outcome.lines.first)
    #expect(
      first.members.map(\.name) == [
        "user", "recipient", "at", "body", "impression", "conversion", "update", "framework", "adNetworkIdentifier",
        "bundleIdentifier", "sequenceIndex", "didWin",
      ])
    #expect([first["impression"], first["conversion"], first["update"]].map { $0?.integer } == [2, 3, 5])
    #expect(first["user"]?.string == "anna" && first["recipient"]?.string == "ad-network")
    #expect(first["body"]?["conversion-value"]?.integer == 42 && first["body"]?["source-identifier"]?.string == "5239")
    #expect(first["body"]?["attribution-signature"] == nil)
    #expect(outcome.lines.count == 1 && first["sequenceIndex"]?.integer == 0 && first["didWin"] == .bool(true))
    // The user opens the app in no later window.
    let windows = "anna,3,window,no-update-in-window,no-update-in-window\n"
    #expect(outcome.losses == SimulationRun.lossHeader + windows + windows)
  }

  @Test func aSignedPostbackHasItsSignature() async throws {
    let plain = try await Self.simulate(Self.header + Self.game).lines
    let signed = try await Self.simulate(Self.header + Self.game, signs: true).lines
    #expect(signed.count == plain.count)
    for (signed, plain) in zip(signed, plain) {
      #expect(signed["body"]?["attribution-signature"]?.string != nil)
      let kept = signed["body"]?.members.filter { $0.name != "attribution-signature" }
      #expect(kept == plain["body"]?.members)
      #expect(signed["at"] == plain["at"])
    }
  }

  /// Other ways to write the profile and the events of the first example. All have the same result.
  private static let same: [(profile: String, events: String)] = [
    (profile, header + game.replacing("com.example.game,5239", with: "525463029,5239")),
    (profile, header + game.replacing("com.example.game", with: "id525463029")),
    (
      profile,
      "user,time,kind,bundleIdentifier,advertisedAppStoreItemIdentifier,sourceIdentifier,fineValue,version,adNetworkIdentifier\n"
        + "anna,2026-11-20T10:00:00Z,impression,com.example.news,525463029,5239,,4.0,example123.skadnetwork\n"
        + "anna,2026-11-20T11:00:00Z,install,com.example.game,,,,,\nanna,2026-11-20T11:01:00Z,launch,com.example.game,,,,,\n"
        + "anna,2026-11-20T12:00:00Z,conversion-value,com.example.game,,,42,,\n"
    ),
    (
      profile + "columns: {kind: event, destination: app}\nkinds: {ad: impression}\n"
        + "encodings:\n  source_id: {value: 7}\n  sourceIdentifier: {from: campaign, table: {spring: 5239}, default: 0}\n"
        + "  fineValue: {from: revenue, buckets: [\((1...42).map { "\($0 * 10)" }.joined(separator: ", "))], default: 0}\n",
      "user,time,event,source,app,campaign,revenue,version\n"
        + game.replacing("5239", with: "spring").replacing("42,", with: "421.5,").replacing(",impression", with: ",ad")
    ),
    (
      """
      device: { systemVersion: "18.6", country: US }
      ad_networks: { example123.skadnetwork: {} }
      crowd_tiers: { twoDigits: 3, threeDigits: 3 }
      apps:
        - manifest: News.plist
          itemIdentifier: 1001
        - bundleIdentifier: com.example.game
          itemIdentifier: 525463029
      """, header + game
    ),
  ]

  private static let manifest = """
    <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.news</string>\
    <key>SKAdNetworkItems</key><array><dict><key>SKAdNetworkIdentifier</key><string>example123.skadnetwork</string></dict></array>\
    </dict></plist>
    """

  @Test(arguments: same.indices)
  func filesWithTheSameEventsHaveTheSamePostbacks(_ index: Int) async throws {
    let folder = try TemporaryFolder()
    try Self.manifest.write(toFile: "\(folder.path)/News.plist", atomically: true, encoding: .utf8)
    let expected = try await Self.simulate(Self.header + Self.game)
    let row = Self.same[index]
    let found = try await Self.simulate(row.events, row.profile, folder: folder)
    #expect(expected.lines.count == 1)
    #expect(found.lines == expected.lines, "\(row.profile)")
  }

  @Test func theCrowdOfTheProfileHidesValues() async throws {
    let found = try await Self.simulate(
      Self.header + Self.game,
      Self.profile + "crowd_tiers: {twoDigits: 1, threeDigits: 1, fourDigits: 1, country: 0, meetsThreshold: false}\n")
    #expect(found.lines.first?["body"]?["conversion-value"] == nil)
    #expect(found.lines.first?["body"]?["source-identifier"]?.string == "39")
  }

  @Test func coarseValuesHaveBuckets() async throws {
    let profile =
      Self.profile + "encodings: {coarseValue: {from: revenue, buckets: [10, 100], default: low}, data: {value: 1}}\n"
    let events =
      "user,time,kind,source,destination,source_id,revenue,version\n"
      + Self.game.replacing("12:00:00Z", with: "12:30:00Z").replacing("2026-11-20T12", with: "2026-11-24T12").replacing(
        "42", with: "99.5")
    let found = try await Self.simulate(events, profile)
    #expect(found.lines.contains { $0["body"]?["coarse-conversion-value"]?.string == "medium" }, "\(found.lines)")
    #expect(found.summary.counts.apps.coarse == [0, 1, 0])
  }

  /// A tapped ad of AdAttributionKit, and a value in two windows.
  private static let tapped =
    "user,time,kind,source,destination,source_id,data,framework,coarseValue\n"
    + "anna,2026-11-20T10:00:00Z,impression,com.example.news,com.example.game,5239,,adattributionkit,\n"
    + "anna,2026-11-20T10:00:05Z,impression-tap,,,,,,\nanna,2026-11-20T11:00:00Z,install,,com.example.game,,,,\n"
    + "anna,2026-11-20T11:01:00Z,launch,,com.example.game,,,,\n"
    + "anna,2026-11-20T12:00:00Z,conversion-value,,com.example.game,,42,adattributionkit,low\n"
    + "anna,2026-11-24T12:00:00Z,conversion-value,,com.example.game,,43,adattributionkit,high\n"

  @Test func aPostbackOfAdAttributionKitIsItsPayload() async throws {
    let outcome = try await Self.simulate(Self.tapped)
    #expect(outcome.lines.map { $0["impression"]?.integer } == [3, 3])
    #expect(outcome.lines.map { $0["update"]?.integer } == [6, 7])
    let bodies = outcome.lines.map { $0["body"] }
    #expect(bodies.map { $0?["postback-sequence-index"]?.integer } == [0, 1])
    #expect(bodies[0]?["conversion-value"]?.integer == 42 && bodies[1]?["coarse-conversion-value"]?.string == "high")
    let signed = try await Self.simulate(Self.tapped, signs: true)
    #expect(signed.lines.allSatisfy { $0["body"]?["jws-string"]?.string?.split(separator: ".").count == 3 })
    #expect(signed.summary.json == outcome.summary.json)
  }

  @Test func theSummaryHasThePartAboutApps() async throws {
    let summary = try await Self.simulate(Self.tapped).summary
    #expect(
      summary.text == """
        1 user, 6 events, 0 reports, 2 postbacks, 2 losses
          ads       1, 0 reported (0.0%)
          lost      1 displayed (100.0%)
          taps      1, 1 reported (100.0%)
          installs  1, 1 reported (100.0%)
          values    2, 2 reported (100.0%)
          windows   3, 2 reported (66.7%)
          lost      1 no-update-in-window (33.3%)
          postbacks 1, 1, 0 by window, 0 to runners-up, 0 to developers
          coded     1 fine, 1 coarse, 0 without
          no limits 1 install by last ad; 100.0% as many are reported
        """)
    let apps = try #require(summary.json["apps"])
    #expect(
      apps["postbacks"]?.text
        == #"{"count":2,"winners":[1,1,0],"runnersUp":0,"developers":0,"reengagements":0}"#)
    #expect(apps["values"]?.text == #"{"fine":{"42":1},"coarse":{"low":0,"medium":0,"high":1},"without":0}"#)
    #expect(apps["impressionTaps"]?["reported"]?.integer == 1 && apps["installs"]?["reported"]?.integer == 1)
    let page = summary.html(title: "events")
    for title in ["Ads", "Taps", "Installs", "Conversion windows", "Next to the last ad", "Postbacks of winning ads"] {
      #expect(page.contains("<h2>\(title)</h2>"), "\(title)")
    }
  }

  @Test(arguments: ["5239", "0042", "9999", "7"])
  func adsThatDifferInTheirSourceIdentifierHaveTheirOwn(_ identifier: String) async throws {
    let other = Self.game.replacing("anna", with: "bert").replacing("5239", with: identifier)
    let lines = try await Self.simulate(Self.header + Self.game + other).lines
    let found = lines.map { $0["body"]?["source-identifier"]?.string }
    #expect(found == ["5239", String(repeating: "0", count: 4 - identifier.count) + identifier])
    let signed = try await Self.simulate(Self.header + Self.game + other, signs: true).lines
    #expect(signed.map { $0["body"]?["source-identifier"]?.string } == found)
    // An ad of AdAttributionKit keeps the text that names its identifier, for taps.
    let tapped = Self.tapped.replacing("5239", with: "1234")
    let taps = try await Self.simulate(Self.tapped + tapped.replacing("anna", with: "bert").drop { $0 != "\n" }.dropFirst())
    #expect(taps.lines.map { $0["body"]?["source-identifier"]?.string } == ["5239", "39", "1234", "34"])
  }

  @Test func aFileWithoutAppsHasNoPartAboutThem() async throws {
    let summary = try await Self.simulate("anna,2026-11-20T10:00:00Z,click,news.example,shop.example,7,,\n").summary
    #expect(summary.json["apps"] == nil && !summary.text.contains("postback"))
    #expect(!summary.html(title: "events").contains("postback"))
  }

  /// Profiles, files with an error, and the error.
  private static let wrong: [(profile: String?, events: String, error: String)] = [
    (
      nil, header + game,
      #"events:2: destination: "com.example.game" is no app of the profile; add it, such as "#
        + "apps: [{bundleIdentifier: com.example.game, itemIdentifier: 525463029}]"
    ),
    (
      profile, header + game.replacing("com.example.news", with: "com.example.blog"),
      #"events:2: source: "com.example.blog" is no app of the profile"#
    ),
    (
      profile, header + game.replacing("install,,com.example.game", with: "install,,com.example.gane"),
      #"events:3: destination: "com.example.gane" is no app of the profile; did you mean "com.example.game"?"#
    ),
    (
      profile, header.replacing("version", with: "adNetworkIdentifier") + game.replacing("4.0", with: "other.skadnetwork"),
      #"events:2: adNetworkIdentifier: "other.skadnetwork" is no ad network of the profile; add it, such as ad_networks: "#
    ),
    (
      profile + "ad_networks: {a.skadnetwork: {}, b.skadnetwork: {}}\n", header + game,
      "events:2: adNetworkIdentifier: the profile has several ad_networks; name one of them for each ad"
    ),
    (
      profile.replacing(", itemIdentifier: 525463029", with: ""), header + game,
      #"events:2: destination: the app "com.example.game" has no itemIdentifier in the profile's apps; add"#
    ),
    (profile, header + game.replacing(",42,", with: ",many,"), "events:5: data: fineValue must be an integer"),
    (profile, header + game.replacing("install,,com.example.game", with: "install,,"), "events:3: destination: "),
    (profile + "device: {systemVersion: iOS 18}\n", header, "profile.yaml:4:25: \"iOS 18\" is not a version of iOS"),
    (profile + "device: {system: \"18\"}\n", header, "profile.yaml:4:10: expected "),
    (profile + "ad_networks: {a.skadnetwork: {postbackURL: \"http://a.example\"}}\n", header, "profile.yaml:4:44: "),
    (profile + "ad_networks: {a.skadnetwork: {publicKey: none}}\n", header, "profile.yaml:4:42: "),
    (profile + "crowd_tiers: {twoDigits: 4}\n", header, "profile.yaml:4:26: twoDigits must be an integer from 0 to 3"),
    (
      profile + "  - {bundleIdentifier: com.example.news}\n", header,
      "profile.yaml:4:5: expected each app once, found com.example.news again"
    ),
    (profile + "  - {bundleIdentifier: \"com example\"}\n", header, "profile.yaml:4:5: "),
    (profile + "  - {manifest: Missing.plist}\n", header, "profile.yaml:4:5: cannot read "),
    (profile + "  - {item: 7}\n", header, "profile.yaml:4:5: expected "),
    // The limits of the service.
    (
      profile + (2...Browser.maximumAppCount).map { "  - {bundleIdentifier: com.example.app\($0)}\n" }.joined(), header,
      "profile.yaml:2:3: expected 0 to 1000 items, found 1001"
    ),
    (
      profile + "ad_networks:\n" + (0...Browser.maximumAdNetworkCount).map { "  network\($0).skadnetwork: {}\n" }.joined(),
      header, "profile.yaml:1005:28: expected at most 1000 ad networks, as a device has"
    ),
  ]

  @Test(arguments: wrong.indices)
  func anErrorNamesItsPlaceAndTheRemedy(_ index: Int) async throws {
    let row = Self.wrong[index]
    let error = await #expect(throws: StartError.self, "\(row.error)") { _ = try await Self.simulate(row.events, row.profile) }
    #expect(error?.description.contains(row.error) == true, "\(row.error)\n\(error?.description ?? "")")
  }
}
