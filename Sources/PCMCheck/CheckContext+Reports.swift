import PCMCore
import PCMDelivery

/// Which reports the probes send. Each probe that needs an acceptable report has slots in one list of reports, all different,
/// so that an endpoint that refuses what it has seen refuses only the repetition.
extension CheckContext {
  /// What is needed to send a report that the endpoint should accept, and to say why it did not.
  static let groundwork: [Probe] = [.report, .repetition, .smallestValues, .largestValues, .survey, .control]

  /// Whether the first report, sent as a browser sends it, was accepted.
  var acceptsReports: Bool { observations.first(.report)?.isAccepted == true }

  /// The plain reports that the endpoint refused although it accepted the first: it limits how many it takes, or refuses
  /// now and then. After what is no report, only an answer counts, since no answer may mean that the endpoint fell over.
  var refusedControls: [Sent] {
    guard acceptsReports else { return [] }
    return observations[.control].whose { !$0.isAccepted }
      + observations[.laterControl].whose { !$0.isAccepted && $0.httpStatus != nil }
  }

  /// Whether what was sent is refused for what came before it: by its status, or because plain reports are refused as well.
  func isLimited(_ sent: [Sent]) -> Bool {
    guard acceptsReports else { return false }
    let later = Set(observations[.laterControl].whose { !$0.isAccepted }.compactMap(\.exchange.httpStatus))
    return observations[.control].contains { !$0.exchange.isAccepted }
      || sent.contains { $0.exchange.isThrottled || $0.exchange.httpStatus.map(later.contains) == true }
  }

  /// Whether a report may be sent again without being refused for that.
  private var acceptsRepetition: Bool { observations.first(.repetition)?.isAccepted != false }

  /// The values of the survey's reports; nothing when the smallest and the largest values were accepted, since then those
  /// between them are as well.
  var survey: [ReportValues] {
    let extremes = observations.all(.smallestValues, .largestValues)
    let spansAll = extremes.count == 2 && extremes.allSatisfy(\.exchange.isAccepted)
    return spansAll && !options.subjects.areSeveralGiven ? [] : options.subjects.survey
  }

  /// What became of the survey's reports whose value was given, and not only made up beside one.
  var surveyOfGivenValues: [(values: ReportValues, sent: Sent)] {
    let subjects = options.subjects
    return zip(survey, observations[.survey]).filter { values, _ in
      values.triggerData == subjects.first.triggerData ? !subjects.sourceIDs.isEmpty : !subjects.triggerData.isEmpty
    }.map { (values: $0, sent: $1) }
  }

  /// Why a probe has too few reports to send, as a reason why a rule does not apply; nil when it has all.
  func lack(ofReports probe: Probe) -> String? {
    guard values(of: probe).count < probe.slots.count else { return nil }
    return "the endpoint refuses repetition and accepts too few different reports"
  }

  /// The values of the reports that a probe sends, which differ from those of all other probes. Fewer than its slots when the
  /// endpoint refuses repetition and too few values are accepted.
  func values(of probe: Probe) -> [ReportValues] {
    // Refused anyway, it is not remembered; another one might be refused for its values.
    guard acceptsReports else { return probe.slots.map { _ in options.subjects.first } }
    let (known, unsent) = acceptedValues
    return probe.slots.compactMap { slot in
      if slot < unsent.count { return unsent[slot] }
      return acceptsRepetition ? known[slot % known.count] : nil
    }
  }

  /// The values that the endpoint accepts, by what it made of plain reports so far, and those among them not sent yet.
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
    let known = ids.flatMap { id in data.map { ReportValues(id, $0) } }
    return (known, known.filter { values in !tried.contains { $0.values == values } })
  }
}

extension Probe {
  /// Which reports of the list are this probe's.
  fileprivate var slots: Range<Int> {
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
