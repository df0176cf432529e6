import PCMCore
import PCMNetwork

/// The values of the reports that the probes send. All probes that require a valid report use different entries of a list, so
/// that an endpoint that rejects duplicates rejects only the repetition probe.
extension CheckContext {
  /// The probes that find accepted values and explain why other values are rejected.
  static let groundwork: [Probe] = [.report, .repetition, .smallestValues, .largestValues, .survey, .control]

  /// Whether the endpoint accepted the first report.
  var acceptsReports: Bool { observations.first(.report)?.isAccepted == true }

  /// The control reports that the endpoint rejected although it accepted the first report, because of a rate limit or
  /// intermittent errors. After the malformed bodies, only responses count, because a missing response may indicate a
  /// crash.
  var rejectedControls: [Sent] {
    guard acceptsReports else { return [] }
    return observations[.control].whose { !$0.isAccepted }
      + observations[.laterControl].whose { !$0.isAccepted && $0.httpStatus != nil }
  }

  /// Returns whether requests were rejected because of earlier requests, as shown by their status or by rejected control
  /// reports.
  func isLimited(_ sent: [Sent]) -> Bool {
    guard acceptsReports else { return false }
    let later = Set(observations[.laterControl].whose { !$0.isAccepted }.compactMap(\.exchange.httpStatus))
    return observations[.control].contains { !$0.exchange.isAccepted }
      || sent.contains { $0.exchange.isThrottled || $0.exchange.httpStatus.map(later.contains) == true }
  }

  /// Whether the endpoint accepts a repeated report.
  private var acceptsRepetition: Bool { observations.first(.repetition)?.isAccepted != false }

  /// The values of the survey's reports; empty if the endpoint accepted the smallest and largest values, which implies that
  /// it accepts the values between them.
  var survey: [ReportValues] {
    let extremes = observations.all(.smallestValues, .largestValues)
    let spansAll = extremes.count == 2 && extremes.allSatisfy(\.exchange.isAccepted)
    return spansAll && !options.subjects.areSeveralGiven ? [] : options.subjects.survey
  }

  /// The results of the survey's reports with at least one given value.
  var surveyOfGivenValues: [(values: ReportValues, sent: Sent)] {
    let subjects = options.subjects
    return zip(survey, observations[.survey]).filter { values, _ in
      values.triggerData == subjects.first.triggerData ? !subjects.sourceIDs.isEmpty : !subjects.triggerData.isEmpty
    }.map { (values: $0, sent: $1) }
  }

  /// Returns the reason a probe has too few reports, for a rule that does not apply; nil if it has enough.
  func lack(ofReports probe: Probe) -> String? {
    guard values(of: probe).count < probe.entries.count else { return nil }
    return "the endpoint rejects repeated reports and accepts too few different ones"
  }

  /// Returns the values of a probe's reports, which no other probe uses. There are fewer values than entries if the endpoint
  /// rejects repetition and accepts too few values.
  func values(of probe: Probe) -> [ReportValues] {
    // A rejected report is not remembered, so the same values are used again. Other values may be rejected as such.
    guard acceptsReports else { return probe.entries.map { _ in options.subjects.first } }
    let (known, unsent) = acceptedValues
    return probe.entries.compactMap { entry in
      if entry < unsent.count { return unsent[entry] }
      return acceptsRepetition ? known[entry % known.count] : nil
    }
  }

  /// The values that the endpoint accepts according to the plain reports so far, and the unsent values among them.
  private var acceptedValues: (known: [ReportValues], unsent: [ReportValues]) {
    let subjects = options.subjects
    let plain =
      [(subjects.first, observations[.report]), (subjects.smallest, observations[.smallestValues])]
      + [(subjects.largest, observations[.largestValues])]
    var tried: [(values: ReportValues, isAccepted: Bool)] = plain.compactMap { values, sent in
      values.flatMap { values in sent.first.map { (values, $0.exchange.isAccepted) } }
    }
    tried += zip(survey, observations[.survey]).map { ($0, $1.exchange.isAccepted) }
    let accepted = tried.filter(\.isAccepted).map(\.values)
    let isSurveyed = !observations[.survey].isEmpty
    let ids = subjects.ordinarySourceIDs.filter { id in !isSurveyed || accepted.contains { $0.sourceID == id } }
    let data = subjects.ordinaryTriggerData.filter { data in !isSurveyed || accepted.contains { $0.triggerData == data } }
    let known = ids.flatMap { id in data.map { ReportValues(sourceID: id, triggerData: $0) } }
    return (known, known.filter { values in !tried.contains { $0.values == values } })
  }
}

extension Probe {
  /// The probe's entries in the list of reports.
  fileprivate var entries: Range<Int> {
    switch self {
    case .reportOverHTTP1: 0..<1
    case .reportFromOtherAgents: 1..<3
    case .reportWithCookie: 3..<4
    case .reportWithReferrer: 4..<5
    case .olderVersions: 5..<7
    case .unknownMembers: 7..<8
    case .reverseOrder: 8..<10
    case .tokenReport, .tokenReportAgain: 10..<11
    case .forgedTokenReport: 11..<12
    case .control: 12..<(12 + Probe.controlCount)
    case .laterControl: 17..<(17 + Probe.controlCount)
    case .load: 22..<(22 + Probe.loadCount)
    default: 0..<0
    }
  }
}
