package import PCMCore
package import PCMSignatures

/// An ad that could have won, and its place after the winner.
package struct InstallPlace: Sendable {
  package let kept: KeptImpression
  /// 2 for the first ad after the winner.
  package let place: Int
  package let winner: KeptImpression
  /// The networks of the runners-up so far.
  package let networks: [String]
  package let system: OSVersion

  package init(kept: KeptImpression, place: Int, winner: KeptImpression, networks: [String], system: OSVersion) {
    self.kept = kept
    self.place = place
    self.winner = winner
    self.networks = networks
    self.system = system
  }

  /// The winner, and five after it.
  package static let maximumConsidered = 6
  /// The first version with postbacks for runners-up, and its first system.
  package static let firstVersion = SKAdNetworkVersion.v3
  package static let firstSystem = VersionEligibility.first(firstVersion)

  package static let rules: [Rule<InstallPlace, RunnerUpRejection>] = [
    Rule("ad-is-among-the-first-six", inputs: ["place": { .number(Int64($0.place)) }]) { candidate in
      candidate.place > maximumConsidered ? .beyondSix(place: candidate.place) : nil
    },
    Rule(
      "system-has-runners-up",
      inputs: [
        "version": { .string($0.kept.impression.version?.rawValue) }, "systemVersion": { .string($0.system.text) },
      ]
    ) { candidate in
      if candidate.system < firstSystem { return .systemTooOld(candidate.system) }
      guard let version = candidate.kept.impression.version, version < firstVersion else { return nil }
      return .versionTooOld(version)
    },
    Rule(
      "network-has-not-won",
      inputs: [
        "adNetworkIdentifier": { .string($0.network) }, "winningNetwork": { .string($0.winner.impression.adNetworkIdentifier) },
      ]
    ) { candidate in
      candidate.network == candidate.winner.impression.adNetworkIdentifier ? .networkWon(candidate.network) : nil
    },
    Rule(
      "network-is-runner-up-once",
      inputs: [
        "adNetworkIdentifier": { .string($0.network) },
        "runnerUpNetworks": { .array($0.networks.map { .string($0) }) },
      ]
    ) { candidate in
      candidate.networks.contains(candidate.network) ? .alreadyRunnerUp(candidate.network) : nil
    },
  ]

  func decide(_ evaluation: inout RuleEvaluation) -> RunnerUpRejection? {
    evaluation.firstViolation(of: Self.rules, to: self)
  }

  private var network: String { kept.impression.adNetworkIdentifier }
}

/// Why an ad that could have won receives no postback.
package enum RunnerUpRejection: Hashable, RuleViolation {
  case beyondSix(place: Int)
  case systemTooOld(OSVersion)
  case versionTooOld(SKAdNetworkVersion)
  case networkWon(String)
  case alreadyRunnerUp(String)

  package var reason: Reason {
    switch self {
    case .beyondSix(let place):
      Reason("beyond-six", "\(InstallPlace.maximumConsidered) ads are considered, and this one has place \(place)")
    case .systemTooOld(let system):
      Reason(
        "system-too-old",
        "only winners receive postbacks before iOS \(InstallPlace.firstSystem.text); this is iOS \(system.text)")
    case .versionTooOld(let version):
      Reason(
        "runner-up-version",
        "only winners receive postbacks before version \(InstallPlace.firstVersion.rawValue), and the ad has version "
          + version.rawValue)
    case .networkWon(let network): Reason("network-won", "\(network) has the winning ad")
    case .alreadyRunnerUp(let network):
      Reason("network-already-runner-up", "another ad of \(network) has a better place")
    }
  }

  package var change: String {
    switch self {
    case .beyondSix: "display the ad later than the others, or as a click"
    case .systemTooOld: "update the device to iOS \(InstallPlace.firstSystem.text)"
    case .versionTooOld: "sign the ad for version \(InstallPlace.firstVersion.rawValue) or later"
    case .networkWon, .alreadyRunnerUp: "nothing: a network receives one postback for an install"
    }
  }
}
