extension Browser {
  /// Returns the clicks that were posted, in their order.
  ///
  /// - Parameters:
  ///   - states: The states of the clicks to return; empty for all.
  ///   - sites: Hosts. The site of the click's source or destination is a site of one of them; empty for all.
  public func clicks(in states: Set<ClickOutcome.State> = [], about sites: Set<String> = []) async throws -> [ClickOutcome] {
    try await connection.items("\(path)/clicks", filters: ["state": Set(states.map(\.rawValue)), "site": sites])
  }

  /// Returns a click.
  ///
  /// - Parameter id: The identifier of the click, such as `click-12`.
  public func click(_ id: String) async throws -> ClickOutcome {
    try await connection.call("GET", "\(path)/clicks/\(id.pathPart)")
  }

  /// Returns the triggering events in the order of their decisions.
  ///
  /// - Parameters:
  ///   - outcomes: The outcomes of the events to return; empty for all.
  ///   - sites: Hosts. The site of the click's source, its destination, or the page is a site of one of them; empty for all.
  public func triggeringEvents(
    with outcomes: Set<TriggerOutcome.Outcome> = [], about sites: Set<String> = []
  ) async throws -> [TriggerOutcome] {
    try await connection.items("\(path)/triggering-events", filters: ["outcome": Set(outcomes.map(\.rawValue)), "site": sites])
  }

  /// Returns a triggering event.
  ///
  /// - Parameter id: The identifier of the event, such as `triggering-event-13`.
  public func triggeringEvent(_ id: String) async throws -> TriggerOutcome {
    try await connection.call("GET", "\(path)/triggering-events/\(id.pathPart)")
  }

  /// Returns the attributions in their order.
  ///
  /// - Parameters:
  ///   - states: The states of the attributions to return; empty for all.
  ///   - sites: Hosts. The site of the source or the destination is a site of one of them; empty for all.
  public func attributions(
    in states: Set<Attribution.State> = [], about sites: Set<String> = []
  ) async throws -> [Attribution] {
    try await connection.items("\(path)/attributions", filters: ["state": Set(states.map(\.rawValue)), "site": sites])
  }

  /// Returns an attribution.
  ///
  /// - Parameter id: The identifier of the attribution, such as `attribution-14`.
  public func attribution(_ id: String) async throws -> Attribution {
    try await connection.call("GET", "\(path)/attributions/\(id.pathPart)")
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
    try await connection.items(
      "\(path)/reports",
      filters: [
        "include": ["body", "response"], "state": Set(states.map(\.rawValue)), "recipient": Set(recipients.map(\.rawValue)),
        "site": sites,
      ])
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
  /// or the task is canceled. It reconnects after a broken connection without missing events.
  ///
  /// - Parameters:
  ///   - sequence: Returns only events after this sequence number.
  ///   - subject: Returns only events about this subject, as in `events`.
  public func eventStream(after sequence: Int = 0, about subject: String? = nil) -> EventStream {
    EventStream(connection: connection, path: "\(path)/events", query: about(subject, ["after": String(sequence)]))
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

  /// Returns the history of the browser as a scenario file in YAML, which `pcm-browser run` replays to the same log.
  ///
  /// - Throws: `ServiceError` with status 409 for a browser on the real clock, for a history beyond the limits of a scenario, and
  ///   after an interrupted call.
  public func scenario() async throws -> String {
    String(decoding: try await connection.send("GET", "\(path)/scenario", accept: "application/yaml"), as: UTF8.self)
  }
}
