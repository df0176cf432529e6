package import PCMCore
package import PCMCrypto

extension CrowdTiers {
  /// The highest tiers. Development ads always have these tiers.
  package static let highest = CrowdTiers()

  /// The number of digits of the source identifier, and their tier: the highest tier, and for equal tiers, the most digits. In
  /// tiers 0 and 1, always two digits.
  package var choice: (digits: Int, tier: Int64) {
    let tier = max(twoDigits, threeDigits, fourDigits)
    if tier <= 1 { return (2, tier) }
    return (fourDigits == tier ? 4 : threeDigits == tier ? 3 : 2, tier)
  }
}

/// The fields of a postback in a tier (SKAdNetwork reference, section 6; AdAttributionKit reference, section 5).
package struct PostbackFields: Hashable, Sendable {
  /// The number of digits of the source identifier: its last digits, padded with zeros.
  package let digits: Int
  package let hasFineValue: Bool
  package let hasCoarseValue: Bool
  /// The source app, or the source domain of a web ad.
  package let hasSource: Bool
  /// Whether the postback contains the marketplace. Only AdAttributionKit has this field.
  package let hasMarketplace: Bool
  package let hasCountry: Bool

  /// - Parameters:
  ///   - index: 0 to 2.
  ///   - version: The version of SKAdNetwork; nil for AdAttributionKit.
  /// - Returns: nil if there is no postback.
  package init?(_ crowd: CrowdTiers, index: Int, version: SKAdNetworkVersion? = nil) {
    let (digits, tier) = crowd.choice
    if let version, version < .v4 {
      // These versions have a privacy threshold instead of tiers. Version 1.0 has neither a value nor the source app.
      (hasFineValue, hasSource) = (crowd.meetsThreshold && version > .v1, crowd.meetsThreshold && version > .v1)
      (self.digits, hasCoarseValue, hasMarketplace, hasCountry) = (4, false, false, false)
      return
    }
    hasCountry = crowd.country == 3
    hasMarketplace = tier > 0
    guard index == 0 else {
      guard tier > 0 else { return nil }
      (self.digits, hasFineValue, hasCoarseValue, hasSource) = (2, false, true, false)
      return
    }
    self.digits = digits
    hasFineValue = tier >= 2
    hasCoarseValue = tier == 1
    hasSource = tier == 3
  }

  /// Returns the last digits of a source identifier with up to four digits.
  package static func lastDigits(_ count: Int, of identifier: String) -> String {
    let padded = String(repeating: "0", count: max(0, 4 - identifier.utf8.count)) + identifier
    return String(padded.suffix(count))
  }
}
