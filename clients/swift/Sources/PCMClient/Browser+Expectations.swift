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
    let expected: Members = [
      "recipient": recipient, "sourceSite": sourceSite, "destinationSite": destinationSite,
      "sourceIdentifier": sourceIdentifier, "triggerData": triggerData, "state": state,
    ]
    var left = timeout
    while true {
      let wait = left.map { min($0, Self.longestWait) }
      let result = try await check(["report": expected, "wait": wait], patience: wait)
      if result.met, let report = result.report { return report }
      left = left.map { $0 - Self.longestWait }
      guard let left, left > .zero else { throw ExpectationFailure(browser: name, result) }
    }
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
    let unwanted: Members = [
      "recipient": recipient, "sourceSite": sourceSite, "destinationSite": destinationSite,
      "sourceIdentifier": sourceIdentifier, "triggerData": triggerData,
    ]
    let result = try await check(["noReport": unwanted], patience: nil)
    if !result.met { throw ExpectationFailure(browser: name, result) }
  }

  /// The maximum wait of a call.
  private static let longestWait = Duration.minutes(5)

  private func check(_ body: Members, patience: Duration?) async throws -> ExpectationResult {
    try await connection.call("POST", "\(path)/expectations", body, patience: patience ?? .zero)
  }
}

/// The service's comparison of the reports with an expectation.
struct ExpectationResult: Decodable {
  let met: Bool
  /// The expected report, or the unwanted one.
  let report: Report?
  let explanation: Explanation?
  let text: String
}
