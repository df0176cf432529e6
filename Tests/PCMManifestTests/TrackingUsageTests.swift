import PCMCore
import PCMManifest
import Testing

/// `NSUserTrackingUsageDescription`, the text of the prompt for permission to track.
@Suite struct TrackingUsageTests {
  private static let key = "NSUserTrackingUsageDescription"

  @Test(
    "The text is read if it is one. An empty one, or a value of another type, is an error",
    arguments: [
      ("<string>To measure ads.</string>", "To measure ads.", []), ("<string></string>", "", [.trackingUsageEmpty]),
      ("<string> \n\u{200B}</string>", " \n\u{200B}", [.trackingUsageEmpty]), ("<true/>", nil, [.wrongType]),
      ("<array/>", nil, [.wrongType]),
    ] as [(String, String?, [ManifestFinding.Code])])
  func text(_ value: String, _ expected: String?, _ codes: [ManifestFinding.Code]) throws {
    let manifest = try reader.readValid("<key>\(Self.key)</key>\(value)")
    #expect(manifest.adAttribution.trackingUsageDescription == expected)
    #expect(manifest.adAttribution.json["trackingUsageDescription"]?.string == expected)
    #expect(manifest.problems == codes)
    let judgment = try #require(manifest.judgments.first { $0.participation == .tracking })
    #expect(judgment.verdict == (codes.isEmpty ? .good : .bad), "\(judgment)")
  }

  @Test(
    "A misspelled key, and the title that Xcode shows, are errors with the right key",
    arguments: [
      "NSUserTrackingUsage", "NSUserTracking", "NSTrackingUsageDescription", "UserTrackingUsageDescription",
      "NSUserTrackingUsageDescripton", "NSUserTrackingDescription", "NSAppTrackingUsageDescription", "NSATTUsageDescription",
      "NSUserTrackingPermission", "Privacy - Tracking Usage Description", "Privacy – Tracking Usage Description",
    ])
  func misspelled(_ written: String) throws {
    let manifest = try reader.readValid("<key>\(written)</key><string>To measure ads.</string>")
    #expect(manifest.problems == [.keyMisspelled])
    let judgment = try #require(manifest.judgments.first { $0.participation == .tracking })
    #expect(judgment.verdict == .bad && judgment.detail.contains("\(written) has no effect"), "\(judgment)")
    #expect(judgment.detail.contains(Self.key))
    #expect(manifest.adAttribution.trackingUsageDescription == nil)
  }

  @Test(
    "Other keys for tracking and for texts are no misspellings",
    arguments: [
      "NSHandsTrackingUsageDescription", "NSAccessoryTrackingUsageDescription", "NSPrivacyTracking", "NSPrivacyTrackingDomains",
      "NSLocationWhenInUseUsageDescription", "NSMotionUsageDescription", "TrackingEnabled", "NSAttachmentDescription",
    ])
  func others(_ key: String) throws {
    #expect(try reader.readValid("<key>\(key)</key><string>To measure ads.</string>").problems.isEmpty)
  }

  @Test("An app whose only key is the text of the prompt is meant for clicks, too")
  func alone() throws {
    let review = try reader.review(Fixture.bytes("round-3/t01-att-empty.plist"))
    #expect(review.judgments.map(\.verdict) == [.bad, .unused, .unused, .unused, .unused, .bad])
    #expect(review.judgments.last?.detail.contains("is empty") == true)
  }

  @Test("Without the key, the JSON has no such member")
  func absent() throws {
    let manifest = try reader.readValid("")
    #expect(manifest.adAttribution.json["trackingUsageDescription"] == nil)
  }

  @Test("A long text is kept in part")
  func long() throws {
    let text = String(repeating: "a", count: 5_000)
    let manifest = try reader.readValid("<key>\(Self.key)</key><string>\(text)</string>")
    #expect(manifest.adAttribution.trackingUsageDescription == String(repeating: "a", count: 1_000) + "…")
  }
}
