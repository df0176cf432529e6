import Foundation
import PCMCore
import PCMCrypto
import PCMDevice
import PCMEndpoint
import PCMNetwork
import PCMPages
import PCMScenario
import PCMStore
import Testing

@testable import PCMApp
@testable import PCMBrowser
@testable import PCMCurl
@testable import PCMHTTP
@testable import PCMManifest
@testable import PCMStoreSQLite
@testable import PCMURL

/// The numbers in the documentation of limits are those of the code.
@Suite struct LimitValueTests {
  private static let server = ServerLimits()
  private static let moves = AdvanceBudget()
  private static let route = NetworkRoute()
  private static let retention = LogRetention()
  private static let journal = Journaling.limits
  private static let kept = KeptRequestLimits.standard(at: Instant(milliseconds: 0))

  /// Values of each row, by its first cell.
  private static let data: [(String, [String])] = [
    ("Size of the database", [size(Capacity().disk)]),
    ("Write-ahead log next to the database, not part of its size", [size(DatabaseFile.largestLog)]),
    ("Fork or deletion of a durable browser", ["\(count(BrowserTable.step)) rows"]),
    ("Browsers", [count(Browsers.standardMaximumCount)]),
    ("Apps of a browser", [count(Browser.maximumAppCount)]),
    ("Reports that wait for a retry", RetryPolicy.untilAccepted.period.map { [days($0)] } ?? ["no period"]),
    (
      "Events of a browser, and its finished reports, postbacks, and requests of measurement SDKs",
      [
        "\(count(retention.maximumCount)) events", days(retention.maximumAge),
        "\(count(LogRetention.counts.upperBound)) events", days(LogRetention.ages.upperBound),
      ]
    ),
    (
      "Idempotency keys of a browser, and of creations",
      [count(kept.maximumCount), size(kept.maximumBytes), "\(-kept.expiry.milliseconds / 3_600_000) hours"]
    ),
    ("Attempts of a report or a postback", [count(OutgoingMessage.maximumKeptAttempts)]),
    ("Response that an attempt keeps", [size(Attempt.maximumResponseBytes)]),
    ("Calls for `GET …/scenario`", [count(journal.maximumCount), size(journal.maximumBytes)]),
  ]

  private static let details: [(String, [String])] = [
    (
      "Labels of a browser",
      [
        count(Labels.maximumCount), "keys of \(Labels.maximumKeyLength)", "values of \(Labels.maximumValueLength) bytes",
      ]
    ),
    (
      "Events of an app's measurement SDK that wait",
      [count(MeasurementSDK.maximumHeldCount), "\(MeasurementSDK.longestWait(ofVersion: 5).milliseconds / 1_000) seconds"]
    ),
    ("Ad networks of a device", [count(Browser.maximumAdNetworkCount)]),
    (
      "Ads that a device keeps, and ads on display",
      [count(Browser.maximumImpressionCount), "\(ImpressionTable.maximumViews) views"]
    ),
    (
      "Texts of an ad",
      ["\(size(ImpressionInput.maximumJWSSize)) for `jws`", "\(size(ImpressionInput.maximumTextSize)) for each other text"]
    ),
    ("Installed apps of a device", [count(Browser.maximumInstalledAppCount)]),
    (
      "Content cards of a device",
      [
        count(Browser.maximumCardCount), size(Browser.maximumCardBytes), "\(count(CardFeed.maximumCount)) in a feed",
        "\(size(CardFeed.maximumCardSize)) for a card",
      ]
    ),
    ("Pending conversions of an installed app", [count(InstalledApp.maximumConversionCount)]),
    ("Simulated sites of a browser", [count(Browser.maximumSites), "scripts of \(size(BodyLimit.json))"]),
    ("Messages at simulated sites", [count(MessageLog.most), size(MessageLog.maximumBytes)]),
    ("Cookies of a session", [count(CookieJar.limit), "\(CookieJar.siteLimit) of a site"]),
    (
      "Names, seeds, and other texts",
      [
        "\(BrowserName.maximumLength) bytes for a name", "\(Seed.maximumLength) bytes",
        "\(BundleIdentifier.maximumLength) for a bundle identifier", "\(size(URLText.limit)) for a URL",
      ]
    ),
  ]

  private static let calls: [(String, [String])] = [
    ("Connections", [count(server.connections)]),
    ("Head of a request", ["\(server.headerFields) fields", size(server.headBytes), words(server.idleTime)]),
    (
      "Body of a request",
      [
        "\(size(BodyLimit.json)) of JSON", "\(size(BodyLimit.scenario)) of YAML", "\(size(server.bodyBytes)) of manifest",
      ]
    ),
    ("Nesting", ["\(JSON.depthLimit) levels", "\(ManifestReader.depthLimit) levels"]),
    ("Values of a binary manifest", [count(BinaryStructure.valueLimit), size(BinaryStructure.contentLimit)]),
    (
      "Ad networks of a manifest",
      [count(AdNetworkReview.countLimit), "identifiers of \(AdNetworkIdentifier.maximumLength) bytes"]
    ),
    ("Bytes of a request, with the framing of its chunks", [size(server.requestBytes)]),
    ("Large bodies of all requests", [size(server.largeBodiesBytes), "exceed \(size(server.smallBodyBytes))"]),
    ("Connection without a request, or without a further part of one", [words(server.idleTime)]),
    ("Caller that accepts nothing of a response", [words(server.writeTime)]),
    ("Wait for events or for an expectation", [words(ControlAPI.longestWait), words(ExpectationInput.longestWait)]),
    ("Event stream of a slow reader", ["\(count(EventStream.Iterator.largestLag)) events"]),
  ]

  private static let pages: [(String, [String])] = [
    ("Page of a list", ["\(count(QueryReader.maximumItems)) items", size(PageSize.mostBytes)]),
    (
      "Events and apps that are read for a page of a list",
      ["\(size(PageSize.mostReadBytes)) of events", "\(size(PageSize.mostBytes)) of apps"]
    ),
    ("Timeline and charts of a page", ["The newest \(count(Browser.shownHistory)) events"]),
    (
      "Log of a page",
      ["The newest \(count(Browser.searchedEvents)) events", "\(Browser.shownEvents) and \(size(PageSize.mostBytes))"]
    ),
    (
      "Messages of a page",
      ["\(Browser.shownMessages) reports", "\(Browser.shownMessages) postbacks", size(PageSize.mostBytes)]
    ),
    ("Browsers on the home page", ["\(ControlAPI.mostCards) cards", "counts up to \(Browser.mostCounted)"]),
    (
      "Search of a page",
      [
        "\(count(ReadingEffort.maximum)) index entries and events", "\(count(ReportSelection.maximumExamined)) reports",
      ]
    ),
    (
      "Filters", ["\(ControlAPI.maximumSubjects) subjects or sites", "\(QueryReader.maximumSites) subjects or sites"]
    ),
    (
      "Explanation",
      [
        "The newest \(count(ReadingBounds.examined)) events",
        "\(ReadingBounds.events) events of \(size(ReadingBounds.bytes))",
      ]
    ),
    ("Decisions in an explanation of the device", [count(ReadingBounds.steps)]),
    ("Log that a page downloads", ["\(count(LogView.downloadedEventCount)) events"]),
  ]

  private static let network: [(String, [String])] = [
    (
      "Move of the clock",
      ["\(count(moves.attempts)) attempts", "\(count(moves.events)) events", words(moves.duration)]
    ),
    ("Loads, and requests for the signed values of web ads", requests(.loads)),
    ("Token exchanges", requests(.tokens)),
    ("Reports and postbacks", ["\(RequestKind.reports.capacity) in all"]),
    ("Redirects of a load", [count(PageLoad.redirectLimit)]),
    ("Response of a site", [size(route.responseLimit)]),
    ("Heads and trailers of a response of a site", [size(EasyHandle.headLimit)]),
    (
      "Bytes on a TLS connection to a site, frames and records without content included",
      [size(TLSConnection.overhead), size(EasyHandle.headLimit + 2 * route.responseLimit)]
    ),
    (
      "Request to a site",
      [
        "\(words(route.connectTimeout)) to connect",
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
  ]

  private static let files: [(String, [String])] = [
    (
      "Keys and certificates of `receive`, and `--ca-file` (`--key`, `--other-key`, `--certificate`, `--private-key`)",
      [size(TextFile.pemLimit)]
    ),
    ("Public keys (`verify --key`, `--postback-key`)", [size(PublicKey.fileLimit)]),
    ("Info.plist (`manifest`, `--manifest`)", [size(ManifestReader.sizeLimit)]),
    ("Ads and postbacks (`verify`)", [size(VerifyCommand.fileLimit), size(SignatureVerifier.sizeLimit)]),
    ("Public suffix list (`--public-suffix-list`)", [size(PublicSuffixList.fileLimit)]),
    ("Message of an agent (`mcp`)", [size(MCPSession.messageLimit)]),
  ]

  private static let endpoint: [(String, [String])] = [
    ("Listed requests of `receive`", [count(ReportEndpoint.listed), size(ReportEndpoint.listedByteCount)]),
    ("Host of a request", ["\(Authority.maximumNameSize) bytes"]),
    ("Body of a report or a postback", [size(BodyLimit.json)]),
    ("Earlier token keys of a site", [count(KeySeries.maximumEarlierCount)]),
    ("Tokens for the detection of duplicates", [count(ReportEndpoint.tokenCapacity)]),
    ("Postbacks for the detection of duplicates", [count(PostbackLedger.capacity)]),
    ("Line about a report or a postback", ["\(count(PostbackLine.limit)) characters"]),
    ("Registered nonces", [count(NonceBook.capacity)]),
  ]

  @Test(
    "the documentation states the limits of the code",
    arguments: [data, details, calls, pages, network, files, endpoint].flatMap { $0 })
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

  private static func words(_ interval: Interval) -> String { words(Duration.milliseconds(interval.milliseconds)) }

  private static func words(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    return seconds % 60 == 0 ? "\(seconds / 60) minutes" : "\(seconds) seconds"
  }

  /// The numbers of requests that run and that wait.
  private static func requests(_ kind: RequestKind) -> [String] {
    ["\(kind.capacity) in all", "\(count(kind.maximumQueue)) wait"]
  }

  private static func days(_ interval: Interval) -> String { "\(count(interval.milliseconds / 86_400_000)) days" }
}
