/// The newest events of a browser's log, newest first.
package struct LogView: Hashable, Sendable {
  private let entries: [Entry]
  private let omitted: Int64
  private let isFiltered: Bool

  package struct Entry: Hashable, Sendable {
    fileprivate let sequence: Int64
    fileprivate let at: Int64
    fileprivate let kind: String
    fileprivate let brief: String
    fileprivate let detail: String
    fileprivate let subjects: [String]

    /// - Parameters:
    ///   - brief: The most important values in one line.
    ///   - detail: The detail, as indented JSON.
    ///   - subjects: The records that can be explained.
    package init(sequence: Int64, at: Int64, kind: String, brief: String, detail: String, subjects: [String]) {
      self.sequence = sequence
      self.at = at
      self.kind = kind
      self.brief = brief
      self.detail = detail
      self.subjects = subjects
    }
  }

  /// The maximum number of events that the page collects for a download.
  package static let downloadedEventCount = 100_000

  /// The groups of kinds by which the log is filtered: the beginning of the kind, and its title.
  package static let groups = [
    (prefix: "click", title: "Clicks"), (prefix: "trigger", title: "Triggering events"),
    (prefix: "attribut", title: "Attributions"), (prefix: "report", title: "Reports"), (prefix: "token", title: "Tokens"),
    (prefix: "impression", title: "Ads"), (prefix: "app", title: "Apps"), (prefix: "conversion", title: "Conversions"),
    (prefix: "postback", title: "Postbacks"), (prefix: "clock", title: "Clock"), (prefix: "settings", title: "Settings"),
  ]

  /// - Parameters:
  ///   - omitted: The number of events before those that were searched.
  ///   - isFiltered: Whether only some events were searched for.
  package init(_ entries: [Entry], omitted: Int64, isFiltered: Bool) {
    self.entries = entries
    self.omitted = omitted
    self.isFiltered = isFiltered
  }

  package var markup: Markup {
    let rest: Markup =
      omitted > 0
      ? "<p class=\"soft\">\(omitted) earlier events are not shown; a download has the newest \(Self.downloadedEventCount).</p>"
      : ""
    guard !entries.isEmpty else {
      return isFiltered
        ? "\(FilterView.noMatch("No events match.", of: "log"))\(rest)" : "<p class=\"empty\">No events yet.</p>"
    }
    return "<ul class=\"entries\">\n\(entries.map(\.markup))\n</ul>\(rest)"
  }
}

extension LogView.Entry {
  /// The tone of a kind, which the text also states.
  private var tone: String {
    let tones = [
      ("-delivered", "good"), ("attributed", "good"), ("-failed", "bad"), ("-rejected", "bad"), ("-discarded", "bad"),
      ("-dropped", "bad"), ("-unmatched", "doubtful"), ("-expired", "doubtful"), ("-replaced", "doubtful"),
      ("-scheduled", "plan"), ("-stored", "info"), ("-recorded", "info"),
    ]
    return tones.first { kind.hasSuffix($0.0) }?.1 ?? "quiet"
  }

  fileprivate var markup: Markup {
    let links = subjects.map { subject -> Markup in "<a href=\"#why=\(subject)\">Why \(subject)?</a>" }
    return """
      <li><details data-key="event-\(sequence)"><summary><time>\(PageTime(milliseconds: at).text)</time>\
      <span><span class="badge \(tone)">\(kind)</span></span><span>\(brief)</span></summary>
      <div>\(links)<pre>\(detail)</pre></div></details></li>
      """
  }
}
