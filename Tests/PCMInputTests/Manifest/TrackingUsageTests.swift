import PCMCore
import PCMInput
import Testing

/// `NSUserTrackingUsageDescription`, the text of the prompt for permission to track.
@Suite struct TrackingUsageTests {
  private static let key = "NSUserTrackingUsageDescription"

  @Test(
    "The text is read if it is one, and is no finding",
    arguments: [("<string>To measure ads.</string>", "To measure ads."), ("<string></string>", ""), ("<true/>", nil)]
      as [(String, String?)])
  func text(_ value: String, _ expected: String?) throws {
    let manifest = try reader.readValid("<key>\(Self.key)</key>\(value)")
    #expect(manifest.adAttribution.trackingUsageDescription == expected)
    #expect(manifest.adAttribution.json["trackingUsageDescription"]?.string == expected)
    #expect(manifest.problems.isEmpty)
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
