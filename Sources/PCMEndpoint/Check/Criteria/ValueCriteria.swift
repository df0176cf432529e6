import PCMCore
import PCMNetwork

extension CheckCatalog {
  /// The rules about valid reports with different values.
  static let valueCriteria: [Criterion] = [
    CheckRule(
      "older-versions-are-accepted", "Reports of versions 1 and 2 are accepted", .error,
      .draft("Private Click Measurement, version 1; versions 2 and 3 are in WebKit"),
      fix: "Accept versions 1, 2, and 3: the version depends on the browser, not on the content of the report."
    ).accepting(.olderVersions, "a report of version 1 or 2"),
    CheckRule(
      "unknown-members-are-tolerated", "Unknown members of a report are ignored", .error,
      .draft("Private Click Measurement, version 1; WebKit added members in versions 2 and 3"),
      fix: "Ignore unknown members: each version added some."
    ).accepting(.unknownMembers, "a report with unknown members"),
    CheckRule(
      "smallest-values-are-accepted", "A source_id and trigger_data of 0 are accepted", .error, .apple("UIEventAttribution"),
      fix: "Accept 0 for source_id and trigger_data, or specify the accepted values with --source-id and --trigger-data."
    ).extreme(.smallestValues) { $0.smallest },
    CheckRule(
      "largest-values-are-accepted", "A source_id of 255 and trigger_data of 15 are accepted", .error,
      .apple("UIEventAttribution"),
      fix: "Accept source_id up to 255 and trigger_data up to 15, or specify the accepted values with --source-id and "
        + "--trigger-data."
    ).extreme(.largestValues) { $0.largest },
    CheckRule(
      "given-values-are-accepted", "Each given source_id and trigger_data is accepted", .error, .advice,
      fix: "Accept reports of each of your campaigns and events, or remove the value from the options."
    ).criterion(restsOn: reportGate, probes: CheckContext.groundwork) { context in
      guard context.options.subjects.areSeveralGiven else { return .notApplicable("no other values were given") }
      let rejected = context.surveyOfGivenValues.first { !$0.sent.exchange.isAccepted }
      guard let (values, sent) = rejected else { return .passed }
      return .failed(
        "a report with source_id \(values.sourceID) and trigger_data \(values.triggerData) \(sent.exchange.account)", [sent])
    },
    CheckRule(
      "reverse-order-is-accepted", "Reports are accepted in any order", .error, .webkit("PrivateClickMeasurementManager.cpp"),
      fix: "Accept reports in any order: each has a separate delay of 24 to 48 hours."
    ).accepting(.reverseOrder, "a report that arrives after a later one"),
    CheckRule(
      "repetition-is-accepted", "A report that arrives twice is accepted twice", .error, .advice,
      fix: "Return 2xx for a repeated report: without tokens, the reports of two people may be identical."
    ).criterion(restsOn: reportGate, probes: [.repetition, .control]) { context in
      .none(of: context.observations[.repetition].whose { !$0.isAccepted }, "a report that arrives twice")
    },
  ]

  /// The rule that fails if the endpoint limits the rate of requests.
  static let loadRule = "many-reports-at-once-are-accepted"

  static let loadCriteria: [Criterion] = [
    CheckRule(
      loadRule, "\(Probe.loadCount) concurrent reports are accepted", .error, .advice,
      fix:
        "Accept \(Probe.loadCount) concurrent connections, and do not limit their rate by address: relays share addresses."
    ).criterion(restsOn: reportGate, probes: [.load] + CheckContext.groundwork + [.laterControl]) { context in
      if let late = late(context.observations[.load], "reports", context) { return late }
      let throttled = context.observations.throttled
      if !throttled.isEmpty { return .none(of: throttled, "a request after others") }
      if !context.rejectedControls.isEmpty { return .none(of: context.rejectedControls, "a plain report after others") }
      return context.lack(ofReports: .load).map { .notApplicable($0) } ?? .passed
    }
  ]
}

extension CheckRule {
  /// A criterion about valid reports or postbacks.
  ///
  /// - Parameters:
  ///   - subject: The message in the observation; nil for the name of its body.
  ///   - lack: The reason the probe may have no messages to send.
  func accepting(_ probe: Probe, _ subject: String? = nil, lack: String = "there is nothing to send") -> Criterion {
    let others = Probe.ofPostbacks.contains(probe) ? [] : CheckContext.groundwork
    return criterion(restsOn: CheckCatalog.gate(of: probe), probes: [probe] + others) { context in
      let sent = context.observations[probe]
      if let lack = context.lack(ofReports: probe) ?? (sent.isEmpty ? lack : nil) { return .notApplicable(lack) }
      let failing = sent.whose { !context.accepts($0) }
      return .none(of: failing, subject ?? failing.first.flatMap { context.body(of: $0, probe)?.name } ?? "a postback")
    }
  }

  /// A criterion about the smallest or largest values.
  fileprivate func extreme(
    _ probe: Probe, of values: @escaping @Sendable (ReportSubjects) -> ReportValues?
  ) -> Criterion {
    criterion(restsOn: CheckCatalog.reportGate, probes: [probe, .control]) { context in
      guard let values = values(context.options.subjects) else {
        return .notApplicable("the endpoint accepts only the given values (--source-id, --trigger-data)")
      }
      return .none(
        of: context.observations[probe].whose { !$0.isAccepted },
        "a report with source_id \(values.sourceID) and trigger_data \(values.triggerData)")
    }
  }
}
