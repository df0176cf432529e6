package import PCMCore

/// The rules of each kind of endpoint, in the order of evaluation and display.
package enum CheckCatalog {
  /// The criteria of report endpoints.
  static let criteria: [Criterion] =
    endpointCriteria + connectionCriteria + certificateCriteria + reportCriteria
    + receiptCriteria("report", probes: (.report, .getReport), restsOn: ["report-status-is-2xx"])
    + answerCriteria + independenceCriteria + valueCriteria + hostileReportCriteria + loadCriteria + keyCriteria
    + signingCriteria
    + nonceCriteria + roundTripCriteria + pixelCriteria

  static func criteria(of kind: CheckKind) -> [Criterion] {
    switch kind {
    case .report: criteria
    case .skadnetwork: skAdNetworkCriteria
    case .adattributionkit: adAttributionKitCriteria
    }
  }

  package static func rules(of kind: CheckKind) -> [CheckRule] { criteria(of: kind).map(\.rule) }

  /// Returns the rules of a kind for the catalog. Their inputs are the probes.
  package static func list(of kind: CheckKind) -> RuleList {
    RuleList(criteria(of: kind).map { RuleHeading($0.rule.ruleTitle, inputs: $0.probes.map(\.rawValue)) })
  }

  /// Returns the entries of a selection that match no rule.
  package static func unknown(in selection: [String], of kind: CheckKind = .report) -> [String] {
    let rules = rules(of: kind)
    return selection.filter { entry in !rules.contains { $0.id.hasPrefix(entry) } }
  }

  /// Returns the selected criteria.
  static func wanted(_ selection: [String], of kind: CheckKind = .report) -> [Criterion] {
    let criteria = criteria(of: kind)
    guard !selection.isEmpty else { return criteria }
    return criteria.filter { criterion in selection.contains { criterion.id.hasPrefix($0) } }
  }

  /// Returns the selected criteria and their dependencies, in the order of the catalog.
  static func needed(_ selection: [String], of kind: CheckKind = .report) -> [Criterion] {
    let criteria = criteria(of: kind)
    var ids = Set(wanted(selection, of: kind).map(\.id))
    // Criteria depend only on earlier criteria, so a single reverse pass finds all dependencies.
    for criterion in criteria.reversed() where ids.contains(criterion.id) { ids.formUnion(criterion.grounds) }
    return criteria.filter { ids.contains($0.id) }
  }
}

/// A requirement on endpoints.
package struct CheckRule: Hashable, Sendable {
  /// A stable identifier in kebab case: `report-status-is-2xx`.
  package let id: String
  /// The requirement, as a sentence without a period.
  package let title: String
  package let severity: Severity
  package let origin: RuleOrigin
  /// The remedy, in one sentence.
  package let fix: String

  package enum Severity: String, Hashable, Sendable, CaseIterable {
    /// Reports are lost, or their values are not reliable.
    case error
    /// The endpoint works, but the issue can cause harm later.
    case warning
  }

  init(_ id: String, _ title: String, _ severity: Severity, _ origin: RuleOrigin, fix: String) {
    self.id = id
    self.title = title
    self.severity = severity
    self.origin = origin
    self.fix = fix
  }
  /// The title in the catalog. A failure is identified by its rule and has no code.
  fileprivate var ruleTitle: RuleTitle {
    let change = fix.hasSuffix(".") ? String(fix.dropLast()) : fix
    return RuleTitle(id, title + ".", origin, reasons: [RuleReason(code: nil, change: change)])
  }
}

extension RuleOrigin {
  static let advice = ours("advice for endpoints")
  static let tokens = draft("WebKit blog: PCM: Click Fraud Prevention and Attribution Sent to Advertiser")
}
