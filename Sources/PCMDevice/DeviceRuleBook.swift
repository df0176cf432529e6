package import PCMCore

/// The ordered rule list of each decision of the device. The decisions use the same rules.
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

  /// Reasons outside rules: removals, missing winners, dropped postbacks, omissions of postbacks, invalid parameters of cards, and
  /// notes.
  package static let reasons = RuleList(
    reasons: ImpressionTable.reasons + AdImpression.titlesOfNotes + [.tooManyImpressions, ReengagementTap.droppedURL]
      + InstallDecision.reasons + Violation.titlesOfDrops + PlannedPostback.reasons + CardAd.reasons + SentCard.notes
      + SDKWait.notes)
}

/// The pages of Apple and other vendors that several rules cite.
extension RuleOrigin {
  static let registration = apple("StoreKit: Registering an ad network")
  static let releaseNotes = apple("StoreKit: SKAdNetwork release notes")
  static let signingStoreKitAds = apple("StoreKit: Generating the signature to validate StoreKit-rendered ads")
  static let webAds = apple("SKAdNetwork for Web Ads")
  static let attributions = apple("StoreKit: Receiving ad attributions and postbacks")
  static let windows = apple("StoreKit: Receiving postbacks in multiple conversion windows")
  static let valueUpdate = apple("StoreKit: SKAdNetwork, updatePostbackConversionValue(_:completionHandler:)")
  static let postbackParameters = apple("StoreKit: Identifying the parameters in install-validation postbacks")

  static let jwsImpressions = apple("AdAttributionKit: Generating JWS impressions")
  static let interoperability = apple("AdAttributionKit: Understanding AdAttributionKit and SKAdNetwork interoperability")
  static let appAttributions = apple("AdAttributionKit: Receiving ad attributions and postbacks")
  static let attributionRules = apple("AdAttributionKit: Configuring attribution rules for your app")
  static let advertisedApp = apple("AdAttributionKit: Configuring an advertised app")
  static let conversionTags = apple("AdAttributionKit: Identifying conversion values with conversion tags")
  static let appPostbackParameters = apple("AdAttributionKit: Identifying the parameters in a postback")
  static let developerMode = apple("AdAttributionKit: Testing AdAttributionKit with Developer Mode")
  static let developmentPostbacks = apple("AdAttributionKit: Creating postbacks in developer settings")

  static let requestTracking = apple("App Tracking Transparency: requestTrackingAuthorization(completionHandler:)")
  static let authorizationStatus = apple("App Tracking Transparency: ATTrackingManager.AuthorizationStatus")

  static let cardGuide = vendor("Braze: implementation guide for content cards")
  static let waitingInterval = vendor("Adjust SDK: attConsentWaitingInterval")
}
