import PCMCore
import PCMDelivery
import PCMDevice

/// The rules that explanations name, by decision, with what each one requires. The lists are those that decide.
package enum RuleCatalog {
  package struct Section: Hashable, Sendable {
    package let title: String
    package let rules: [Entry]
  }

  package struct Entry: Hashable, Sendable {
    package let name: String
    package let text: String
    /// The section of Apple's documentation on which a rule for ads for apps rests; empty for a rule of Private Click Measurement.
    package let origin: String
    /// The names of the values that the rule reads.
    package let inputs: [String]
  }

  package static let sections: [Section] =
    [
      web("Taps on ads in apps", RuleBook.eventAttribution), web("Clicks on links", RuleBook.linkClick),
      web("Triggering events", RuleBook.triggeringEvent), web("Ignored loads", RuleBook.ignoredTrigger),
      web("Sending of reports", sending),
      web("Delivery of reports", Exchange.deliveryRuleList),
      web("Delivery of postbacks", Exchange.postbackRuleList(.skadnetwork)),
      device("Ad networks", DeviceRuleBook.adNetwork), device("Ads of SKAdNetwork", DeviceRuleBook.skAdNetworkAd),
      device("Ends of views", DeviceRuleBook.viewEnd), device("Web ads", DeviceRuleBook.webAdClick),
      device("Signed values of web ads", DeviceRuleBook.signedPayload),
      device("Ads of AdAttributionKit", DeviceRuleBook.adAttributionKitAd),
      device("Installs", DeviceRuleBook.installRunnerUp), device("Re-engagements", DeviceRuleBook.reengagement),
      device("Conversion values", DeviceRuleBook.update),
    ] + [Section(title: "Reasons of the device", rules: DeviceCatalog.reasons.map { Entry($0, inputs: []) })]

  /// An explanation of a report that was replaced or cleared names one more rule.
  private static let sending = RuleList(
    RuleBook.sending.headings + [RuleHeading(name: "report-still-counts", inputs: ["state"])])

  private static func web(_ title: String, _ list: RuleList) -> Section {
    Section(
      title: title,
      rules: list.headings.map { Entry(name: $0.name, text: webTexts[$0.name] ?? "", origin: "", inputs: $0.inputs) })
  }

  private static func device(_ title: String, _ list: RuleList) -> Section {
    let entries = Dictionary(DeviceCatalog.rules.map { ($0.id, $0) }) { first, _ in first }
    return Section(
      title: title,
      rules: list.headings.compactMap { heading in entries[heading.name].map { Entry($0, inputs: heading.inputs) } })
  }
}

extension RuleCatalog.Entry {
  fileprivate init(_ entry: CatalogEntry, inputs: [String]) {
    self.init(name: entry.id, text: "\(entry.title). \(entry.text)", origin: entry.section.text, inputs: inputs)
  }
}
