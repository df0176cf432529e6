package import PCMCore

/// A row of the list of browsers. It is made from few records, so that the list of many browsers is fast.
package struct BrowserRow: Sendable {
  private let browser: JSON
  private let lastEvent: String?
  private let state: (text: String, tone: String)

  /// A number of records with its nouns: `1 report delivered`, `100+ clicks discarded`.
  package struct Count: Sendable {
    let (noun, outcome): (String, String)
    package let number: Int
    let isPartial: Bool

    /// - Parameter isPartial: Whether there are more records than were counted.
    package init(_ noun: String, _ outcome: String, _ number: Int, isPartial: Bool) {
      (self.noun, self.outcome, self.number, self.isPartial) = (noun, outcome, number, isPartial)
    }

    fileprivate var text: String { "\(number)\(isPartial ? "+" : "") \(noun)\(number == 1 ? "" : "s") \(outcome)" }
  }

  /// - Parameters:
  ///   - browser: The browser as the API returns it.
  ///   - counts: The counts, the most important first. Zeros are omitted.
  ///   - next: The next message that is due: its noun and time; nil without one.
  ///   - lastEvent: The kind of the last event; nil for an empty log.
  package init(_ browser: JSON, counts: [Count] = [], next: (noun: String, at: Instant)? = nil, lastEvent: String?) {
    (self.browser, self.lastEvent) = (browser, lastEvent)
    let present = counts.filter { $0.number > 0 }
    let due = next.map { "next \($0.noun) due \($0.at.shown)" }
    let isWaiting = due != nil && !present.contains { ["delivered", "failed"].contains($0.outcome) }
    let texts = (isWaiting ? [] : present.map(\.text)) + [due.map { isWaiting ? "waiting: \($0)" : $0 }].compactMap(\.self)
    let tone =
      present.contains { $0.outcome == "failed" }
      ? "bad" : due != nil ? "plan" : present.contains { $0.outcome == "delivered" } ? "good" : "quiet"
    state = texts.isEmpty ? ("empty", "quiet") : (texts.joined(separator: ", "), tone)
  }

  private var name: String { browser.text(of: "name") }

  private var labels: [Markup] {
    (browser["labels"]?.members ?? []).map { label in
      let text = "\(label.name)=\(label.value.string ?? "")"
      let path = "/#filter=\(PercentEncoding.component.encode(text))"
      return "<a class=\"badge quiet\" href=\"\(path)\" data-key=\"\(name)-\(text)\">\(text)</a>"
    }
  }

  var markup: Markup {
    let clock = browser["clock"] ?? .null
    return """
      <tr><th scope="row"><a href="\(BrowserPage(name: name).path)" data-key="open-\(name)">\(name)</a></th>\
      <td><span class="badge \(state.tone)">\(state.text)</span></td>\
      <td>\(clock.text(of: "mode")) <time>\(clock.text(of: "now").shownTime)</time></td>\
      <td>\(browser.text(of: "storage"))</td><td>\(labels)</td><td>\(lastEvent ?? "no events")</td>\
      <td><button class="danger" data-delete="\(name)" data-key="delete-\(name)" aria-label="Delete \(name)">Delete</button></td></tr>
      """
  }
}
