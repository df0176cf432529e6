import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

/// Compares the choice of the winner with a second implementation, over random ads.
@Suite struct InstallComparisonTests {
  @Test("Both implementations choose the same winner and the same runners-up", arguments: 1...400)
  func comparison(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let ads = (0..<Int64(random.next() % 14)).map { RandomAd(id: $0, &random) }
    let systems = [OSVersion(14, 5), OSVersion(14, 6), OSVersion(16, 1), OSVersion(17, 4), OSVersion(18, 4)]
    let system = systems[Int(random.next() % 5)]
    let decision = Sample.install(device: Device(system: system)).decide(among: ads.map(\.kept))
    let (winner, runnersUp) = naiveChoice(ads, system)
    #expect(decision.winner?.id == winner, "seed \(seed)")
    #expect(decision.runnersUp.map(\.id) == runnersUp, "seed \(seed)")
  }

  @Test("The place of an ad is explained by the next one")
  func standing() {
    let ads = [
      Sample.kept(1, .v4, .view, network: "a", age: .hours(1)), Sample.kept(2, .v4, network: "b", age: .hours(3)),
      Sample.kept(3, .v4, network: "c", age: .hours(2)), Sample.kept(4, .v4, network: "d", age: .hours(2)),
      Sample.kept(5, .v4, .view, network: "e", age: .days(2)),
    ]
    let decision = Sample.install().decide(among: ads)
    #expect(
      decision.candidates.map { decision.standing(of: $0) } == [
        nil, "it is a click, and impression-1 is a view", "it is more recent than impression-2",
        "it was recorded after impression-3, at the same time", nil,
      ])
    let only = Sample.install().decide(among: [ads[1]])
    #expect(only.candidates.map { only.standing(of: $0) } == ["no other ad for the app counts"])
  }

  /// Removes the best ad again and again, and judges each one where it stands.
  private func naiveChoice(_ ads: [RandomAd], _ system: OSVersion) -> (winner: Int64?, runnersUp: [Int64]) {
    var rest = ads.filter { $0.counts(on: system) }
    if rest.contains(where: { !$0.isDevelopment }) { rest.removeAll(where: \.isDevelopment) }
    var (order, served): ([RandomAd], Set<Int>) = ([], [])
    while order.count < 6, !rest.isEmpty {
      var best = 0
      for index in rest.indices where rest[index].isBetter(than: rest[best]) { best = index }
      order.append(rest.remove(at: best))
    }
    var runnersUp: [Int64] = []
    for (place, ad) in order.enumerated() {
      let isNew = served.insert(ad.network).inserted && place > 0
      let canRunUp = system >= OSVersion(14, 6) && (ad.version ?? .v4) >= .v3
      if isNew, canRunUp { runnersUp.append(ad.id) } else if isNew { served.remove(ad.network) }
    }
    return (order.first?.id, runnersUp)
  }
}

/// An ad with few possible values, so that ties and equal networks are frequent.
private struct RandomAd {
  let id: Int64
  let version: SKAdNetworkVersion?
  let isClick: Bool
  let network: Int
  let ageInHours: Int64
  let isDevelopment: Bool

  init(id: Int64, _ random: inout SplitMix64) {
    self.id = id
    let versions: [SKAdNetworkVersion?] = [.v2, .v21, .v22, .v3, .v4, nil]
    version = versions[Int(random.next() % 6)]
    isClick = (version ?? .v4) < .v22 || random.next() % 2 == 0
    network = Int(random.next() % 5)
    ageInHours = [0, 1, 2, 24, 25, 719, 720, 721][Int(random.next() % 8)]
    isDevelopment = random.next() % 5 == 0
  }

  var kept: KeptImpression {
    Sample.kept(
      id, version, isClick ? .click : .view, network: "n\(network).skadnetwork", age: .hours(ageInHours),
      isDevelopment: isDevelopment)
  }

  func counts(on system: OSVersion) -> Bool {
    let needed: OSVersion =
      switch version {
      case .v1: OSVersion(11, 3)
      case .v2, .v21: OSVersion(14)
      case .v22: OSVersion(14, 5)
      case .v3: OSVersion(14, 6)
      case .v4: OSVersion(16, 1)
      case nil: OSVersion(17, 4)
      }
    return ageInHours <= (isClick ? 720 : 24) && system >= needed
  }

  func isBetter(than other: RandomAd) -> Bool {
    if isClick != other.isClick { return isClick }
    if ageInHours != other.ageInHours { return ageInHours < other.ageInHours }
    return id > other.id
  }
}
