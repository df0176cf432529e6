/// The ordered rule list of each decision, taken from the rules that decide. A decision refers to its list.
package enum RuleBook {
  package static let eventAttribution = list(MeasurementSettings.clickRules) + list(AppTap.rules)
  package static let linkClick = list(MeasurementSettings.clickRules) + list(LinkClick.rules)
  package static let triggeringEvent =
    list(TriggerPath.rules) + list(MeasurementSettings.triggerRules) + list(MixedContent.rules) + list(TriggerURL.rules)
    + list(EphemeralClick.rules)
    + list(TriggeringEvent.rules) + list(DestinationToken.rules) + list(AttributionRule.rules)
  package static let sending =
    list(MeasurementSettings.sendRules) + list(ReportTimer.firingRules) + list(ReportTimer.roundRules)

  private static func list<Subject, Refusal>(_ rules: [Rule<Subject, Refusal>]) -> RuleList {
    RuleList(rules.map(\.heading))
  }
}
