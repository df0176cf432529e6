package import PCMCore

/// The ordered rule list of each decision of the device, taken from the rules that decide.
package enum DeviceRuleBook {
  package static let adNetwork = RuleList(AdNetwork.rules)
  package static let skAdNetworkAd = RuleList(SKAdNetworkDisplay.rules)
  package static let viewEnd = RuleList(ViewEnd.rules)
  package static let webAdClick = RuleList(WebAdClick.rules)
  package static let signedPayload = RuleList(SignedPayloadResponse.rules)
  package static let adAttributionKitAd = RuleList(AdAttributionKitAd.rules)
  package static let installWinner = RuleList(InstallCandidate.rules)
  package static let installRunnerUp = installWinner + RuleList(InstallCandidate.placeRules)
  package static let reengagement = RuleList(ReengagementTap.rules)
  package static let update = RuleList(UpdateCall.rules) + RuleList(UpdateSituation.rules)
  package static let cardShown = RuleList(CardSituation.shownRules)
  package static let cardImpression = RuleList(CardSituation.impressionRules)
  package static let cardClick = RuleList(CardSituation.clickRules)
  package static let cardDismissal = RuleList(CardSituation.dismissalRules)
  package static let trackingRequest = RuleList(TrackingRequest.rules)
  package static let trackingAnswer = RuleList(TrackingAnswer.promptRules)
  package static let trackingSetting = RuleList(TrackingAnswer.settingRules)
  package static let sdkEvent = RuleList(SDKWait.rules)
  package static let sdkRequest = RuleList(SDKDeparture.rules)

  /// The reasons that no rule has, and which an explanation names instead: of removed ads, of windows without a postback, of
  /// what a postback lacks, and of a card whose parameters cannot be used.
  package static let reasons = RuleList(
    (ImpressionTable.reasons + Violation.titlesOfDrops + PlannedPostback.reasons + [AdImpression.developmentTitle]
      + CardAd.reasons).map {
        RuleHeading($0, inputs: [])
      })
}
