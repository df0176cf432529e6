import PCMBrowser
import PCMCore
import PCMPages
import PCMStore

extension Browser {
  /// The most records that a summary counts.
  private static let mostCounted = 500

  func summary() async throws -> BrowserSummary {
    let configuration = configuration
    let logEnd = try await logEnd()
    let last = try await events(after: max(logEnd - 1, 0), limit: 1).last
    return BrowserSummary(
      name: configuration.name, path: PagePath(configuration.name).text, isManual: configuration.clockMode == .manual,
      storage: configuration.storage.rawValue, now: configuration.now.milliseconds,
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
    let page = try await eventPage(after: 0, limit: Self.mostCounted, bytes: .max, EventSelection(kinds: kinds))
    let number = page.items.lazy.compactMap { ShownEvent($0) }.count { isCounted($0) }
    return BrowserSummary.Count(title, number, isPartial: page.next != nil)
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
  /// The number of the newest events that the log view searches, and of those that it shows.
  private static var searchedEvents: Int64 { 5_000 }
  private static var shownEvents: Int { 150 }

  /// - Parameters:
  ///   - kind: The beginning of the kinds; empty for all.
  ///   - text: Text that the event contains, such as a site; empty for all.
  func logView(kind: String, containing text: String) async throws -> LogView {
    let start = max(try await logEnd() - Self.searchedEvents, 0)
    let wanted = text.lowercased()
    let found = try await events(after: start, limit: Int(Self.searchedEvents)).reversed().lazy.filter { event in
      event.kind.rawValue.hasPrefix(kind)
        && (wanted.isEmpty || event.detailWithoutDecision.text.lowercased().contains(wanted)
          || event.kind.rawValue.contains(wanted))
    }
    return LogView(found.prefix(Self.shownEvents).map { LogView.Entry($0) }, omitted: start)
  }

  /// The most reports, and the most postbacks, that the page shows.
  private static var shownMessages: Int { 50 }

  func messagesView() async throws -> MessagesView {
    let reports = try await newest { try await self.reportPage(after: $0, limit: 1_000) }
    let postbacks = try await newest { try await self.postbackPage(after: $0, limit: 1_000) }
    return MessagesView(
      reports.suffix(Self.shownMessages).reversed().map { MessagesView.Message($0) }
        + postbacks.suffix(Self.shownMessages).reversed().map { MessagesView.Message($0) })
  }

  /// The number of the newest events whose records the page shows.
  static var shownHistory: Int64 { 20_000 }

  /// Returns the newest records, of at most five pages.
  func newest<Record: Hashable & Sendable>(
    _ read: (Int64) async throws -> RecordPage<Record>
  ) async throws -> [Record] {
    var position: Int64? = max(try await logEnd() - Self.shownHistory, 0)
    var found: [Record] = []
    for _ in 0..<5 {
      guard let after = position else { break }
      let page = try await read(after)
      found += page.items
      position = page.next
    }
    return found
  }
}

extension LogView.Entry {
  fileprivate init(_ event: LogEvent) {
    let detail = event.detailWithoutDecision
    let members = JSON(parsing: detail.bytes)?.members ?? []
    let codes = members.first { $0.name == "reasons" }?.value.items.compactMap { $0["code"]?.string } ?? []
    // The number of a decision is that of its record.
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
      due: report.dueAt.milliseconds, state: report.state.rawValue, body: report.body,
      attempts: report.attempts.map { MessagesView.Attempt($0) })
  }

  fileprivate init(_ postback: Postback) {
    self.init(
      id: RecordName.postback(postback.id), recipient: postback.recipient == .developer ? "Developer" : "Ad network",
      url: postback.url, due: postback.dueAt.milliseconds, state: postback.state.rawValue, body: postback.body,
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
      phases: phases, response: json["response"]?["body"]?.string ?? "")
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
