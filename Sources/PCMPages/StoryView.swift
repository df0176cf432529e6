import PCMCore

/// The history of a browser as rows, oldest first. A row selects its item.
package enum StoryView {
  /// The maximum number of rows.
  package static let mostRows = 300

  /// - Parameters:
  ///   - isMessages: Whether to show reports and postbacks only.
  ///   - text: Text in any case that the rows contain; empty for all.
  ///   - most: The maximum number of rows, the newest.
  package static func markup(
    _ history: BrowserHistory, apps: [Int64: String], isMessages: Bool, containing text: String, most: Int = mostRows
  ) -> Markup {
    let wanted = text.lowercased()
    let found = history.story(apps: apps).filter { item in
      (!isMessages || item.isMessage)
        && (wanted.isEmpty
          || ([item.title, item.outcome, item.id] + item.facts).contains { $0.lowercased().contains(wanted) })
    }
    guard !found.isEmpty else {
      guard text.isEmpty else { return .noMatch("Nothing matches.", of: "story") }
      return isMessages
        ? "<p class=\"empty\">No reports yet. An attribution schedules two.</p>"
        : "<p class=\"empty\">Nothing happened yet.</p>"
    }
    let shown = found.suffix(most)
    let rest: Markup =
      found.count > shown.count
      ? "<li class=\"soft rest\">\(found.count - shown.count) earlier items match. Filter to find them.</li>" : ""
    var date = ""
    let rows = shown.map { item -> Markup in
      let heading: Markup = item.start.date == date ? "" : "<li class=\"date\">\(item.start.date)</li>\n"
      date = item.start.date
      return "\(heading)\(row(item, view: isMessages ? "view=reports&" : ""))"
    }
    return "<ol class=\"rows\">\(rest)\n\(rows)\n</ol>"
  }

  private static func row(_ item: HistoryItem, view: String) -> Markup {
    let badge: Markup =
      item.outcome.isEmpty ? "" : "<span class=\"badge \(item.kind.tone(item.outcome))\">\(item.outcome)</span>"
    let facts = ((item.id.isEmpty ? [] : [item.id]) + item.facts).joined(separator: " · ")
    let content: Markup = """
      <time datetime="\(item.start.text)">\(item.start.time)Z</time>\
      <b>\(item.title)</b>\(badge)<small>\(facts)</small>
      """
    guard !item.id.isEmpty else { return "<li><div>\(content)</div></li>" }
    return """
      <li><a href="#\(view)why=\(PercentEncoding.component.encode(item.id))" data-key="row-\(item.id)-\(item.row)">\(content)</a></li>
      """
  }
}

extension HistoryItem.Kind {
  /// The tone of the outcome, which the text also states.
  func tone(_ outcome: String) -> String {
    switch self {
    case .attributed, .delivered: "good"
    case .rejected, .failed: "bad"
    case .unmatched: "doubtful"
    case .scheduled: "plan"
    case .click: outcome == "attributed" ? "good" : ["lost", "expired"].contains(outcome) ? "doubtful" : "info"
    case .ad, .install, .value: "info"
    case .window, .conversion, .ignored, .dropped, .note: "quiet"
    }
  }
}
