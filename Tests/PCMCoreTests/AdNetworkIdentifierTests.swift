import PCMCore
import Testing

@Suite struct AdNetworkIdentifierTests {
  private static let longest = String(repeating: "a", count: AdNetworkIdentifier.maximumLength)

  @Test(
    "An identifier is up to 64 lower-case letters, digits, hyphens, periods, and underscores",
    arguments: [
      ("example123.skadnetwork", nil), ("com.apple.test-1", nil), ("a_b", nil), (longest, nil), ("", .empty),
      (longest + "a", .tooLong), ("a b", .characters), ("a\u{0}", .characters), ("é", .characters),
      ("A1.skadnetwork", .upperCase),
    ] as [(String, AdNetworkIdentifier.Flaw?)])
  func flaw(text: String, flaw: AdNetworkIdentifier.Flaw?) {
    #expect(AdNetworkIdentifier.flaw(in: text) == flaw)
    #expect(AdNetworkIdentifier.isWellFormed(text) == (flaw == nil || flaw == .upperCase))
  }

  @Test(
    "A country is two upper-case letters",
    arguments: [("US", true), ("us", false), ("USA", false), ("", false), ("U1", false), ("ÄÖ", false)])
  func country(text: String, isValid: Bool) {
    #expect(CountryCode.isValid(text) == isValid)
  }
}
