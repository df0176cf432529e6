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
