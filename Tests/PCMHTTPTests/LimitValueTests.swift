import Foundation
import PCMCore
import PCMDelivery
import PCMPages
import PCMReceiver
import PCMScenario
import PCMSignatures
import PCMSites
import PCMStore
import Testing

@testable import PCMApp
@testable import PCMBrowser
@testable import PCMHTTP

/// The numbers in the documentation of limits are those of the code.
@Suite struct LimitValueTests {
  private static let server = ServerLimits()
  private static let moves = MoveLimits()
  private static let route = NetworkRoute()
  private static let retention = LogRetention()
  private static let kept = KeptRequestLimits.standard(at: Instant(milliseconds: 0))

  /// Values of each row, by its first cell.
  private static let data: [(String, [String])] = [
    ("Size of the database", [size(Capacity().disk)]),
    ("Browsers", [count(Browsers.standardMaximumCount)]),
    (
      "Events of a browser, and its finished reports and postbacks",
      [
        "\(count(retention.maximumCount)) events", days(retention.maximumAge),
        "\(count(LogRetention.counts.upperBound)) events", days(LogRetention.ages.upperBound),
      ]
    ),
    (
      "Idempotency keys of a browser, and of creations",
      [count(kept.maximumCount), size(kept.maximumBytes), "\(-kept.expiry.milliseconds / 3_600_000) hours"]
    ),
    ("Ad networks of a device", [count(Browser.maximumAdNetworkCount)]),
    ("Ads that a device keeps, and ads on display", [count(Browser.maximumImpressionCount)]),
    ("Installed apps of a device", [count(Browser.maximumInstalledAppCount)]),
    ("Pending conversions of an installed app", [count(InstalledApp.maximumConversionCount)]),
  ]

  private static let calls: [(String, [String])] = [
    ("Connections", [count(server.connections)]),
    ("Head of a request", ["\(server.headerFields) fields", size(server.headBytes), words(server.headTime)]),
    ("Target of a request", [size(server.targetBytes)]),
    (
      "Body of a request",
      [
        "\(size(BodyLimit.json)) of JSON", "\(size(BodyLimit.scenario)) of YAML", "\(size(server.bodyBytes)) of manifest",
        words(server.bodyTime),
      ]
    ),
    (
      "Connection without a request",
      ["\(words(server.openingTime)) before the first", "\(words(server.idleTime)) after a response"]
    ),
    ("Caller that accepts nothing of a response", [words(server.writeTime)]),
    ("Unread bytes of all responses", [size(server.unreadBytes)]),
    ("Search of a page", ["\(count(ReportSelection.maximumExamined)) reports"]),
    (
      "Move of the clock",
      ["\(count(moves.attempts)) attempts", "\(count(moves.events)) events", words(.milliseconds(moves.duration.milliseconds))]
    ),
    ("Loads", requests(RequestLimits.loads)),
    ("Token exchanges", requests(RequestLimits.tokens)),
    ("Requests for the signed values of web ads", requests(RequestLimits.webAds)),
    ("Reports and postbacks", ["\(ReportCapacity.perTarget) to a host and port", "\(ReportCapacity.total) in all"]),
    ("Response of a site", [size(route.responseLimit)]),
    (
      "Request to a site",
      [
        "\(words(.milliseconds(route.connectTimeout.milliseconds))) to connect",
        "\(route.totalTimeout.milliseconds / 1_000) in all",
      ]
    ),
    (
      "Scenario",
      [
        size(Transcript.sizeLimit), "\(count(Transcript.stepLimit)) steps",
        "\(count(ScenarioStages.serviceWriteLimit)) transactions",
      ]
    ),
    ("Concurrent scenarios", [count(ScenarioPlaying.standardCount)]),
    ("Recordings of a run", [size(Capacity().recordings), size(RecordingRoom.bytesOfFile)]),
    ("Log that a page downloads", ["\(count(PageAsset.downloadedEventCount)) events"]),
  ]

  private static let files: [(String, [String])] = [
    ("Ads and postbacks (`verify`)", [size(VerifyCommand.fileLimit), size(SignatureVerifier.sizeLimit)]),
    ("Public suffix list (`--public-suffix-list`)", [size(PublicSuffixList.fileLimit)]),
  ]

  private static let endpoint: [(String, [String])] = [
    ("Listed requests of `receive`", [count(ReportEndpoint.listed), size(ReportEndpoint.listedByteCount)]),
    ("Host of a request", ["\(Authority.maximumNameSize) bytes"]),
    ("Body of a report or a postback", [size(BodyLimit.json)]),
    ("Earlier token keys of a site", [count(KeySeries.maximumEarlierCount)]),
    ("Tokens for the detection of duplicates", [count(SeenTokens.capacity)]),
    ("Postbacks for the detection of duplicates", [count(PostbackLedger.capacity)]),
    ("Registered nonces", [count(NonceBook.capacity)]),
  ]

  @Test("the documentation states the limits of the code", arguments: data + calls + files + endpoint)
  func values(_ row: String, _ values: [String]) throws {
    let limit = try #require(try Self.limit(of: row), "no row is called \(row)")
    for value in values { #expect(Self.states(limit, value), "\(row): \(limit) lacks \(value)") }
  }

  @Test("a number that is a part of another one is not stated")
  func parts() {
    for (cell, value, isStated) in [
      ("1,000,000 events", "1,000", false), ("1,000,000 events", "000 events", false), ("1,000, and", "1,000", true),
      ("64 KiB", "4 KiB", false), ("10 seconds, 60 in all", "60 in all", true),
    ] {
      #expect(Self.states(cell, value) == isStated, "\(cell): \(value)")
    }
  }

  /// Returns the second cell of a row of the documentation.
  private static func limit(of row: String) throws -> String? {
    let file = API.fixtures.deletingLastPathComponent()
      .appendingPathComponent("Sources/PCMApp/Documentation.docc/Limits.md")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let rows = lines.map { line in line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    return rows.first { $0.count > 1 && $0[0] == row }?[1]
  }

  /// Whether a cell has a value that is not a part of a longer number.
  private static func states(_ cell: String, _ value: String) -> Bool {
    cell.ranges(of: value).contains { range in
      let (before, after) = (cell[..<range.lowerBound].suffix(1), cell[range.upperBound...].prefix(2))
      let continues = after.first == "," ? after.dropFirst().first : after.first
      return !before.contains { $0.isNumber || $0 == "," } && !(continues?.isNumber ?? false)
    }
  }

  /// Returns a number with commas between thousands.
  private static func count(_ number: some BinaryInteger) -> String {
    let digits = Array(String(number))
    return digits.indices.map { index in
      let comma = index > 0 && (digits.count - index) % 3 == 0 ? "," : ""
      return comma + String(digits[index])
    }.joined()
  }

  private static func size(_ bytes: Int) -> String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
    let unit = units.first { bytes % $0.1 == 0 }
    return unit.map { "\(bytes / $0.1) \($0.0)" } ?? "\(bytes) bytes"
  }

  private static func words(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    return seconds % 60 == 0 ? "\(seconds / 60) minutes" : "\(seconds) seconds"
  }

  /// The numbers of requests that run and that wait.
  private static func requests(_ limits: RequestLimits) -> [String] {
    [
      "\(limits.perBrowser.running) in a browser", "\(limits.total.running) in all",
      "\(limits.perBrowser.waiting) and \(limits.total.waiting) wait",
    ]
  }

  private static func days(_ interval: Interval) -> String { "\(count(interval.milliseconds / 86_400_000)) days" }
}
