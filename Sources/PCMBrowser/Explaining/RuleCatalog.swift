package import PCMCore
import PCMDevice
import PCMNetwork

/// The rules that explanations name, by decision. The lists are those that decide.
package enum RuleCatalog {
  package struct Section: Sendable {
    package let title: String
    package let rules: [RuleHeading]

    fileprivate init(_ title: String, _ list: RuleList) { (self.title, rules) = (title, list.headings) }
  }

  package static let sections: [Section] = [
    Section("Taps on ads in apps", RuleBook.eventAttribution), Section("Clicks on links", RuleBook.linkClick),
    Section("Triggering events", RuleBook.triggeringEvent), Section("Ignored loads", RuleBook.ignoredTrigger),
    // An explanation of a report that was replaced or cleared names one more rule.
    Section("Sending of reports", RuleBook.sending + Standing.list),
    Section("Delivery of reports", Exchange.deliveryRuleList),
    Section("Delivery of postbacks", Exchange.postbackRuleList(.skadnetwork)),
    Section("Ad networks", DeviceRuleBook.adNetwork), Section("Ads of SKAdNetwork", DeviceRuleBook.skAdNetworkAd),
    Section("Ends of views", DeviceRuleBook.viewEnd), Section("Web ads", DeviceRuleBook.webAdClick),
    Section("Signed values of web ads", DeviceRuleBook.signedPayload),
    Section("Ads of AdAttributionKit", DeviceRuleBook.adAttributionKitAd),
    Section("Installs", DeviceRuleBook.installRunnerUp), Section("Re-engagements", DeviceRuleBook.reengagement),
    Section("Conversion values", DeviceRuleBook.update), Section("Content cards", DeviceRuleBook.cardShown),
    Section("Impressions of content cards", DeviceRuleBook.cardImpression),
    Section("Clicks on content cards", DeviceRuleBook.cardClick),
    Section("Dismissals of content cards", DeviceRuleBook.cardDismissal),
    Section("Requests to track", DeviceRuleBook.trackingRequest),
    Section("Answers to requests to track", DeviceRuleBook.trackingAnswer),
    Section("Tracking in the settings", DeviceRuleBook.trackingSetting),
    Section("Events of a measurement SDK", DeviceRuleBook.sdkEvent),
    Section("Requests of a measurement SDK", DeviceRuleBook.sdkRequest + Exchange.sdkRuleList),
    Section("Reasons of the device", DeviceRuleBook.reasons),
  ]
}
