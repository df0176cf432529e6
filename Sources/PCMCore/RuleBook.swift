/// The rules of each decision in their order, by name: what an explanation lists, taken from the lists that decide.
package enum RuleBook {
  package static let eventAttribution = headings(Session.clickRules) + headings(AppTap.rules)
  package static let linkClick = headings(Session.clickRules) + headings(LinkClick.rules)
  package static let triggeringEvent =
    headings(TriggerPath.rules) + headings(Session.triggerRules) + headings(MixedContent.rules) + headings(TriggerURL.rules)
    + headings(HeldClick.rules)
    + headings(TriggeringEvent.rules) + headings(DestinationToken.rules) + headings(AttributionRule.rules)
  package static let sending =
    headings(Session.sendRules) + headings(ReportTimer.firingRules) + headings(ReportTimer.roundRules)

  private static func headings<Subject, Refusal>(_ rules: [Rule<Subject, Refusal>]) -> [RuleHeading] {
    rules.map(\.heading)
  }
}
