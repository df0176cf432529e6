package import PCMBrowser
import PCMCore
import PCMDevice
package import PCMPages
import PCMStore

// The contents of the parts of a browser's page. Views get records as the API returns them.

extension Browser {
  /// The number of the newest events whose records the page shows.
  static var shownHistory: Int64 { 20_000 }
  /// The numbers of newest events that the log view searches, reads at once, and shows.
  static var searchedEvents: Int64 { 5_000 }
  private static var eventsAtOnce: Int64 { 250 }
  static var shownEvents: Int { 150 }
  /// The most reports, and the most postbacks, that the page shows.
  static var shownMessages: Int { 50 }
  /// The most content cards that the page shows.
  static var shownCards: Int { 100 }

  /// The properties at the top of the browser's page.
  func summaryView() async throws -> Markup {
    BrowserSummary(try await configuration().json, logEnd: try await logEnd()).markup
  }

  /// - Parameters:
  ///   - kind: The beginning of the kinds; empty for all.
  ///   - text: Text that the event contains, such as a site; empty for all.
  func logView(kind: String, containing text: String) async throws -> Markup {
    let logEnd = try await logEnd()
    let (start, wanted) = (max(logEnd - Self.searchedEvents, 0), text.lowercased())
    var (found, size, end) = ([JSON](), 0, logEnd)
    while end > start, found.count < Self.shownEvents, size < PageSize.mostBytes {
      let first = max(end - Self.eventsAtOnce, start)
      // The beginning of the log may be later.
      let events = try await events(after: first, limit: Int(end - first)).filter { $0.sequence <= end }
      for event in events.reversed() where event.matches(kind: kind, wanted) {
        found.append(event.json)
        size += event.size
        guard found.count < Self.shownEvents, size < PageSize.mostBytes else { break }
      }
      end = first
    }
    return LogView.markup(found, omitted: start, isFiltered: !kind.isEmpty || !text.isEmpty)
  }

  /// Returns the request and the responses of a report or a postback; nil for another record.
  ///
  /// - Parameter shown: Returns JSON as it is shown.
  func messageView(_ name: String, shown: (JSON) -> JSON) async throws -> Markup? {
    if RecordName.Kind.report.number(name) != nil {
      let report = try await report(named: name)
      return MessageView.markup(shown(report.json), head: report.requestHead)
    }
    guard RecordName.Kind.postback.number(name) != nil else { return nil }
    let postback = try await postback(named: name)
    return MessageView.markup(shown(postback.json), head: postback.requestHead)
  }

  func answer(_ history: BrowserHistory) async throws -> AnswerView {
    let (apps, configuration) = (try await appsByItemIdentifier(), try await configuration())
    return AnswerView(history, apps: apps, now: configuration.now, isManual: configuration.clockMode == ClockMode.manual)
  }

  func storyView(
    _ history: BrowserHistory, isMessages: Bool, containing text: String, most: Int = StoryView.mostRows
  ) async throws -> Markup {
    StoryView.markup(
      history, apps: try await appsByItemIdentifier(), isMessages: isMessages, containing: text, most: most)
  }

  func appsView() async throws -> Markup {
    AppsView.markup(try await registeredApps(after: "", limit: Self.shownCards, bytes: PageSize.mostBytes).map(\.json))
  }

  func cardsView() async throws -> Markup {
    let (cards, now) = try await cards(of: nil, after: -1, limit: Self.shownCards + 1)
    return CardsView.markup(
      cards.prefix(Self.shownCards).map { ($0.bundleIdentifier, $0.json(at: now)) }, of: record.name,
      hasMore: cards.count > Self.shownCards)
  }

  func trackingView() async throws -> Markup {
    var (requests, page): ([SDKRequest], [SDKRequest]) = ([], [])
    repeat {
      let start = max(try await logEnd() - Self.shownHistory, 0)
      page = try await sdkRequests(after: page.last?.id ?? start, limit: 1_000)
      requests = (requests + page).suffix(Self.shownMessages)
    } while page.count == 1_000
    return TrackingView.markup(
      apps: try await trackedApps(limit: Self.shownMessages).map(\.json), requests: requests.reversed().map(\.json),
      of: record.name)
  }

  func charts(width: Int) async throws -> Markup {
    var charts = BrowserCharts()
    try await visitNewest {
      try await self.attributions(after: $0, limit: 1_000)
    } visit: {
      charts.add(attribution: $0.json)
    }
    try await visitNewest {
      try await self.reportPage(after: $0, limit: 1_000)
    } visit: {
      charts.add(report: $0.json)
    }
    try await visitNewest {
      try await self.postbackPage(after: $0, limit: 1_000)
    } visit: {
      charts.add(postback: $0.json)
    }
    return charts.markup(width: width)
  }

  /// The whole timeline for a report; nil without clicks, triggering events, and messages.
  package func stillTimeline() async throws -> TimelineView? {
    let timeline = try await timeline(try await shownHistory(), in: nil, width: 960)
    return timeline.isEmpty ? nil : timeline
  }

  /// - Parameter range: The visible time in milliseconds since 1970; nil for everything.
  func timeline(_ history: BrowserHistory, in range: Range<Int64>?, width: Int) async throws -> TimelineView {
    TimelineView(
      history, apps: history.hasDevice ? try await appsByItemIdentifier() : [:], now: try await configuration().now,
      range: range, width: width, omitted: max(try await logEnd() - Self.shownHistory, 0))
  }

  /// The newest events and their records.
  func shownHistory() async throws -> BrowserHistory {
    let end = try await logEnd()
    var history = BrowserHistory()
    var position: Int64? = max(end - Self.shownHistory, 0)
    while let after = position, after < end {
      let page = try await eventPage(after: after, limit: 10_000, EventSelection(kinds: BrowserHistory.kinds))
      for event in page.items { history.add(event: event.json) }
      position = page.next
    }
    try await visitNewest {
      try await self.triggeringEvents(after: $0, limit: 1_000)
    } visit: {
      history.add(triggeringEvent: $0.json)
    }
    try await visitNewest {
      try await self.attributions(after: $0, limit: 1_000)
    } visit: {
      history.add(attribution: $0.json)
    }
    try await visitNewest {
      try await self.departingReportPage(after: $0, limit: 1_000)
    } visit: {
      history.add(report: $0.json)
    }
    try await visitNewest {
      try await self.postbackPage(after: $0, limit: 1_000)
    } visit: {
      history.add(postback: $0.json)
    }
    return history
  }

  /// Visits the records that the newest events made. Ends between two pages when the caller has left.
  private func visitNewest<Record: Hashable & Sendable>(
    _ read: (Int64) async throws -> RecordPage<Record>, visit: (Record) -> Void
  ) async throws {
    let end = try await logEnd()
    var position: Int64? = max(end - Self.shownHistory, 0)
    while let after = position, after < end {
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
