import PCMCore
import Testing

@testable import PCMDevice

@Suite struct CrowdTierTests {
  private func crowd(_ two: Int64, _ three: Int64, _ four: Int64) -> CrowdTiers {
    CrowdTiers(twoDigits: two, threeDigits: three, fourDigits: four)
  }

  @Test(
    "The highest tier decides, and for that the most digits; tiers 0 and 1 have two digits",
    arguments: [
      (0, 0, 0, 2, 0), (1, 0, 0, 2, 1), (1, 1, 1, 2, 1), (0, 0, 1, 2, 1), (2, 1, 0, 2, 2), (2, 2, 1, 3, 2), (2, 2, 2, 4, 2),
      (3, 2, 2, 2, 3), (3, 3, 2, 3, 3), (3, 3, 3, 4, 3), (2, 3, 2, 3, 3), (0, 0, 3, 4, 3),
    ] as [(Int64, Int64, Int64, Int, Int64)])
  func choice(two: Int64, three: Int64, four: Int64, digits: Int, tier: Int64) {
    let choice = crowd(two, three, four).choice
    #expect(choice.digits == digits)
    #expect(choice.tier == tier)
  }

  @Test("The highest tiers are the default")
  func standard() {
    #expect(CrowdTiers() == .highest)
    #expect(CrowdTiers.highest.choice.digits == 4)
    #expect(CrowdTiers.highest.meetsThreshold)
  }

  @Test(
    "The fields of the first postback",
    arguments: [
      (0, false, false, false, false), (1, false, true, false, true), (2, true, false, false, true),
      (3, true, false, true, true),
    ] as [(Int64, Bool, Bool, Bool, Bool)])
  func firstPostback(tier: Int64, fine: Bool, coarse: Bool, source: Bool, marketplace: Bool) throws {
    let fields = try #require(PostbackFields(crowd(tier, tier, tier), index: 0))
    #expect(fields.hasFineValue == fine)
    #expect(fields.hasCoarseValue == coarse)
    #expect(fields.hasSource == source)
    #expect(fields.hasMarketplace == marketplace)
    #expect(fields.digits == (tier < 2 ? 2 : 4))
  }

  @Test("The second and third postbacks have two digits and a coarse value, above tier 0", arguments: 0...3, 1...2)
  func laterPostbacks(tier: Int64, index: Int) {
    let fields = PostbackFields(crowd(tier, tier, tier), index: index)
    #expect((fields == nil) == (tier == 0))
    guard let fields else { return }
    #expect(fields.digits == 2 && fields.hasCoarseValue && !fields.hasFineValue && !fields.hasSource && fields.hasMarketplace)
  }

  @Test("The country needs tier 3", arguments: 0...3 as ClosedRange<Int64>)
  func country(tier: Int64) {
    #expect(PostbackFields(CrowdTiers(country: tier), index: 0)?.hasCountry == (tier == 3))
  }

  @Test(
    "The last digits are kept, with zeros in front",
    arguments: [
      (4, "5239", "5239"), (3, "5239", "239"), (2, "5239", "39"), (2, "7", "07"), (4, "7", "0007"), (3, "100", "100"),
      (2, "100", "00"), (4, "0", "0000"),
    ])
  func digits(count: Int, identifier: String, digits: String) {
    #expect(PostbackFields.lastDigits(count, of: identifier) == digits)
  }
}
