package import PCMCore

/// Compares reports with an expectation.
struct ReportMatcher: Hashable, Sendable {
  let expected: ExpectedReport
  /// The accepted states, in the order of their description.
  let states: [Report.State]

  /// - Parameter isWanted: Whether such a report is expected to exist.
  init(_ expected: ExpectedReport, isWanted: Bool) {
    self.expected = expected
    states = expected.state.map { [$0] } ?? (isWanted ? [.delivered] : [.scheduled, .sending, .delivered, .failed])
  }

  /// Returns the differences between a report and the expectation; none when the report matches.
  func differences(of report: Report) -> [ReportDifference] {
    let body = JSON(parsing: Array(report.body.utf8)) ?? .null
    let members: [(name: String, expected: JSON?, actual: JSON)] = [
      ("recipient", expected.recipient.map { .string($0.rawValue) }, .string(report.recipient.rawValue)),
      ("sourceSite", expected.sourceSite.map { .string($0) }, .string(report.key.source.domain)),
      ("destinationSite", expected.destinationSite.map { .string($0) }, .string(report.key.destination.domain)),
      ("sourceIdentifier", expected.sourceIdentifier.map { .number(Int64($0)) }, body["source_id"] ?? .null),
      ("triggerData", expected.triggerData.map { .number(Int64($0)) }, body["trigger_data"] ?? .null),
    ]
    let differences = members.compactMap { member -> ReportDifference? in
      guard let expected = member.expected, expected != member.actual else { return nil }
      return ReportDifference(member: member.name, expected: [expected], actual: member.actual)
    }
    guard !states.contains(report.state) else { return differences }
    let state = ReportDifference(
      member: "state", expected: states.map { .string($0.rawValue) }, actual: .string(report.state.rawValue))
    return differences + [state]
  }

  /// `a delivered report to the source with sourceIdentifier 4, triggerData 12`
  var description: String {
    let adjective = states.count == 1 ? "\(states[0].rawValue) " : ""
    let members = [
      expected.sourceSite.map { "sourceSite \($0)" }, expected.destinationSite.map { "destinationSite \($0)" },
      expected.sourceIdentifier.map { "sourceIdentifier \($0)" }, expected.triggerData.map { "triggerData \($0)" },
    ].compactMap { $0 }
    return "a \(adjective)report" + (expected.recipient.map { " to the \($0.rawValue)" } ?? "")
      + (members.isEmpty ? "" : " with " + members.joined(separator: ", "))
  }
}

/// A difference between a report and an expectation.
package struct ReportDifference: Hashable, Sendable {
  package let member: String
  /// The accepted values.
  package let expected: [JSON]
  package let actual: JSON

  /// `its sourceIdentifier is 4, not 5`
  package var text: String {
    let wanted = expected.map { $0.string ?? $0.text }.joined(separator: " or ")
    return "its \(member) is \(actual.string ?? actual.text), not \(wanted)"
  }
}
