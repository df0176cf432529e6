/// A postback data tier: how many others had the same download, and so how much a postback may say (SKAdNetwork reference,
/// section 6).
package enum CrowdTier: Int64, Hashable, Sendable, CaseIterable, Comparable {
  case tier0 = 0
  case tier1
  case tier2
  case tier3

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The crowd of a download, as Apple would determine it: an input, because a test has no crowd.
package struct CrowdTiers: Hashable, Sendable {
  /// The tiers of the source identifier's last two, three, and four digits.
  package var twoDigits: CrowdTier
  package var threeDigits: CrowdTier
  package var fourDigits: CrowdTier
  /// The tier of the country.
  package var country: CrowdTier
  /// Whether the crowd meets the privacy threshold of SKAdNetwork 2.0 to 3.0, which have no tiers.
  package var meetsThreshold: Bool

  package init(
    twoDigits: CrowdTier = .tier3, threeDigits: CrowdTier = .tier3, fourDigits: CrowdTier = .tier3, country: CrowdTier = .tier3,
    meetsThreshold: Bool = true
  ) {
    self.twoDigits = twoDigits
    self.threeDigits = threeDigits
    self.fourDigits = fourDigits
    self.country = country
    self.meetsThreshold = meetsThreshold
  }

  /// The highest tiers, which ads for tests always have.
  package static let highest = CrowdTiers()

  /// The number of digits of the source identifier, and their tier: the highest tier, and for that the most digits. In tiers 0
  /// and 1, always two digits.
  package var choice: (digits: Int, tier: CrowdTier) {
    let tier = max(twoDigits, threeDigits, fourDigits)
    if tier <= .tier1 { return (2, tier) }
    return (fourDigits == tier ? 4 : threeDigits == tier ? 3 : 2, tier)
  }
}

/// What a postback contains in a tier (SKAdNetwork reference, section 6; AdAttributionKit reference, section 5).
package struct PostbackFields: Hashable, Sendable {
  /// The digits of the source identifier: its last ones, with zeros in front.
  package let digits: Int
  package let hasFineValue: Bool
  package let hasCoarseValue: Bool
  /// The source app, or the source domain of a web ad.
  package let hasSource: Bool
  /// Only AdAttributionKit names the marketplace.
  package let hasMarketplace: Bool
  package let hasCountry: Bool

  /// - Parameter index: 0 to 2.
  /// - Returns: Nil if there is no postback.
  package init?(_ crowd: CrowdTiers, index: Int) {
    let (digits, tier) = crowd.choice
    hasCountry = crowd.country == .tier3
    hasMarketplace = tier > .tier0
    guard index == 0 else {
      guard tier > .tier0 else { return nil }
      (self.digits, hasFineValue, hasCoarseValue, hasSource) = (2, false, true, false)
      return
    }
    self.digits = digits
    hasFineValue = tier >= .tier2
    hasCoarseValue = tier == .tier1
    hasSource = tier == .tier3
  }

  /// Returns the last digits of a source identifier with up to four digits.
  package static func lastDigits(_ count: Int, of identifier: String) -> String {
    let padded = String(repeating: "0", count: max(0, 4 - identifier.utf8.count)) + identifier
    return String(padded.suffix(count))
  }
}
