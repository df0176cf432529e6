import PCMCore
import PCMCrypto
import PCMDevice
import Testing

/// The stored form of ads and conversions.
@Suite struct StateTests {
  /// Each kind of ad.
  private static let ads: [KeptImpression] = {
    var website = Sample.impression(.v4)
    website.source = .site("blog.example")
    return [
      Sample.kept(1, .v1), Sample.kept(2, .v3, .view), Sample.kept(3, .v4, isDevelopment: true),
      Sample.kept(4, nil, isEligible: true),
      Sample.kept(5, nil, .view, isEligible: nil),
      KeptImpression(
        id: 6,
        impression: AdImpression(
          signed: .skAdNetwork(website), interaction: .click, sourceApp: nil, sourceSDK: nil, isDevelopment: false,
          recordedAt: Sample.now)),
    ]
  }()

  /// Conversions in different stages.
  private static func conversions(seed: UInt64) -> AppConversions {
    var random = SplitMix64(seed: seed)
    var state = AppConversions()
    let versions: [SKAdNetworkVersion?] = [.v3, .v4, nil]
    let devices = [
      Device(), Device(system: OSVersion(17, 4), testingProfileSince: Sample.now), Device(developerModeSince: Sample.now),
    ]
    var device = devices[Int(random.next() % 3)]
    device.settings.conversionWindowStart = random.next() % 2 == 0 ? .launch : .firstUpdate
    let isDevelopment = device.developerModeSince != nil
    let winner = Sample.kept(1, versions[Int(random.next() % 3)], isDevelopment: isDevelopment)
    let others = [Sample.kept(2, .v4, network: "n2", age: .hours(2), isDevelopment: isDevelopment)]
    _ = state.begin(Sample.conversion(winner, device: device, others: others), of: Sample.advertisedApp, on: device)
    if random.next() % 2 == 0 {
      let tap = ReengagementTap(
        Sample.kept(7, nil, isEligible: true).impression, of: Sample.advertisedApp, url: nil, tag: "t", past: PastConversions(),
        country: "US", device: Device(), at: Sample.now)
      _ = state.begin(Conversion(id: 101, impression: 7, tap), of: Sample.advertisedApp, on: Device())
    }
    for step in 1...Int64(3) {
      let update = ConversionUpdate(
        .skadnetwork, fine: random.next() % 3 == 0 ? nil : step, coarse: random.next() % 2 == 0 ? .low : nil,
        locks: random.next() % 3 == 0)
      _ = state.update(update, by: Sample.advertisedApp, on: Device(), at: Sample.now + .days(step * Int64(random.next() % 4)))
    }
    return state
  }

  private func stored(_ json: JSON) throws -> JSON { try #require(JSON(parsing: json.bytes)) }

  @Test("An ad is read back as it was written")
  func ads() throws {
    for ad in Self.ads { #expect(try KeptImpression(state: stored(ad.state)) == ad) }
  }

  @Test("Conversions are read back as they were written", arguments: 1...100)
  func conversions(seed: UInt64) throws {
    let state = Self.conversions(seed: seed)
    #expect(try AppConversions(state: stored(state.state)) == state)
  }

  @Test("The states have each timing")
  func timings() {
    let timings = (1...100).flatMap { Self.conversions(seed: $0).conversions.map(\.timing) }
    #expect(Set(timings) == Set(ConversionTiming.allCases))
  }

  @Test("State without a member that is always there cannot be read")
  func missing() throws {
    let optional: Set<String> = [
      "sourceApp", "sourceAppSDK", "sourceAppStoreItemIdentifier", "sourceDomain", "fidelityType", "eligibleForReengagement",
      "country",
      "tag", "firstLaunchAt", "endsAt", "startedAt", "lockedAt", "fine", "coarse", "lastInstallAt", "lastReengagementAt",
      "windowStart",
    ]
    func expectNone<Value>(_ json: JSON, _ read: (JSON) throws -> Value) {
      for (path, changed) in json.removals() where !optional.contains(path) {
        #expect((try? read(changed)) == nil, "\(path)")
      }
    }
    for ad in Self.ads { expectNone(ad.state) { try KeptImpression(state: $0) } }
    for seed in 1...20 as ClosedRange<UInt64> {
      expectNone(Self.conversions(seed: seed).state) { try AppConversions(state: $0) }
    }
  }

  @Test(
    "A number, a time, or a country that no conversion has cannot be read",
    arguments: [
      ("startedAt", 9_223_372_036_854_775_807), ("startedAt", -1), ("endsAt", 253_402_300_800_000), ("lockedAt", -1),
      ("convertedAt", 253_370_764_800_000), ("firstLaunchAt", -1), ("recordedAt", 9_223_372_036_854_775_807),
      ("lastInstallAt", -1), ("end", -1), ("end", 31_536_000_001), ("length", 9_223_372_036_854_775_807),
      ("windows", ["windows": []]),
      ("id", -1), ("id", 9_223_372_036_854_775_807), ("fine", 64), ("fine", -1), ("country", "zz"),
    ] as [(String, JSON)])
  func outOfRange(name: String, value: JSON) {
    var count = 0
    for seed in 1...100 as ClosedRange<UInt64> {
      let state = Self.conversions(seed: seed).state
      let changed = state.replacing(name, with: value)
      guard changed != state else { continue }
      count += 1
      #expect(throws: UnreadableState.self, "seed \(seed)") { try AppConversions(state: changed) }
    }
    #expect(count > 0)
  }

  @Test(
    "A value that no ad network signs cannot be read",
    arguments: [
      ("sourceIdentifier", "zz"), ("sourceIdentifier", "10000"), ("sourceIdentifier", 9), ("adCampaignIdentifier", 101),
      ("advertisedAppStoreItemIdentifier", -5), ("sourceAppStoreItemIdentifier", -1), ("publisherItemIdentifier", -1),
      ("adNetworkIdentifier", "a b"), ("adImpressionIdentifier", "1"), ("impressionIdentifier", "1"), ("timestamp", -1),
      ("sourceDomain", ""),
    ] as [(String, JSON)])
  func unsignedValue(name: String, value: JSON) {
    let changed = Self.ads.map(\.state).filter { $0["signed"]?[name] != nil }.map { $0.replacing(name, with: value) }
    #expect(!changed.isEmpty)
    for state in changed {
      #expect(throws: UnreadableState.self, "\(state.text)") { try KeptImpression(state: state) }
    }
  }

  @Test("A member of another type cannot be read", arguments: ["id", "interaction", "development", "recordedAt", "signed"])
  func wrongType(name: String) throws {
    let members = Sample.kept(1).state.members.map { $0.name == name ? JSON.Member(name, []) : $0 }
    #expect(throws: UnreadableState.self) { try KeptImpression(state: .object(members)) }
  }
}

extension JSON {
  /// The value with another value for each member with a name, also of nested objects.
  fileprivate func replacing(_ name: String, with value: JSON) -> JSON {
    switch self {
    case .object(let members):
      .object(members.map { Member($0.name, $0.name == name ? value : $0.value.replacing(name, with: value)) })
    case .array(let items): .array(items.map { $0.replacing(name, with: value) })
    default: self
    }
  }

  /// The value without each of its members in turn, also of nested objects, with the name of that member.
  fileprivate func removals() -> [(name: String, json: JSON)] {
    switch self {
    case .object(let members):
      members.indices.flatMap { index -> [(String, JSON)] in
        let member = members[index]
        var rest = members
        rest.remove(at: index)
        return [(member.name, .object(rest))]
          + member.value.removals().map { name, value in
            var changed = members
            changed[index] = Member(member.name, value)
            return (name, .object(changed))
          }
      }
    case .array(let items):
      items.indices.flatMap { index in
        items[index].removals().map { name, value in
          var changed = items
          changed[index] = value
          return (name, .array(changed))
        }
      }
    default: []
    }
  }
}
