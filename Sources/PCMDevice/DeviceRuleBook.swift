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
  package static let installRunnerUp = RuleList(installWinner.headings + InstallPlace.rules.map(\.heading))
  package static let reengagement = list(ReengagementTap.rules)
  package static let update = RuleList((UpdateCall.rules.map(\.heading)) + UpdateSituation.rules.map(\.heading))

  /// The reasons that no rule has, and which an explanation names instead: of removed ads, of windows without a postback, and of
  /// what a postback lacks.
  package static let reasons = RuleList(
    (ImpressionTable.reasons + Rejection.titlesOfDrops + PlannedPostback.reasons + [AdImpression.developmentTitle]).map {
      RuleHeading($0, inputs: [])
    })

  private static func list<Subject>(_ rules: [Rule<Subject, Rejection>]) -> RuleList { RuleList(rules.map(\.heading)) }
}
