extension Browser {
  /// What the browser has stored: clicks that wait, and attributions.
  public func measurements() async throws -> Measurements {
    try await connection.call("GET", "\(path)/measurements")
  }

  /// The reports, in the order in which they were scheduled.
  ///
  /// - Parameter state: Only those in this state; nil for all.
  public func reports(_ state: Report.State? = nil) async throws -> [Report] {
    try await connection.items("\(path)/reports", query: state.map { ["state": $0.rawValue] } ?? [:])
  }

  /// One report.
  public func report(_ id: String) async throws -> Report {
    try await connection.call("GET", "\(path)/reports/\(id.pathPart)")
  }

  /// What happened so far.
  ///
  /// - Parameters:
  ///   - sequence: Events up to this one are left out.
  ///   - subject: Only events about this one: a click, an attribution or a report by its name, an app by its bundle
  ///     identifier, a site by its registrable domain.
  public func events(after sequence: Int = 0, about subject: String? = nil) async throws -> [Event] {
    try await connection.items("\(path)/events", query: about(subject, ["after": String(sequence)]))
  }

  /// Returns the first event of a kind as soon as there is one.
  ///
  /// - Parameters:
  ///   - kind: What is waited for.
  ///   - sequence: Events up to this one do not count.
  ///   - subject: What it must be about, as with `events`.
  ///   - timeout: Of the machine's time, five minutes at most.
  /// - Throws: `ServiceError` with status 408 when the time has run out.
  @discardableResult
  public func waitFor(
    _ kind: Event.Kind, after sequence: Int = 0, about subject: String? = nil, timeout: Duration = .seconds(30)
  ) async throws -> Event {
    let query = about(subject, ["waitFor": kind.rawValue, "after": String(sequence), "timeout": timeout.wire])
    let page: Page<Event> = try await connection.call("GET", "\(path)/events", query: query, patience: timeout)
    guard let event = page.items.first else {
      throw ServiceError(
        status: 200, name: nil, title: "an answer without an event", detail: "no event \(kind) came", errors: [],
        request: "GET \(connection.service.url)\(path)/events")
    }
    return event
  }

  /// The log as it grows. Ends only when the service or the browser does, or with the task; a connection that breaks is
  /// opened again, and nothing is missed.
  ///
  /// - Parameters:
  ///   - sequence: Events up to this one are left out.
  ///   - subject: Only events about this one, as with `events`.
  public func eventStream(after sequence: Int = 0, about subject: String? = nil) -> EventStream {
    EventStream(connection: connection, path: "\(path)/events", query: about(subject, [:]), start: sequence)
  }

  private func about(_ subject: String?, _ query: [String: String]) -> [String: String] {
    guard let subject else { return query }
    return query.merging(["about": subject]) { given, _ in given }
  }

  /// Why something happened, or did not: every rule that was asked, what it saw and what it said.
  ///
  /// - Throws: `ServiceError` with status 404 for a subject that the browser does not know.
  public func explain(_ subject: Explanation.Subject) async throws -> Explanation {
    try await connection.call("GET", "\(path)/explain", query: [subject.kind.rawValue: subject.id])
  }
}
