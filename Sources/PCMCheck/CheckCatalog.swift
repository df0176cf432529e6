/// The rules, in the order in which they are judged and shown.
package enum CheckCatalog {
  static let criteria: [Criterion] =
    endpointCriteria + connectionCriteria + certificateCriteria + reportCriteria + independenceCriteria + valueCriteria
    + hostileBodyCriteria + loadCriteria + keyCriteria + signingCriteria + nonceCriteria + roundTripCriteria + pixelCriteria

  package static let rules = criteria.map(\.rule)

  /// Those of the selected ids and beginnings of ids that stand for no rule at all.
  package static func unknown(in selection: [String]) -> [String] {
    selection.filter { entry in !rules.contains { $0.id.hasPrefix(entry) } }
  }

  /// The criteria that are asked for.
  static func wanted(_ selection: [String]) -> [Criterion] {
    guard !selection.isEmpty else { return criteria }
    return criteria.filter { criterion in selection.contains { criterion.id.hasPrefix($0) } }
  }

  /// The criteria that are asked for and those on which they rest, in the order of the catalogue.
  static func needed(_ selection: [String]) -> [Criterion] {
    var ids = Set(wanted(selection).map(\.id))
    // Each rests on earlier ones only, so one way back finds all.
    for criterion in criteria.reversed() where ids.contains(criterion.id) { ids.formUnion(criterion.grounds) }
    return criteria.filter { ids.contains($0.id) }
  }
}

/// One thing that is true of a good report endpoint.
package struct CheckRule: Hashable, Sendable {
  /// Stable, kebab-case: `report-status-is-2xx`.
  package let id: String
  /// What is true when it passes, as a sentence without its full stop.
  package let title: String
  package let severity: Severity
  package let origin: Origin
  /// What to do when it fails, in one sentence.
  package let fix: String

  package enum Severity: String, Hashable, Sendable, CaseIterable {
    /// Reports are lost, or what they say cannot be trusted.
    case error
    /// Works today, and will hurt.
    case warning
  }

  /// Who says so.
  package enum Origin: String, Hashable, Sendable, CaseIterable {
    /// Apple's documents.
    case apple
    /// What WebKit does.
    case webkit
    /// The draft of Private Click Measurement, or an RFC.
    case draft
    /// This project.
    case ours
  }

  package init(_ id: String, _ title: String, _ severity: Severity, _ origin: Origin, fix: String) {
    self.id = id
    self.title = title
    self.severity = severity
    self.origin = origin
    self.fix = fix
  }
}
