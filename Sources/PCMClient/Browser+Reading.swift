extension Browser {
  /// Returns the stored clicks and attributions.
  public func measurements() async throws -> Measurements {
    var all = Measurements(unattributed: [], attributed: [], ephemeral: nil)
    var query = ["limit": "10000"]
    while true {
      let page: MeasurementsPage = try await connection.call("GET", "\(path)/measurements", query: query)
      all = Measurements(
        unattributed: all.unattributed + page.unattributed, attributed: all.attributed + page.attributed,
        ephemeral: page.ephemeral)
      guard let next = page.next, next != query["cursor"] else { return all }
      query["cursor"] = next
    }
  }

  /// Returns the reports in the order in which they were scheduled. Each empty set selects all reports.
  ///
  /// - Parameters:
  ///   - states: Returns only reports in one of these states.
  ///   - recipients: Returns only reports to one of these recipients.
  ///   - sites: Returns only reports whose source or destination is one of these sites, each a host or a registrable domain.
  ///     At most 16.
  public func reports(
    in states: Set<Report.State> = [], to recipients: Set<Report.Recipient> = [], of sites: Set<String> = []
  ) async throws -> [Report] {
    let filters = [("state", states.map(\.rawValue)), ("recipient", recipients.map(\.rawValue)), ("site", Array(sites))]
    let parameters = filters.flatMap { name, values in values.sorted().map { "\(name)=\($0.pathPart)" } }
    let query = (["include=body", "include=response"] + parameters).joined(separator: "&")
    return try await connection.items("\(path)/reports?\(query)")
  }

  /// Returns the reports in one state, in the order in which they were scheduled.
  public func reports(in state: Report.State) async throws -> [Report] { try await reports(in: [state]) }

  /// Returns a report.
  public func report(_ id: String) async throws -> Report {
    try await connection.call("GET", "\(path)/reports/\(id.pathPart)")
  }

  /// Returns the events of the log.
  ///
  /// - Parameters:
  ///   - sequence: Returns only events after this sequence number.
  ///   - subject: Returns only events about this subject: the identifier of a click, an attribution, or a report, the
  ///     bundle identifier of an app, or the registrable domain of a site.
  public func events(after sequence: Int = 0, about subject: String? = nil) async throws -> [Event] {
    try await connection.items("\(path)/events", query: about(subject, ["after": String(sequence)]))
  }

  /// Returns the first event of a kind as soon as it exists.
  ///
  /// - Parameters:
  ///   - kind: The kind of event.
  ///   - sequence: Considers only events after this sequence number.
  ///   - subject: The subject of the event, as in `events`.
  ///   - timeout: The timeout on the machine's clock, up to five minutes.
  /// - Throws: `ServiceError` with the code `timed-out` after the timeout.
  @discardableResult
  public func waitFor(
    _ kind: Event.Kind, after sequence: Int = 0, about subject: String? = nil, timeout: Duration = .seconds(30)
  ) async throws -> Event {
    let query = about(
      subject, ["kind": kind.rawValue, "after": String(sequence), "wait": timeout.wire, "limit": "1"])
    let page: Page<Event> = try await connection.call("GET", "\(path)/events", query: query, patience: timeout)
    guard let event = page.items.first else {
      throw ServiceError(
        status: 200, code: "timed-out", title: "Timed out",
        detail: "no event \(kind) after \(sequence) occurred within \(timeout.wire)",
        request: "GET \(connection.service.url)\(path)/events", isRetryable: true)
    }
    return event
  }

  /// Returns the log as a stream, including future events. The stream ends when the service stops, the browser is deleted,
  /// or the task is cancelled. It reconnects after a broken connection without missing events.
  ///
  /// - Parameters:
  ///   - sequence: Returns only events after this sequence number.
  ///   - subject: Returns only events about this subject, as in `events`.
  public func eventStream(after sequence: Int = 0, about subject: String? = nil) -> EventStream {
    EventStream(connection: connection, path: "\(path)/events", query: about(subject, [:]), start: sequence)
  }

  private func about(_ subject: String?, _ query: [String: String]) -> [String: String] {
    guard let subject else { return query }
    return query.merging(["about": subject]) { given, _ in given }
  }

  /// Returns an explanation of a subject: each rule with its input and verdict.
  ///
  /// - Throws: `ServiceError` with status 404 when the browser has no such subject.
  public func explain(_ subject: Explanation.Subject) async throws -> Explanation {
    try await connection.call("GET", "\(path)/explain", query: ["about": subject.id])
  }
}

/// One page of the stored clicks and attributions.
private struct MeasurementsPage: Decodable {
  let unattributed: [Click]
  let attributed: [Attribution]
  /// The ephemeral click, which every page has.
  let ephemeral: Click?
  let next: String?
}
