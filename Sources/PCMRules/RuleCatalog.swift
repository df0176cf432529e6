import PCMBrowser
package import PCMCore
import PCMDevice
import PCMEndpoint
import PCMManifest
import PCMNetwork

/// Every rule, and every reason that no rule has, by topic. Decisions use the same lists. Pages, the API, the command `rules`,
/// and the documentation read them here.
package enum RuleCatalog {
  package struct Topic: Sendable {
    package let title: String
    package let rules: [RuleHeading]

    fileprivate init(_ title: String, _ list: RuleList) { (self.title, rules) = (title, list.headings) }
  }

  package static let topics = decisions + tools

  /// The rules of the browser and the device, which explanations name.
  package static let decisions: [Topic] = [
    Topic("Taps on ads in apps", RuleBook.eventAttribution), Topic("Clicks on links", RuleBook.linkClick),
    Topic("Notes on clicks", RuleBook.clickNotes + RuleList(reasons: RuleTitle.replacements)),
    Topic("Triggering events", RuleBook.triggeringEvent), Topic("Notes on triggering events", RuleBook.triggerNotes),
    Topic("Ignored loads", RuleBook.ignoredTrigger), Topic("Ends of loads", RuleList(reasons: LoadOutcome.titles)),
    Topic("Tokens", RuleBook.tokens),
    // An explanation of a report that was replaced or cleared names one more rule.
    Topic("Sending of reports", RuleBook.sending + Standing.list),
    Topic("Delivery of reports", Exchange.deliveryRuleList),
    Topic("Delivery of postbacks of SKAdNetwork", Exchange.postbackRuleList(.skadnetwork)),
    Topic("Delivery of postbacks of AdAttributionKit", Exchange.postbackRuleList(.adattributionkit)),
    Topic("Ad networks", DeviceRuleBook.adNetwork), Topic("Ads of SKAdNetwork", DeviceRuleBook.skAdNetworkAd),
    Topic("Ends of views", DeviceRuleBook.viewEnd), Topic("Web ads", DeviceRuleBook.webAdClick),
    Topic("Signed values of web ads", DeviceRuleBook.signedPayload),
    Topic("Ads of AdAttributionKit", DeviceRuleBook.adAttributionKitAd),
    Topic("Installs", DeviceRuleBook.installRunnerUp), Topic("Re-engagements", DeviceRuleBook.reengagement),
    Topic("Conversion values", DeviceRuleBook.update), Topic("Content cards", DeviceRuleBook.cardShown),
    Topic("Impressions of content cards", DeviceRuleBook.cardImpression),
    Topic("Clicks on content cards", DeviceRuleBook.cardClick),
    Topic("Dismissals of content cards", DeviceRuleBook.cardDismissal),
    Topic("Requests to track", DeviceRuleBook.trackingRequest),
    Topic("Answers to requests to track", DeviceRuleBook.trackingAnswer),
    Topic("Tracking in the settings", DeviceRuleBook.trackingSetting),
    Topic("Events of a measurement SDK", DeviceRuleBook.sdkEvent),
    Topic("Requests of a measurement SDK", DeviceRuleBook.sdkRequest + Exchange.sdkRuleList),
    Topic("Reasons of the device", DeviceRuleBook.reasons),
  ]

  /// The rules of `pcm-browser manifest` and `pcm-browser check`, and the reasons that only `pcm-browser simulate` has.
  private static let tools = [
    Topic("Findings in an Info.plist", RuleList(reasons: ManifestFinding.titles)),
    Topic("Checks of report endpoints", CheckCatalog.list(of: .report)),
    Topic("Checks of endpoints for postbacks of SKAdNetwork", CheckCatalog.list(of: .skadnetwork)),
    Topic("Checks of endpoints for postbacks of AdAttributionKit", CheckCatalog.list(of: .adattributionkit)),
    Topic("Losses of simulations", RuleList(reasons: SimulatedLoss.Code.allCases.map(\.title))),
  ]

  /// Returns the rules with a name or the code of a reason, by topic; all for nil.
  package static func topics(named name: String?) -> [Topic] {
    guard let name else { return topics }
    return topics { _, rule in rule.name == name || rule.title.reasons.contains { $0.code == name } }
  }

  /// Returns the rules with all words in their topics, names, texts, or reasons, by topic. A word may be a part of another one.
  package static func topics(containing words: [String]) -> [Topic] {
    topics { topic, rule in
      let reasons = rule.title.reasons.flatMap { [$0.code ?? "", $0.change] }
      let text = ([topic.title, rule.name, rule.title.text] + reasons).joined(separator: "\n")
      return text.containsAll(words)
    }
  }

  private static func topics(where isIncluded: (Topic, RuleHeading) -> Bool) -> [Topic] {
    topics.compactMap { topic in
      let rules = topic.rules.filter { isIncluded(topic, $0) }
      return rules.isEmpty ? nil : Topic(topic.title, RuleList(rules))
    }
  }

  /// Returns the answer of the API.
  package static func json(of topics: [Topic]) -> JSON {
    ["rules": .array(topics.flatMap { topic in topic.rules.map { $0.json(topic: topic.title) } })]
  }
}

extension RuleHeading {
  fileprivate func json(topic: String) -> JSON {
    [
      "topic": .string(topic),
      "rule": .string(name),
      "requirement": .string(title.text),
      "inputs": .array(inputs.map { .string($0) }),
      "reasons": .array(title.reasons.map { ["code": .string($0.code), "change": .string($0.change)] }),
      "origin": title.origin.map { ["kind": .string($0.kind.rawValue), "source": .string($0.source)] } ?? .null,
    ]
  }
}
