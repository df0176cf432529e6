/// The properties of an expected report; nil for any value.
struct ExpectedReport {
  let recipient: Report.Recipient?
  let sourceSite: String?
  let destinationSite: String?
  let sourceIdentifier: Int?
  let triggerData: Int?
  let states: [Report.State]

  func isMet(by report: Report) -> Bool { violations(to: report).isEmpty }

  /// The differences between a report and the expectation.
  func violations(to report: Report) -> [String] {
    let body = report.body
    var violations = [
      violation("recipient", "\(report.recipient)", recipient.map { "\($0)" }),
      violation("source_site", body.sourceSite, sourceSite),
      violation("attributed_on_site", body.attributedOnSite, destinationSite),
      violation("source_id", "\(body.sourceIdentifier)", sourceIdentifier.map { "\($0)" }),
      violation("trigger_data", "\(body.triggerData)", triggerData.map { "\($0)" }),
    ].compactMap { $0 }
    if !states.contains(report.state) {
      let wanted = states.map(\.rawValue).joined(separator: " or ")
      violations.append("its state is \(report.state), not \(wanted)")
    }
    return violations
  }

  private func violation(_ member: String, _ value: String, _ wanted: String?) -> String? {
    guard let wanted, wanted != value else { return nil }
    return "its \(member) is \(value), not \(wanted)"
  }
}

extension ExpectedReport: CustomStringConvertible {
  /// `a delivered report to the source with source_id 4, trigger_data 12`
  var description: String {
    let adjective = states.count == 1 ? "\(states[0]) " : ""
    let members = [
      sourceSite.map { "source_site \($0)" }, destinationSite.map { "attributed_on_site \($0)" },
      sourceIdentifier.map { "source_id \($0)" }, triggerData.map { "trigger_data \($0)" },
    ].compactMap { $0 }
    return "a \(adjective)report" + (recipient.map { " to the \($0)" } ?? "")
      + (members.isEmpty ? "" : " with " + members.joined(separator: ", "))
  }
}
