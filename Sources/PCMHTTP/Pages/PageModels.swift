import PCMBrowser
import PCMCore
import PCMPages
import PCMStore

extension Browser {
  /// The most records that a summary counts.
  static let mostCounted = 500

  func summary() async throws -> BrowserSummary {
    let configuration = configuration
    let logEnd = try await logEnd()
    let last = try await events(after: max(logEnd - 1, 0), limit: 1).last
    return BrowserSummary(
      name: configuration.name, path: PagePath(configuration.name).text, isManual: configuration.clockMode == .manual,
      storage: configuration.storage.rawValue,
      labels: configuration.upkeep.labels.texts.map { text in
        BrowserSummary.Label(text, path: "/#filter=\(PercentEncoding.component.encode(text))")
      }, now: configuration.now.milliseconds,
      counts: [
        try await count("Clicks", ClickHistory.outcomes, where: \.isOutcomeOfClick),
        try await count("Attributions", [.attributed]) { _ in true },
        try await count("Installs", [.appInstalled]) { _ in true },
        try await count("Scheduled", [.scheduled, .sending]), try await count("Delivered", [.delivered]),
        try await count("Failed", [.failed]),
      ], lastEvent: last.map { "\($0.kind.rawValue)" } ?? "No events yet", logEnd: logEnd)
  }

  /// Counts events of the log, which takes less time than reading their records.
  private func count(
    _ title: String, _ kinds: Set<EventKind>, where isCounted: (ShownEvent) -> Bool
  ) async throws -> BrowserSummary.Count {
    var (position, examined, number): (Int64?, Int, Int) = (0, 0, 0)
    while let after = position, examined < Self.mostCounted {
      let page = try await eventPage(after: after, limit: Self.mostCounted - examined, EventSelection(kinds: kinds))
      number += page.items.lazy.compactMap { ShownEvent($0) }.count { isCounted($0) }
      (position, examined) = (page.next, examined + page.items.count)
    }
    return BrowserSummary.Count(title, number, isPartial: position != nil)
  }

  /// Counts reports and postbacks.
  private func count(_ title: String, _ states: Set<OutgoingMessage.State>) async throws -> BrowserSummary.Count {
    let reports = try await reportPage(ReportSelection(states: states), limit: Self.mostCounted)
    let postbacks = try await postbackPage(in: states, limit: Self.mostCounted)
    return BrowserSummary.Count(
      title, reports.items.count + postbacks.items.count, isPartial: reports.next != nil || postbacks.next != nil)
  }
}

extension Browser {
  /// The number of the newest events that the log view searches, of those that it reads at once, and of those that it shows.
  static var searchedEvents: Int64 { 5_000 }
  private static var eventsAtOnce: Int64 { 250 }
  static var shownEvents: Int { 150 }

  /// - Parameters:
  ///   - kind: The beginning of the kinds; empty for all.
  ///   - text: Text that the event contains, such as a site; empty for all.
  func logView(kind: String, containing text: String) async throws -> LogView {
    let logEnd = try await logEnd()
    let (start, wanted) = (max(logEnd - Self.searchedEvents, 0), text.lowercased())
    var (found, size, end) = ([LogView.Entry](), 0, logEnd)
    while end > start, found.count < Self.shownEvents, size < PageSize.mostBytes {
      let first = max(end - Self.eventsAtOnce, start)
      // The beginning of the log may be later.
      let events = try await events(after: first, limit: Int(end - first)).filter { $0.sequence <= end }
      for event in events.reversed() where event.matches(kind: kind, wanted) {
        found.append(LogView.Entry(event))
        size += event.size
        guard found.count < Self.shownEvents, size < PageSize.mostBytes else { break }
      }
      end = first
    }
    return LogView(found, omitted: start, isFiltered: !kind.isEmpty || !text.isEmpty)
  }

  /// The most reports, and the most postbacks, that the page shows.
  static var shownMessages: Int { 50 }

  func messagesView() async throws -> MessagesView {
    var reports = NewestItems<Report>(count: Self.shownMessages, bytes: PageSize.mostBytes, size: \.size)
    try await visitNewest {
      try await self.departingReportPage(after: $0, limit: 1_000)
    } visit: {
      reports.add($0)
    }
    var postbacks = NewestItems<Postback>(count: Self.shownMessages, bytes: PageSize.mostBytes, size: \.size)
    try await visitNewest {
      try await self.postbackPage(after: $0, limit: 1_000)
    } visit: {
      postbacks.add($0)
    }
    return MessagesView(
      reports.items.reversed().map { MessagesView.Message($0) } + postbacks.items.reversed().map { MessagesView.Message($0) })
  }

  /// The number of the newest events whose records the page shows.
  static var shownHistory: Int64 { 20_000 }

  /// Visits the newest records, of at most five pages. Ends between two pages when the caller has left.
  func visitNewest<Record: Hashable & Sendable>(
    _ read: (Int64) async throws -> RecordPage<Record>, visit: (Record) -> Void
  ) async throws {
    var position: Int64? = max(try await logEnd() - Self.shownHistory, 0)
    for _ in 0..<5 {
      guard let after = position else { break }
      let page = try await read(after)
      page.items.forEach(visit)
      position = page.next
    }
  }
}

extension LogEvent {
  /// - Parameters:
  ///   - kind: The beginning of the kind.
  ///   - text: Text in lowercase that the event contains; empty for any.
  fileprivate func matches(kind: String, _ text: String) -> Bool {
    self.kind.rawValue.hasPrefix(kind)
      && (text.isEmpty || self.kind.rawValue.contains(text) || detailWithoutDecision.text.lowercased().contains(text))
  }
}

extension LogView.Entry {
  fileprivate init(_ event: LogEvent) {
    let detail = event.detailWithoutDecision
    let members = JSON(parsing: detail.bytes)?.members ?? []
    let codes = members.first { $0.name == "reasons" }?.value.items.compactMap { $0["code"]?.string } ?? []
    // A decision has the number of its record.
    let own: [String] =
      switch event.kind {
      case .clickDiscarded: [RecordName.click(event.sequence)]
      case .triggerAccepted, .triggerRejected, .triggerIgnored: [RecordName.triggeringEvent(event.sequence)]
      case .appInstalled: [RecordName.install(event.sequence)]
      default: []
      }
    let named =
      own
      + members.compactMap(\.value.string).filter { name in
        Self.explained.contains { $0.number(name) != nil }
      }
    self.init(
      sequence: event.sequence, at: event.at.milliseconds, kind: event.kind.rawValue,
      brief: (Self.texts(members, of: event.kind).prefix(4) + codes.prefix(3)).joined(separator: " · "),
      detail: IndentedJSON.text(detail), subjects: Array(named.prefix(4)))
  }

  /// The kinds of records that have explanations.
  private static let explained = RecordName.Kind.allCases.filter { $0 != .attribution }

  /// Returns the strings and numbers of an event. The settings of a browser and the properties of a device have their names.
  private static func texts(_ members: [JSON.Member], of kind: EventKind) -> [String] {
    func named(_ members: [JSON.Member]) -> [String] {
      members.compactMap { member in
        let text = member.value.string ?? member.value.integer.map { "\($0)" } ?? member.value.flag.map { "\($0)" }
        return text.map { "\(member.name) \($0)" }
      }
    }
    switch kind {
    case .settingsChanged: return named(members)
    case .deviceChanged: return named(members.flatMap(\.value.members))
    default: return members.compactMap { member in member.value.string ?? member.value.integer.map { "\(member.name) \($0)" } }
    }
  }
}

extension MessagesView.Message {
  fileprivate init(_ report: Report) {
    self.init(
      id: RecordName.report(report.id), recipient: report.recipient == .source ? "Source" : "Destination", url: report.url,
      due: report.dueAt.milliseconds, state: report.state.rawValue, head: report.requestHead, body: report.body, decoded: nil,
      attempts: report.attempts.map { MessagesView.Attempt($0) })
  }

  fileprivate init(_ postback: Postback) {
    self.init(
      id: RecordName.postback(postback.id), recipient: postback.recipient == .developer ? "Developer" : "Ad network",
      url: postback.url, due: postback.dueAt.milliseconds, state: postback.state.rawValue, head: postback.requestHead,
      body: postback.body, decoded: DecodedSignature(in: postback.body),
      attempts: postback.attempts.map { MessagesView.Attempt($0) })
  }
}

extension MessagesView.Attempt {
  /// - Parameter text: The attempt as it is stored, which is JSON.
  fileprivate init(_ text: String) {
    let json = JSON(parsing: Array(text.utf8)) ?? .null
    let error = json["error"]?["detail"]?.string
    let status = json["httpStatus"]?.integer.map { "Status \($0)" }
    let names = [("dns", "DNS"), ("connect", "Connect"), ("tls", "TLS"), ("firstByte", "First byte"), ("total", "Body")]
    let phases = names.compactMap { name, title in
      json["timings"]?[name]?.string.flatMap(Self.microseconds).map { MessagesView.Phase(title, end: $0) }
    }
    self.init(
      at: json["at"]?.string ?? "", outcome: error ?? status ?? "No response",
      isDelivered: error == nil,
      phases: phases, response: Self.response(in: json))
  }

  /// Returns the recorded response: its status line, its media type, and the beginning of its body.
  private static func response(in attempt: JSON) -> String {
    guard let response = attempt["response"], let status = attempt["httpStatus"]?.integer else { return "" }
    let version = attempt["httpVersion"]?.string.map { "HTTP/\($0) " } ?? ""
    let type = response["contentType"]?.string.map { "\ncontent-type: \($0)" } ?? ""
    let body = response["body"]?.string ?? ""
    let rest = response["truncated"] == .bool(true) ? "…" : ""
    return "\(version)\(status)\(type)" + (body.isEmpty ? "" : "\n\n\(body)\(rest)")
  }

  /// Reads `PT0.001234S`.
  static func microseconds(_ text: String) -> Int64? {
    let parts = text.dropFirst(2).dropLast().split(separator: ".")
    guard parts.count == 2, let seconds = Int64(parts[0]), let rest = Int64(parts[1]) else { return nil }
    return seconds * 1_000_000 + rest
  }
}

extension ExplanationView {
  init(_ explanation: Explanation) {
    self.init(
      subject: explanation.subject.id, summary: explanation.summary,
      steps: explanation.steps.map { step in
        Step(
          title: step.id, at: step.at.milliseconds, outcome: step.outcome, rules: step.rules.map { Rule($0) })
      })
  }
}

extension ExplanationView.Rule {
  fileprivate init(_ verdict: Explanation.Verdict) {
    let kind: ExplanationView.Verdict =
      switch verdict.kind {
      case .passed: .passed
      case .failed: .failed
      case .notReached: .notReached
      }
    let values = (verdict.inputs.flatMap { JSON(parsing: $0.bytes) }?.members ?? []).map { member in
      "\(member.name): \(member.value.string ?? member.value.text)"
    }
    self.init(
      name: verdict.rule, verdict: kind, values: values, reason: verdict.reason?.detail ?? "", change: verdict.change ?? "")
  }
}
