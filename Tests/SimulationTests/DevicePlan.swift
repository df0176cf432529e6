import PCMCore
import PCMCrypto

/// Ads of three networks, installs, launches, values, and networks that answer or not. A simulation beside
/// ``Plan``: it is only about ads for one app, so that its plans meet conversions often.
struct DevicePlan: Hashable, Sendable {
  let seed: UInt64
  let operations: [DeviceOperation]

  static let networks = ["first.skadnetwork", "second.skadnetwork", "third.skadnetwork"]

  init(seed: UInt64) {
    var numbers = SplitMix64(seed: seed)
    self.seed = seed
    var (operations, isInstalled): ([DeviceOperation], Bool) = ([], false)
    for number in 1...numbers.below(30) + 30 {
      let operation = DeviceOperation(number: number, afterInstall: isInstalled, &numbers)
      if operation == .install { isInstalled = true }
      operations.append(operation)
    }
    self.operations = operations
  }
}

/// A call of an app or of its user, time that passes, or an accident.
enum DeviceOperation: Hashable, Sendable {
  case ad(PlannedAd)
  case install
  case launch
  case value(AdFramework, fine: Int64, coarse: String?, locks: Bool)
  case advance(Interval)
  /// The servers of a network, or of the developer, fail or answer from here on.
  case endpoint(host: String, isUp: Bool)
  case restart

  /// - Parameters:
  ///   - number: The number of the operation in its plan, below 100: the last two digits of its ad's campaign.
  ///   - isInstalled: Whether an install came before, so that a tap would open the app.
  fileprivate init(number: Int, afterInstall isInstalled: Bool, _ numbers: inout SplitMix64) {
    switch numbers.below(100) {
    case 0..<26: self = .ad(PlannedAd(number: number, afterInstall: isInstalled, &numbers))
    case 26..<30: self = .install
    // An app that is not installed makes no call.
    case 30..<62 where !isInstalled:
      self = numbers.chance(1, in: 3) ? .install : .ad(PlannedAd(number: number, afterInstall: isInstalled, &numbers))
    case 30..<34: self = .launch
    case 34..<62:
      self = .value(
        numbers.chance(1, in: 4) ? .adattributionkit : .skadnetwork, fine: Int64(numbers.below(66)),
        coarse: numbers.chance(3, in: 4) ? numbers.pick(["low", "medium", "high"]) : nil, locks: numbers.chance(1, in: 5))
    case 62..<75: self = .advance(.hours(1) + Interval(milliseconds: Int64(numbers.below(24 * 3_600_000))))
    case 75..<87: self = .advance(Interval(milliseconds: Int64(numbers.below(6 * 86_400_000))))
    case 87..<89: self = .advance(.days(Int64(numbers.below(50))))
    case 89..<97:
      let host = numbers.pick(DevicePlan.networks.map(DeviceWorld.host) + [DeviceWorld.developer])
      self = .endpoint(host: host, isUp: numbers.chance(2, in: 3))
    default: self = .restart
    }
  }
}

/// An ad that is displayed to its end, or tapped.
struct PlannedAd: Hashable, Sendable {
  let number: Int
  let network: String
  /// Nil for AdAttributionKit.
  let version: SKAdNetworkVersion?
  let isView: Bool

  fileprivate init(number: Int, afterInstall isInstalled: Bool, _ numbers: inout SplitMix64) {
    self.number = number
    network = numbers.pick(DevicePlan.networks)
    version = numbers.pick([.v2, .v21, .v22, .v3, .v3, .v4, .v4, nil, nil])
    let isOnlyTapped = version.map { $0 < .v22 } ?? false
    isView = version == nil && isInstalled || !isOnlyTapped && numbers.chance(1, in: 3)
  }

  /// The campaign, or the source identifier, which identifies the ad in its postbacks.
  var campaign: CampaignIdentifier {
    version.map { $0 < .v4 } ?? false ? .campaign(Int64(number)) : .source(String(1_000 + number))
  }
}
