package import PCMCore

/// The ordered rule list of each decision of the device, taken from the rules that decide.
package enum DeviceRuleBook {
  package static let adNetwork = list(AdNetwork.rules)
  package static let skAdNetworkAd = list(SKAdNetworkDisplay.rules)
  package static let viewEnd = list(ViewEnd.rules)
  package static let webAdClick = list(WebAdClick.rules)
  package static let signedPayload = list(SignedPayloadResponse.rules)
  package static let adAttributionKitAd = list(AdAttributionKitAd.rules)
  package static let installWinner = list(InstallCandidate.rules)
  package static let installRunnerUp = list(InstallCandidate.rules, InstallPlace.rules)
  package static let reengagement = list(ReengagementTap.rules)
  package static let update = list(UpdateCall.rules, UpdateSituation.rules)

  private static func list<Subject, Violation>(_ rules: [Rule<Subject, Violation>]) -> RuleList {
    RuleList(rules.map(\.heading))
  }

  private static func list<First, FirstViolation, Second, SecondViolation>(
    _ first: [Rule<First, FirstViolation>], _ second: [Rule<Second, SecondViolation>]
  ) -> RuleList {
    RuleList(first.map(\.heading) + second.map(\.heading))
  }
}
