import Foundation
import PCMBrowser
import PCMCore
import PCMURL
import ServiceSupport
import Testing

@testable import PCMApp

/// A file with the ads, installs, and values of generated users through the command, compared with the engine.
@Suite struct GeneratedAppsTests {
  private static let profile = """
    apps:
      - { bundleIdentifier: com.example.news, itemIdentifier: 1001, adNetworks: [example123.skadnetwork] }
      - { bundleIdentifier: com.example.game, itemIdentifier: 525463029, reportEndpoint: "https://game.example" }
    crowd_tiers: { twoDigits: 3, threeDigits: 2, fourDigits: 2 }

    """

  /// An event, as a row of the file and as an input of the engine.
  private struct Event {
    let at: Instant
    let cells: String
    let action: @Sendable (SimulationDevice) throws -> SimulatedAction
  }

  private static let header =
    "user,time,kind,source,destination,source_id,data,framework,presentation,coarseValue,lockWindow,redownload\n"

  private static func events(_ seed: UInt64) -> [Event] {
    var random = SplitMix64(seed: seed)
    var at: Int64 = 1_795_168_800_000
    return (0..<Int(4 + random.next() % 12)).map { _ in
      at += Int64(random.next() % 200_000_000)
      return event(&random, at: Instant(milliseconds: at))
    }
  }

  private static func event(_ random: inout SplitMix64, at: Instant) -> Event {
    let draw = random.next() % 16
    switch draw {
    case 0...5:
      return impression(isSKAdNetwork: random.next() % 2 == 0, isView: random.next() % 3 == 0, random.next() % 10_000, at)
    case 6: return Event(at: at, cells: "impression-end,,,,,,,,,") { _ in SimulatedAction(ImpressionEndInput()) }
    case 7:
      return Event(at: at, cells: "impression-tap,,,,,,,,,") { device in
        var input = ImpressionTapInput()
        input.crowdTiers = device.crowdTiers
        return try SimulatedAction(input, in: device.world)
      }
    case 8...9: return install(isRedownload: draw == 9, at)
    case 10...11:
      return Event(at: at, cells: "launch,,com.example.game,,,,,,,") { device in
        var input = LaunchInput()
        input.bundleIdentifier = "com.example.game"
        return try SimulatedAction(input, in: device.world)
      }
    default: return value(Int64(random.next() % 64), coarse: Int(random.next() % 3), locks: draw == 15, at)
    }
  }

  private static func impression(isSKAdNetwork: Bool, isView: Bool, _ identifier: UInt64, _ at: Instant) -> Event {
    let presentation = isSKAdNetwork ? (isView ? "view-through" : "storekit-rendered") : "custom-rendered"
    let framework = isSKAdNetwork ? AdFramework.skadnetwork : .adattributionkit
    let cells =
      "impression,com.example.news,com.example.game,\(identifier),,\(framework.rawValue),\(presentation),,,"
    return Event(at: at, cells: cells) { device in
      var input = SignedAdInput()
      input.bundleIdentifier = "com.example.news"
      input.adNetworkIdentifier = "example123.skadnetwork"
      input.advertisedAppStoreItemIdentifier = 525_463_029
      (input.sourceIdentifier, input.framework, input.presentation) = (Int64(identifier), framework, presentation)
      return try SimulatedAction(input, in: device.world)
    }
  }

  private static func install(isRedownload: Bool, _ at: Instant) -> Event {
    Event(at: at, cells: "install,,com.example.game,,,,,,,\(isRedownload ? "true" : "")") { device in
      var input = InstallInput()
      (input.bundleIdentifier, input.redownload) = ("com.example.game", isRedownload ? true : nil)
      input.crowdTiers = device.crowdTiers
      return try SimulatedAction(input, in: device.world)
    }
  }

  private static func value(_ fine: Int64, coarse: Int, locks: Bool, _ at: Instant) -> Event {
    let word = ConversionValueInput.coarseValues[coarse]
    return Event(at: at, cells: "conversion-value,,com.example.game,,\(fine),,,\(word),\(locks),") { device in
      var input = ConversionValueInput()
      (input.bundleIdentifier, input.fineValue, input.coarseValue) = ("com.example.game", fine, word)
      input.lockWindow = locks
      return try SimulatedAction(input, in: device.world)
    }
  }

  private struct Outcome: Hashable {
    var postbacks: [String] = []
    var losses: [String] = []
    var installs = 0
  }

  private static let users = 120

  private static func read() throws -> SimulationProfile { try SimulationProfile(Array(profile.utf8), file: "profile.yaml") }

  /// The engine's results, in the form of the command.
  private static func expected() throws -> Outcome {
    let device = try read().device(sites: SiteParser(publicSuffixList: .builtIn()), signsPostbacks: false)
    var (outcome, line): (Outcome, Int64) = (Outcome(), 1)
    for number in 0..<users {
      let events = events(UInt64(number))
      var user = SimulatedUser(seed: SimulatedUser.seed("1", user: "u\(number)"), world: device.world, at: events[0].at)
      for event in events {
        line += 1
        user.perform(try event.action(device), line: line, at: event.at)
      }
      user.finish()
      outcome.postbacks += user.postbacks.map { postback in
        let members = postback.body.text
        return "u\(number) \(postback.at.text) \(postback.recipient.rawValue) \(members) \(postback.impression) "
          + "\(postback.conversion) \(postback.update.map { "\($0)" } ?? "null") \(postback.sequenceIndex) \(postback.didWin)"
      }
      let losses = user.losses.sorted { ($0.line, $0.subject.rawValue) < ($1.line, $1.subject.rawValue) }
      outcome.losses += losses.map { "u\(number),\($0.line),\($0.subject.rawValue),\($0.rule),\($0.reason)" }
      outcome.installs += Set(user.postbacks.filter { $0.didWin && $0.recipient == .adNetwork }.map(\.conversion)).count
    }
    return outcome
  }

  private static func simulate(blockSize: Int) async throws -> (outcome: Outcome, summary: SimulationSummary) {
    let folder = try TemporaryFolder()
    func path(_ name: String) -> String { "\(folder.path)/\(name)" }
    var text = header
    for number in 0..<users {
      for event in events(UInt64(number)) { text += "u\(number),\(event.at.text),\(event.cells)\n" }
    }
    try text.write(toFile: path("events"), atomically: true, encoding: .utf8)
    let (reports, losses) = (try ResultFile(path: path("reports")), try ResultFile(path: path("losses")))
    var run = SimulationRun(file: "events", seed: "1", format: .csv, skipped: 0, reports: reports, losses: losses)
    (run.profile, run.blockSize) = (try read(), blockSize)
    let summary = try await run.perform(try ByteStream(path: path("events")))
    try reports.commit()
    try losses.commit()
    var outcome = Outcome()
    for line in try String(contentsOfFile: path("reports"), encoding: .utf8).split(separator: "\n") {
      let json = try #require(JSON(parsing: Array(line.utf8)))
      let names = ["impression", "conversion", "update", "sequenceIndex", "didWin"]
      let head = ["user", "at", "recipient"].map { json[$0]?.string ?? "" }
      outcome.postbacks.append(
        (head + [json["body"]?.text ?? ""] + names.map { json[$0]?.text ?? "" }).joined(separator: " "))
    }
    outcome.losses = try String(contentsOfFile: path("losses"), encoding: .utf8).split(separator: "\n").dropFirst().map(
      String.init)
    outcome.installs = summary.counts.apps.installs + summary.counts.apps.reengagements
    return (outcome, summary)
  }

  @Test(arguments: [1, 1_048_576])
  func theCommandHasTheResultsOfTheEngine(_ blockSize: Int) async throws {
    let expected = try Self.expected()
    #expect(expected.postbacks.count > 40, "\(expected.postbacks.count)")
    #expect(expected.losses.count > 300, "\(expected.losses.count)")
    let (found, summary) = try await Self.simulate(blockSize: blockSize)
    #expect(found.postbacks == expected.postbacks)
    #expect(Set(found.losses) == Set(expected.losses) && found.losses.count == expected.losses.count)
    #expect(found.installs == expected.installs)
    #expect(summary.counts.apps.postbacks == expected.postbacks.count)
    #expect(summary.counts.losses.keys.allSatisfy { !$0.words.isEmpty }, "\(summary.counts.losses.keys)")
  }

  @Test func theSummaryAddsUp() async throws {
    let summary = try await Self.simulate(blockSize: 1_048_576).summary
    let apps = summary.counts.apps
    func lost(_ subject: SimulatedLoss.Subject) -> Int { summary.losses(subject).reduce(0) { $0 + $1.count } }
    #expect(apps.values + lost(.conversionValue) == apps.actions[.conversionValue])
    #expect(apps.impressions + lost(.impression) == apps.actions[.impression])
    #expect(apps.taps + lost(.impressionTap) == apps.actions[.impressionTap])
    #expect(apps.actions.values.reduce(0, +) == (0..<Self.users).reduce(0) { $0 + Self.events(UInt64($1)).count })
    #expect(apps.winners[0] >= apps.winners[1] && apps.winners[1] >= apps.winners[2] && apps.winners[2] > 0)
    #expect(apps.fineCount + apps.coarseCount + apps.withoutValue == apps.winners.reduce(0, +))
    #expect(apps.installs > 0 && apps.installs <= apps.lastAdInstalls)
    #expect(apps.lastAdInstalls <= apps.actions[.install] ?? 0)
  }
}
