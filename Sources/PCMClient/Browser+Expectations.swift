extension Browser {
  /// Returns the expected report. Otherwise, throws an `ExpectationFailure` with the existing reports and an explanation.
  ///
  /// - Parameters:
  ///   - recipient: The recipient of the report.
  ///   - sourceSite: The registrable domain on which the click was made; nil for any.
  ///   - destinationSite: The registrable domain of the click's destination; nil for any.
  ///   - sourceIdentifier: The click's source identifier; nil for any.
  ///   - triggerData: The trigger data of the triggering event; nil for any.
  ///   - state: The state of the report.
  ///   - timeout: How long to wait for the report on the machine's clock. Use it for browsers with a real clock. Nil checks
  ///     once, which is sufficient for a manual clock because `advance` returns when all due work is done.
  @discardableResult
  public func expectReport(
    to recipient: Report.Recipient, from sourceSite: String? = nil, on destinationSite: String? = nil,
    sourceIdentifier: Int? = nil, triggerData: Int? = nil, state: Report.State = .delivered, within timeout: Duration? = nil
  ) async throws -> Report {
    let expected = ExpectedReport(
      recipient: recipient, sourceSite: sourceSite, destinationSite: destinationSite, sourceIdentifier: sourceIdentifier,
      triggerData: triggerData, states: [state])
    if let report = try await reports().first(where: expected.isMet) { return report }
    if let timeout, let report = try await wait(for: expected, state, timeout: timeout) { return report }
    let reports = try await reports()
    throw await failure("Expected \(expected), but there is none.", expected, among: reports, about: destinationSite)
  }

  /// Throws an `ExpectationFailure` if a matching report exists that is scheduled, sending, delivered, or failed.
  /// Superseded and cleared reports do not count.
  ///
  /// - Parameters:
  ///   - recipient: The recipient of the report; nil for any.
  ///   - sourceSite: The registrable domain on which the click was made; nil for any.
  ///   - destinationSite: The registrable domain of the click's destination; nil for any.
  ///   - sourceIdentifier: The click's source identifier; nil for any.
  ///   - triggerData: The trigger data of the triggering event; nil for any.
  public func expectNoReport(
    to recipient: Report.Recipient? = nil, from sourceSite: String? = nil, on destinationSite: String? = nil,
    sourceIdentifier: Int? = nil, triggerData: Int? = nil
  ) async throws {
    let unwanted = ExpectedReport(
      recipient: recipient, sourceSite: sourceSite, destinationSite: destinationSite, sourceIdentifier: sourceIdentifier,
      triggerData: triggerData, states: [.scheduled, .sending, .delivered, .failed])
    let reports = try await reports()
    guard let report = reports.first(where: unwanted.isMet) else { return }
    let explanation = try? await explain(.report(report.id))
    throw ExpectationFailure(
      browser: name, expectation: "Expected no report like \(unwanted), but there is one: \(report.id).", reports: reports,
      remarks: [:], explanations: explanation.map { [$0] } ?? [], events: await lastEvents())
  }

  /// Waits for an event that can lead to the state, then reads the reports again, until the deadline.
  private func wait(for expected: ExpectedReport, _ state: Report.State, timeout: Duration) async throws -> Report? {
    guard let kind = state.event else { return nil }
    let clock = ContinuousClock()
    let deadline = clock.now + timeout
    var position = 0
    while clock.now < deadline {
      do {
        let patience = min(deadline - clock.now, .minutes(5))
        position = try await waitFor(kind, after: position, timeout: patience).sequence
      } catch let error as ServiceError where error.status == 200 && error.code == "timed-out" { continue }
      if let report = try await reports().first(where: expected.isMet) { return report }
    }
    return nil
  }

  private func failure(
    _ sentence: String, _ expected: ExpectedReport, among reports: [Report], about destination: String?
  ) async -> ExpectationFailure {
    let events = await lastEvents()
    var explanations: [Explanation] = []
    for host in destination.map({ [$0] }) ?? events.destinations {
      // Earlier services have a log but no explanations.
      if let explanation = try? await explain(.destination(host)) { explanations.append(explanation) }
    }
    let remarks = reports.map { ($0.id, expected.violations(to: $0).joined(separator: ", ")) }
    return ExpectationFailure(
      browser: name, expectation: sentence, reports: reports,
      remarks: Dictionary(remarks, uniquingKeysWith: { first, _ in first }), explanations: explanations, events: events)
  }

  private func lastEvents() async -> [Event] {
    Array(((try? await events()) ?? []).suffix(ExpectationFailure.mostEvents))
  }
}

extension [Event] {
  /// Up to three destinations in the log, the latest first.
  fileprivate var destinations: [String] {
    var seen: [String] = []
    for event in reversed() {
      if let site = event.detail["destinationSite"]?.string, !seen.contains(site), seen.count < 3 { seen.append(site) }
    }
    return seen
  }
}

extension Report.State {
  /// The kind of the event that records the change to this state.
  fileprivate var event: Event.Kind? {
    switch self {
    case .scheduled: .reportScheduled
    case .sending: .reportSent
    case .delivered: .reportDelivered
    case .failed: .reportFailed
    case .superseded: .attributionReplaced
    case .cleared: .dataCleared
    default: nil
    }
  }
}
