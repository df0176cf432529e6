package import PCMCore

/// Past and scheduled events on the browser's time: one lane for each pair of a source and a destination.
package struct TimelineView: Sendable {
  /// The items of a source and a destination, or of others that belong together.
  struct Lane {
    let title: String
    let items: [HistoryItem]

    fileprivate var height: Int { 46 + 16 * ((items.lazy.map(\.row).max() ?? 0) - firstRow) }

    /// A lane without clicks begins with its triggering events or messages.
    fileprivate var firstRow: Int { items.lazy.map(\.row).min() ?? 0 }

    /// The recipients of the rows with messages.
    fileprivate var recipients: [(row: Int, name: String)] {
      let named = items.filter { !$0.recipient.isEmpty }.map { ($0.row, $0.recipient) }
      return Dictionary(named) { first, _ in first }.sorted { $0.key < $1.key }.map { (row: $0.key, name: $0.value) }
    }

    /// The start of the latest item.
    var latest: Instant { items.lazy.map(\.start).max() ?? .earliest }
  }

  /// The most lanes that are shown. The others are summarized in one.
  private static let mostLanes = 12

  let lanes: [Lane]
  private let now: Instant
  /// In milliseconds since 1970, as it may begin earlier.
  private let range: Range<Int64>
  private let width: Int
  private let omitted: Int64
  private let whole: Range<Int64>

  /// - Parameters:
  ///   - apps: The bundle identifiers of the registered apps by their identifiers in the App Store.
  ///   - now: The time of the browser's clock.
  ///   - range: The visible time in milliseconds since 1970; nil for everything.
  ///   - width: The width in pixels.
  ///   - omitted: The number of earlier events that are not shown.
  package init(
    _ history: BrowserHistory, apps: [Int64: String], now: Instant, range: Range<Int64>?, width: Int, omitted: Int64
  ) {
    self.init(lanes: history.lanes(apps: apps), now: now, range: range, width: width, omitted: omitted)
  }

  /// - Parameter lanes: The lanes, the most important first.
  init(lanes: [Lane], now: Instant, range: Range<Int64>?, width: Int, omitted: Int64) {
    let items = lanes.flatMap(\.items)
    let first = min(items.lazy.map(\.start).min() ?? now, now)
    let last = max(items.lazy.map(\.last).max() ?? now, now, first + .days(1))
    let margin = (last - first).milliseconds / 40
    whole = first.milliseconds - margin..<last.milliseconds + margin
    let rest = lanes.count > Self.mostLanes ? lanes[(Self.mostLanes - 1)...] : []
    self.lanes =
      lanes.prefix(lanes.count - rest.count)
      + (rest.isEmpty ? [] : [Lane(title: "\(rest.count) more pairs", items: rest.flatMap(\.items))])
    self.now = now
    self.range = range ?? whole
    self.width = min(max(width, 240), 4_000)
    self.omitted = omitted
  }

  package var markup: Markup {
    let note: Markup = omitted > 0 ? "<p class=\"soft\">\(omitted) earlier events are not shown.</p>" : ""
    return "\(controls)\n\(svg)\n\(note)"
  }
}

// MARK: Zoom

extension TimelineView {
  private var controls: Markup {
    let length = range.upperBound - range.lowerBound
    let half = max(length / 4, 30_000)
    let middle = range.lowerBound + length / 2
    func button(_ title: String, _ sign: String, _ from: Int64, _ to: Int64) -> Markup {
      "<button type=\"button\" data-range=\"\(from),\(to)\" data-key=\"zoom-\(title)\" aria-label=\"\(title)\">\(sign)</button>"
    }
    return """
      <div class="zoom" role="group" aria-label="Zoom">\
      \(button("Earlier", "←", range.lowerBound - length / 2, range.upperBound - length / 2))\
      \(button("Later", "→", range.lowerBound + length / 2, range.upperBound + length / 2))\
      \(button("Zoom in", "+", middle - half, middle + half))\
      \(button("Zoom out", "−", middle - length, middle + length))\
      <button type="button" data-range="" data-key="zoom-all" aria-label="Show all">All</button></div>
      """
  }
}

// MARK: Drawing

extension TimelineView {
  private static let top = 40

  private var height: Int { Self.top + max(lanes.map(\.height).reduce(0, +), 60) + 8 }

  /// The lanes below each other.
  private var drawnLanes: [Markup] {
    var y = Self.top
    return lanes.map { lane in
      defer { y += lane.height }
      return draw(lane, y: y)
    }
  }

  var svg: Markup {
    let empty: Markup =
      lanes.isEmpty
      ? "<text x=\"8\" y=\"\(Self.top + 40)\">No clicks yet. A tapped ad or a link with attributes makes one.</text>" : ""
    return """
      <svg viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" role="group" \
      aria-label="Timeline from \(Instant(milliseconds: range.lowerBound).shown) to \(Instant(milliseconds: range.upperBound).shown)" \
      data-from="\(range.lowerBound)" data-to="\(range.upperBound)" data-whole="\(whole.upperBound - whole.lowerBound)">
      \(ticks)
      \(drawnLanes)
      \(empty)\(nowLine)
      </svg>
      """
  }

  /// Returns the place of an instant, which may be outside of the visible range.
  func x(_ instant: Int64) -> Int {
    let place = Double(instant - range.lowerBound) / Double(range.upperBound - range.lowerBound) * Double(width)
    return Int(min(max(place, -20), Double(width) + 20).rounded())
  }

  private static let steps: [Int64] = [1, 5, 15, 60, 180, 360, 720, 1_440, 2_880, 10_080, 43_200, 129_600, 525_600].map {
    $0 * 60_000
  }

  private var ticks: [Markup] {
    let length = range.upperBound - range.lowerBound
    let most = Int64(max(width / 90, 2))
    let step = Self.steps.first { length / $0 <= most } ?? length / most
    let first = (range.lowerBound / step + 1) * step
    return stride(from: first, to: range.upperBound, by: Int64.Stride(step)).map { instant in
      let (time, place) = (Instant(milliseconds: instant), x(instant))
      let text = step >= 86_400_000 || time.isMidnight ? time.date : time.clock
      let line: Markup = "<line class=\"grid\" x1=\"\(place)\" y1=\"20\" x2=\"\(place)\" y2=\"\(height)\"/>"
      let isNearEdge = place > width - Self.labelWidth
      // The label at the edge is before its line, where the previous label can be.
      if isNearEdge, instant > first, place - x(instant - step) < 2 * Self.labelWidth { return line }
      return """
        \(line)\
        <text x="\(isNearEdge ? place - 3 : place + 3)" y="14" text-anchor="\(isNearEdge ? "end" : "start")">\(text)</text>
        """
    }
  }

  /// The width of a date, with its distance from the line.
  private static let labelWidth = 80

  private var nowLine: Markup {
    guard range.contains(now.milliseconds) else { return "" }
    let place = x(now.milliseconds)
    let isNearEdge = place > width - 40
    return """
      <line class="now" x1="\(place)" y1="18" x2="\(place)" y2="\(height)"/>\
      <text class="now-text" x="\(isNearEdge ? place - 5 : place + 5)" y="30" \
      text-anchor="\(isNearEdge ? "end" : "start")">Now</text>
      """
  }

  private func draw(_ lane: Lane, y: Int) -> Markup {
    let visible = lane.items.filter { $0.last.milliseconds >= range.lowerBound && $0.start.milliseconds < range.upperBound }
    let groups = Dictionary(grouping: visible) { item in
      TimelineGroup.Place(row: item.row, isBar: item.kind.isBar, kind: item.kind, bucket: x(item.start.milliseconds) / 8)
    }
    let drawn = groups.map { TimelineGroup(place: $0.key, items: $0.value) }.sorted { $0.place < $1.place }
    func middle(_ row: Int) -> Int { y + 34 + (row - lane.firstRow) * 16 }
    let labels = lane.recipients.map { row, name -> Markup in
      "<text class=\"recipient\" x=\"4\" y=\"\(middle(row) + 4)\">\(name)</text>"
    }
    return """
      <line class="grid" x1="0" y1="\(y)" x2="\(width)" y2="\(y)"/>
      <text class="title" x="4" y="\(y + 18)">\(lane.title)</text>
      \(drawn.map { $0.markup(in: self, y: middle($0.place.row)) } + labels)
      """
  }
}

// MARK: Reports

extension TimelineView {
  /// Whether there is nothing to draw.
  package var isEmpty: Bool { lanes.isEmpty }

  /// The static timeline for a report, without controls, links, and a legend.
  ///
  /// - Parameter title: The name of the drawing for readers that do not see it.
  package func still(title: String) -> Markup {
    // No text contains a bare < or >, because all text is escaped.
    let marks = svg.text.replacing(/<a [^>]*?aria-label="([^"]*)"[^>]*>/) { match in
      "<g role=\"img\" aria-label=\"\(match.1)\"><title>\(match.1)</title>"
    }
    let drawing = Markup(stringLiteral: marks.replacing("</a>", with: "</g>"))
    return """
      <div class="timeline" role="region" aria-label="Timeline: \(title)" tabindex="0">\(drawing)</div>
      """
  }
}
