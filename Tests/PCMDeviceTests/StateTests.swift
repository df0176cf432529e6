import Foundation
import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

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
      let update = ConversionValueInput(
        .skadnetwork, fine: random.next() % 3 == 0 ? nil : step, coarse: random.next() % 2 == 0 ? .low : nil,
        locks: random.next() % 3 == 0)
      _ = state.update(update, by: Sample.advertisedApp, on: Device(), at: Sample.now + .days(step * Int64(random.next() % 4)))
    }
    return state
  }

  private func stored(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func read<Value: Decodable>(_ text: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }

  @Test("An ad is read back as it was written")
  func ads() throws {
    for ad in Self.ads {
      let again: KeptImpression = try read(stored(ad))
      #expect(again == ad)
    }
  }

  @Test("Conversions are read back as they were written", arguments: 1...100)
  func conversions(seed: UInt64) throws {
    let state = Self.conversions(seed: seed)
    let again: AppConversions = try read(stored(state))
    #expect(again == state)
  }

  @Test("The states have each timing")
  func timings() {
    let timings = (1...100).flatMap { Self.conversions(seed: $0).conversions.map(\.timing) }
    #expect(Set(timings) == Set(ConversionTiming.allCases))
  }

  @Test(
    "A time or an interval that no conversion has cannot be read",
    arguments: [
      ("startedAt", "9223372036854775807"), ("startedAt", "-1"), ("endsAt", "253402300800000"),
      ("recordedAt", "9223372036854775807"),
      ("end", "-1"), ("end", "31536000001"), ("length", "9223372036854775807"),
    ])
  func outOfRange(name: String, value: String) throws {
    let texts = try (1...100).map { try stored(Self.conversions(seed: $0)) }.filter { $0.contains("\"\(name)\":") }
    #expect(!texts.isEmpty)
    for text in texts {
      let changed = text.replacing("\"\(name)\":", with: "\"\(name)\":\(value),\"former\":")
      #expect(throws: DecodingError.self) { let _: AppConversions = try read(changed) }
    }
  }
}
