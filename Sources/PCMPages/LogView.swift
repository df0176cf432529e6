package import PCMCore

/// The newest events of a browser's log, newest first.
package enum LogView {
  /// The maximum number of events that the page collects for a download.
  package static let downloadedEventCount = 100_000

  /// The groups of kinds by which the log is filtered: the beginning of the kind, and its title.
  static let groups = [
    (prefix: "click", title: "Clicks"), (prefix: "trigger", title: "Triggering events"),
    (prefix: "attribut", title: "Attributions"), (prefix: "report", title: "Reports"), (prefix: "token", title: "Tokens"),
    (prefix: "impression", title: "Ads"), (prefix: "app", title: "Apps"), (prefix: "conversion", title: "Conversions"),
    (prefix: "postback", title: "Postbacks"), (prefix: "clock", title: "Clock"), (prefix: "settings", title: "Settings"),
    (prefix: "card", title: "Content cards"),
    (prefix: "tracking", title: "Permission to track"), (prefix: "sdk", title: "Measurement SDKs"),
  ]

  /// - Parameters:
  ///   - events: The events as the API returns them, newest first.
  ///   - omitted: The number of events before the searched events.
  ///   - isFiltered: Whether only some events were searched for.
  package static func markup(_ events: [JSON], omitted: Int64, isFiltered: Bool) -> Markup {
    let rest: Markup =
      omitted > 0
      ? "<p class=\"soft\">\(omitted) earlier events are not shown; a download has the newest \(downloadedEventCount).</p>" : ""
    guard !events.isEmpty else {
      return isFiltered ? "\(Markup.noMatch("No events match.", of: "log"))\(rest)" : "<p class=\"empty\">No events yet.</p>"
    }
    return "<ul class=\"entries\">\n\(events.map(entry))\n</ul>\(rest)"
  }

  private static func entry(_ event: JSON) -> Markup {
    let (kind, sequence) = (event.text(of: "kind"), event["sequence"]?.integer ?? 0)
    let detail = event["detail"]?.parsed ?? .null
    let codes = detail["reasons"]?.items.compactMap { $0["code"]?.string } ?? []
    let brief = (values(detail.members, of: EventKind(rawValue: kind)).prefix(4) + codes.prefix(3)).joined(separator: " · ")
    let links = subjects(detail, of: EventKind(rawValue: kind), sequence).prefix(4).map { subject -> Markup in
      "<a href=\"#why=\(subject)\">Why \(subject)?</a>"
    }
    return """
      <li><details data-key="event-\(sequence)"><summary><time>\(event.text(of: "at").shownTime)</time>\
      <span><span class="badge \(tone(kind))">\(kind)</span></span><span>\(brief)</span></summary>
      <div>\(links)<pre>\(detail.indented)</pre></div></details></li>
      """
  }

  /// The tone of a kind, which the text also states.
  private static func tone(_ kind: String) -> String {
    let tones = [
      ("-delivered", "good"), ("attributed", "good"), ("-failed", "bad"), ("-rejected", "bad"), ("-discarded", "bad"),
      ("-dropped", "bad"), ("-unmatched", "doubtful"), ("-expired", "doubtful"), ("-replaced", "doubtful"),
      ("-scheduled", "plan"), ("-stored", "info"), ("-recorded", "info"), ("-handed-over", "info"),
    ]
    return tones.first { kind.hasSuffix($0.0) }?.1 ?? "quiet"
  }

  /// Returns the strings and numbers of an event. The settings of a browser and the properties of a device have their names.
  private static func values(_ members: [JSON.Member], of kind: EventKind) -> [String] {
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

  /// Returns the records that an event names and that have explanations. A decision has the number of its record.
  private static func subjects(_ detail: JSON, of kind: EventKind, _ sequence: Int64) -> [String] {
    let own: [String] =
      switch kind {
      case .clickDiscarded, .clickHandedOver: [RecordName.click(sequence)]
      case .triggerAccepted, .triggerRejected, .triggerIgnored: [RecordName.triggeringEvent(sequence)]
      case .appInstalled: [RecordName.install(sequence)]
      case .trackingRequested: [RecordName.trackingRequest(sequence)]
      default: []
      }
    let kinds = RecordName.Kind.allCases.filter { $0 != .attribution }
    return own + detail.members.compactMap(\.value.string).filter { name in kinds.contains { $0.number(name) != nil } }
  }
}
