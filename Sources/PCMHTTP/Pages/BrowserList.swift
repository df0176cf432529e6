import PCMBrowser
import PCMCore
import PCMPages
import PCMStore

extension ControlAPI {
  /// The number of browsers on a page of the list.
  static var shownBrowsers: Int { 50 }

  /// Returns a page of the list of browsers, the last used one first.
  ///
  /// - Parameters:
  ///   - filter: Text that the name or a label contains; empty for all browsers.
  ///   - page: The number of the page, from 0. The last page for a greater number.
  func browserList(containing filter: String, page: Int64) async throws -> Markup {
    let wanted = filter.lowercased()
    let all = try await browsers.browsers(after: "", limit: Int.max).map {
      (listed: $0, usedAt: browsers.lastUse(of: $0.record))
    }
    let found = all.sorted { ($1.usedAt, $0.listed.record.name) < ($0.usedAt, $1.listed.record.name) }.map(\.listed).filter {
      wanted.isEmpty || $0.searchedTexts.contains { $0.lowercased().contains(wanted) }
    }
    let lastPage = max(found.count - 1, 0) / Self.shownBrowsers
    let first = min(max(Int(clamping: page), 0), lastPage) * Self.shownBrowsers
    var rows: [BrowserRow] = []
    for listed in found.dropFirst(first).prefix(Self.shownBrowsers) {
      // A browser may be deleted meanwhile.
      guard let (browser, configuration) = try? await browsers.description(of: listed.record.name) else { continue }
      if let row = try? await browser.row(configuration.json) { rows.append(row) }
    }
    return HomePage.list(rows, after: first, total: found.count, size: Self.shownBrowsers, filter: filter)
  }
}

extension ListedBrowser {
  /// The name, and the labels as `key=value`.
  fileprivate var searchedTexts: [String] { [record.name] + upkeep.labels.texts }
}

extension Browser {
  /// The maximum number of records of each kind that a row counts.
  static var countedInRow: Int { 100 }

  /// Returns the row of the list.
  fileprivate func row(_ browser: JSON) async throws -> BrowserRow {
    let logEnd = try await logEnd()
    guard logEnd > 0 else { return BrowserRow(browser, lastEvent: nil) }
    let last = try await events(after: logEnd - 1, limit: 1).last?.kind.rawValue
    let kinds: Set<EventKind> = [.clickDiscarded, .clickStored, .ephemeralClickStored, .appInstalled]
    let events = try await eventPage(after: 0, limit: Self.countedInRow, EventSelection(kinds: kinds))
    func count(_ noun: String, _ outcome: String, _ kinds: Set<EventKind>) -> BrowserRow.Count {
      let number = events.items.count { event in
        // An ephemeral click that is stored later is another event of the same click.
        kinds.contains(event.kind) && (event.kind == .appInstalled || event.introduces(RecordName.click(event.sequence)))
      }
      return .init(noun, outcome, number, isPartial: number > 0 && events.next != nil)
    }
    let reports = try await CountedMessages("report") {
      let selection = ReportSelection(states: $0)
      // Only due times need the departures.
      return $0.isEmpty
        ? try await reportPage(selection, limit: Self.countedInRow)
        : try await departingReportPage(selection, limit: Self.countedInRow)
    }
    let postbacks = try await CountedMessages("postback") { try await postbackPage(in: $0, limit: Self.countedInRow) }
    let sent =
      [reports.count("failed", .failed), postbacks.count("failed", .failed)]
      + [reports.count("delivered", .delivered), postbacks.count("delivered", .delivered)]
    let kept = [count("click", "stored", [.clickStored, .ephemeralClickStored]), count("app", "installed", [.appInstalled])]
    return BrowserRow(
      browser, counts: sent + [count("click", "discarded", [.clickDiscarded])] + (sent.contains { $0.number > 0 } ? [] : kept),
      next: [reports.next, postbacks.next].compactMap(\.self).min { $0.at < $1.at }, lastEvent: last)
  }
}

/// Reports or postbacks for a row of the list.
private struct CountedMessages {
  private let noun: String
  private let messages: [OutgoingMessage]
  private let isPartial: Bool
  /// The message that is due next.
  let next: (noun: String, at: Instant)?

  /// - Parameter read: Returns the first page of the messages in some states; in all for none.
  init<Record: OutgoingRecord>(
    _ noun: String, _ read: (Set<OutgoingMessage.State>) async throws -> RecordPage<Record>
  ) async throws {
    let page = try await read([])
    (self.noun, messages, isPartial) = (noun, page.items.map(\.message), page.next != nil)
    let isWaiting = isPartial || messages.contains { $0.state == .scheduled }
    next = (isWaiting ? try await read([.scheduled]).items : []).compactMap(\.message.nextAttemptAt).min().map { (noun, $0) }
  }

  func count(_ outcome: String, _ state: OutgoingMessage.State) -> BrowserRow.Count {
    let number = messages.count { $0.state == state }
    return .init(noun, outcome, number, isPartial: isPartial && number > 0)
  }
}
