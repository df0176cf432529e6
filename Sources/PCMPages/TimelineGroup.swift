import PCMCore

/// Items of a timeline that fall on the same place, and are drawn as one.
struct TimelineGroup {
  struct Place: Hashable, Comparable {
    let row: Int
    let isBar: Bool
    let kind: HistoryItem.Kind
    let bucket: Int

    /// Bars are below marks.
    static func < (left: Place, right: Place) -> Bool {
      if left.isBar != right.isBar { return left.isBar }
      return (left.row, left.bucket, left.kind.rawValue) < (right.row, right.bucket, right.kind.rawValue)
    }
  }

  let place: Place
  let items: [HistoryItem]

  /// A link to the explanation of the item, or to a closer look at the items.
  func markup(in timeline: TimelineView, y: Int) -> Markup {
    let start = items.map(\.start).min() ?? .earliest
    let (from, x) = (start.shown, timeline.x(start.milliseconds))
    let end = timeline.x(items.map(\.last.milliseconds).max() ?? 0)
    let ring: Markup =
      items.contains(where: \.isCopy) ? "<circle class=\"ring\" cx=\"\(x)\" cy=\"\(y)\" r=\"10\"/>" : ""
    let shape: Markup = "\(ring)\(place.kind.shape(x: x, to: end, y: y))"
    guard items.count > 1, let first = items.first else {
      let title = "\(items.first?.label ?? ""), \(from)"
      let id = items.first?.id ?? ""
      return
        "<a href=\"#why=\(id)\" data-key=\"\(place.kind.rawValue)-\(id)-\(place.row)\" aria-label=\"\(title)\">\(shape)</a>"
    }
    let title = "\(items.count) × \(place.kind.title), from \(from); the first is \(first.id)"
    let count: Markup =
      place.isBar ? "" : "<text class=\"many\" x=\"\(x + 8)\" y=\"\(y + 4)\">\(items.count)</text>"
    return """
      <a href="#why=\(first.id)" data-key="\(place.kind.rawValue)-\(first.id)-\(place.row)" aria-label="\(title)">\(shape)\(count)</a>
      """
  }
}

extension HistoryItem.Kind {
  var isBar: Bool { self == .click || self == .window || self == .conversion }

  fileprivate var title: String {
    switch self {
    case .click: "click"
    case .attributed: "attributed event"
    case .unmatched: "unmatched event"
    case .rejected: "rejected event"
    case .ignored: "ignored load"
    case .window: "sending window"
    case .scheduled: "scheduled message"
    case .delivered: "delivered message"
    case .failed: "failed message"
    case .dropped: "replaced or cleared message"
    case .ad: "ad"
    case .install: "install"
    case .conversion: "conversion window"
    case .value: "conversion value"
    case .note: "event"
    }
  }

  /// Kinds differ in shape, not only in color.
  fileprivate func shape(x: Int, to end: Int, y: Int) -> Markup {
    let width = max(end - x, 3)
    switch self {
    case .click:
      return """
        <rect class="life" x="\(x)" y="\(y - 6)" width="\(width)" height="12" rx="6"/><circle class="dot" cx="\(x)" cy="\(y)" r="6"/>
        """
    case .window: return "<rect class=\"window\" x=\"\(x)\" y=\"\(y - 6)\" width=\"\(width)\" height=\"12\" rx=\"3\"/>"
    case .attributed: return "<path class=\"attributed\" d=\"M\(x) \(y - 7)l7 7-7 7-7-7z\"/>"
    case .unmatched: return "<path class=\"unmatched\" d=\"M\(x) \(y - 6)l6 11h-12z\"/>"
    case .rejected: return "<path class=\"rejected\" d=\"M\(x - 5) \(y - 5)l10 10m0-10l-10 10\"/>"
    case .ignored: return "<circle class=\"ignored\" cx=\"\(x)\" cy=\"\(y)\" r=\"3\"/>"
    case .scheduled: return "<circle class=\"scheduled\" cx=\"\(x)\" cy=\"\(y)\" r=\"5\"/>"
    case .delivered:
      return """
        <circle class="delivered" cx="\(x)" cy="\(y)" r="7"/><path class="check" d="M\(x - 3) \(y)l2 3 4-5"/>
        """
    case .failed: return "<rect class=\"failed\" x=\"\(x - 5)\" y=\"\(y - 5)\" width=\"10\" height=\"10\"/>"
    case .dropped: return "<circle class=\"dropped\" cx=\"\(x)\" cy=\"\(y)\" r=\"5\"/>"
    case .ad: return "<path class=\"ad\" d=\"M\(x - 6) \(y - 5)h12v8h-12zM\(x - 3) \(y + 6)h6\"/>"
    case .install: return "<path class=\"install\" d=\"M\(x) \(y - 7)v9m-4 -4l4 4 4-4M\(x - 6) \(y + 6)h12\"/>"
    case .conversion: return "<rect class=\"conversion\" x=\"\(x)\" y=\"\(y - 6)\" width=\"\(width)\" height=\"12\" rx=\"3\"/>"
    case .note: return .none
    case .value: return "<circle class=\"value\" cx=\"\(x)\" cy=\"\(y)\" r=\"4\"/>"
    }
  }
}

extension TimelineView {
  private static let webMeanings: [(HistoryItem.Kind, String)] = [
    (.click, "Click and its seven days"), (.attributed, "Attributed"), (.unmatched, "Unmatched"), (.rejected, "Rejected"),
    (.window, "24 to 48 hours"), (.scheduled, "Scheduled"), (.delivered, "Delivered"), (.failed, "Failed"),
  ]
  private static let deviceMeanings: [(HistoryItem.Kind, String)] = [
    (.ad, "Ad for an app"), (.install, "Install"), (.conversion, "Conversion window"), (.value, "Conversion value"),
  ]

  /// Whether the drawing shows ads for apps.
  package var hasDevice: Bool {
    lanes.contains { lane in lane.items.contains { item in Self.deviceMeanings.contains { $0.0 == item.kind } } }
  }

  /// The meanings of the shapes.
  ///
  /// - Parameter hasDevice: Whether to also list the kinds of ads for apps.
  package static func legend(hasDevice: Bool) -> Markup {
    let items = (Self.webMeanings + (hasDevice ? Self.deviceMeanings : [])).map { kind, title -> Markup in
      Self.entry(kind.shape(x: kind.isBar ? 2 : 8, to: 14, y: 8), title)
    }
    let ring = Self.entry("<circle class=\"ring\" cx=\"8\" cy=\"8\" r=\"7\"/>", "Copy for the developer")
    return "<ul class=\"legend\">\(items)\(hasDevice ? ring : "")</ul>"
  }

  private static func entry(_ shape: Markup, _ title: String) -> Markup {
    "<li><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\">\(shape)</svg>\(title)</li>"
  }
}
