package import PCMCore

/// A summary of a browser's state: failed messages first, then delivered messages, discarded clicks, unmatched events, and the
/// time of the next message.
package struct AnswerView {
  private let items: [HistoryItem]
  private let now: Instant
  private let isManual: Bool

  /// - Parameters:
  ///   - apps: The bundle identifiers of the registered apps by their identifiers in the App Store.
  ///   - now: The time of the browser's clock.
  ///   - isManual: Whether a call moves the clock.
  package init(_ history: BrowserHistory, apps: [Int64: String], now: Instant, isManual: Bool) {
    (items, self.now, self.isManual) = (history.story(apps: apps), now, isManual)
  }

  /// The record that answers most questions: the last failure, or else the last message that was delivered or waits, or else the
  /// last item; nil for an empty history.
  var featured: String? {
    let kinds: [HistoryItem.Kind] = [.failed, .delivered, .scheduled]
    let first = kinds.lazy.compactMap { kind in items.last { $0.kind == kind } }.first
    return (first ?? items.last { $0.kind == .rejected || $0.kind == .unmatched } ?? items.last { !$0.id.isEmpty })?.id
  }

  package var markup: Markup {
    guard !items.isEmpty else {
      return "Nothing happened yet. Play the example, or make a call."
    }
    let failed = sentence(of: items.filter { $0.kind == .failed }, "failed")
    let delivered = sentence(of: items.filter { $0.kind == .delivered }, "delivered")
    let lost = [HistoryItem.Kind.rejected, .unmatched].map { kind in
      let grouped = Dictionary(grouping: items.filter { $0.kind == kind }, by: \.outcome).sorted { $0.key < $1.key }
      return grouped.map { sentence(of: $0.value, $0.key) }
    }
    return "<span data-featured=\"\(featured ?? "")\">\([failed, delivered] + lost.flatMap { $0 } + [waiting, next])</span>"
  }

  /// Returns the number of items with a link to the last, and its reason.
  private func sentence(of items: [HistoryItem], _ outcome: String) -> Markup {
    guard let last = items.last else { return .none }
    let nouns = Dictionary(grouping: items, by: \.noun).sorted { $0.key < $1.key }.map { noun, items in
      "\(items.count) \(noun)\(items.count == 1 ? "" : "s")"
    }
    let text = "\(nouns.joined(separator: " and ")) \(outcome)"
    let reason: Markup = last.reason.map { "\(items.count == 1 ? ": " : ", the last because ")\($0.asShown(upTo: 200))" } ?? ""
    return "<span class=\"\(last.kind.tone(outcome))\"><a href=\"#why=\(last.id)\">\(text)</a>\(reason).</span>"
  }

  /// The clicks that wait for a triggering event, if nothing else happened.
  private var waiting: Markup {
    let stored = items.filter { $0.kind == .click && ["stored", "held"].contains($0.outcome) }
    guard let click = stored.last, !items.contains(where: { $0.isMessage }) else { return .none }
    let count = "\(stored.count) click\(stored.count == 1 ? " waits" : "s wait")"
    return """
      <span><a href="#why=\(click.id)">\(count)</a> for a triggering event\
      \(click.end.map { " until \($0.shown)" } ?? "").</span>
      """
  }

  private var next: Markup {
    let scheduled = items.filter { $0.kind == .scheduled }.sorted { $0.start < $1.start }
    guard let first = scheduled.first else { return "<span>Nothing is due.</span>" }
    let left = first.start > now ? "in \((first.start - now).words)" : "now"
    let rest = scheduled.count == 1 ? "" : ", and \(scheduled.count - 1) later"
    let button: Markup =
      isManual
      ? " <button type=\"button\" class=\"main\" data-until=\"toNextEvent\" data-key=\"go\">Go there</button>" : ""
    return """
      <span>Next: <a href="#why=\(first.id)">\(first.title)</a> is due \(left), at \
      <time>\(first.start.shown)</time>\(rest).\(button)</span>
      """
  }
}

extension HistoryItem {
  /// The plain noun for counts.
  fileprivate var noun: String {
    switch RecordName.Kind.allCases.first(where: { $0.number(id) != nil }) {
    case .click: "click"
    case .triggeringEvent: "triggering event"
    case .report: "report"
    case .postback: "postback"
    case .impression: "ad"
    case .install: "install"
    case .conversion: "conversion value"
    default: "event"
    }
  }
}
