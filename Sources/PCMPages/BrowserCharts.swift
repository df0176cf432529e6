package import PCMCore

/// The numbers that the charts of a browser's page show, collected from the records as the API returns them.
package struct BrowserCharts {
  /// The instants at which reports were scheduled, by their identifiers.
  private var attributedAt: [String: Instant] = [:]
  /// From the attribution to the report.
  private var delays: [Interval] = []
  private var messages: [(state: String, dueAt: Int64)] = []
  /// The times that attempts took, in microseconds.
  private var latencies: [Int64] = []

  package init() {}

  /// Adds an attribution, before its reports.
  package mutating func add(attribution: JSON) {
    for report in ["sourceReportId", "destinationReportId"] {
      attributedAt[attribution.text(of: report)] = attribution.instant(of: "attributedAt")
    }
  }

  package mutating func add(report: JSON) {
    if let start = attributedAt[report.text(of: "id")], let dueAt = report.instant(of: "dueAt") { delays.append(dueAt - start) }
    add(message: report)
  }

  package mutating func add(postback: JSON) { add(message: postback) }

  private mutating func add(message: JSON) {
    messages.append((message.text(of: "state"), message.instant(of: "dueAt")?.milliseconds ?? 0))
    latencies += message["attempts"]?.items.compactMap { $0.parsed["timings"]?.microseconds("total") } ?? []
  }

  /// - Parameter width: The width of the place for all charts, in pixels.
  package func markup(width: Int) -> Markup {
    Self.markup([delaysOfReports, statesOfMessages, latencyOfAttempts], width: width)
  }

  static func markup(_ charts: [Chart], width: Int) -> Markup {
    let width = min(max(width, 240), 4_000)
    // As many columns as the style sheet makes.
    let columns = max(min((width + 24) / 376, charts.count), 1)
    let share = (width - 24 * (columns - 1)) / columns
    return "<div class=\"charts\">\n\(charts.map { $0.markup(width: share) })\n</div>"
  }
}

extension BrowserCharts {
  /// The delays of reports in parts of two hours.
  private var delaysOfReports: Chart {
    let part = Interval.hours(2)
    let count = SendTimes.delayRange.milliseconds / part.milliseconds
    var values = [Int64](repeating: 0, count: Int(count))
    for delay in delays {
      let index = (delay - SendTimes.shortestDelay).milliseconds / part.milliseconds
      if delay >= SendTimes.shortestDelay, index < count { values[Int(index)] += 1 }
    }
    let drawn = values.reduce(0, +)
    return Chart(
      title: "Delays of reports",
      note: drawn == 0 ? "No report is scheduled yet." : "\(drawn) delays, drawn uniformly from 24 to 48 hours.",
      heading: "Delay", categories: (0..<count).map { "\(24 + 2 * $0) h" },
      series: [Chart.Series(title: "Reports", tone: .info, values: values)],
      expectation: ("Uniform", Double(drawn) / Double(count)))
  }

  private static let steps: [Int64] = [1, 3, 6, 12, 24, 48, 168, 720, 2_160, 8_760, 87_600].map { $0 * 3_600_000 }
  private static let mostIntervals: Int64 = 24

  /// The states of messages by the interval in which they are due.
  private var statesOfMessages: Chart {
    let dues = messages.map(\.dueAt)
    let (first, last) = (dues.min() ?? 0, dues.max() ?? 0)
    let step =
      Self.steps.first { (last / $0) - (first / $0) < Self.mostIntervals } ?? max((last - first) / Self.mostIntervals, 1)
    let intervals = dues.isEmpty ? [] : Array((first / step)...(last / step))
    func series(_ title: String, _ tone: Chart.Tone, _ states: Set<String>) -> Chart.Series {
      let found = messages.filter { states.contains($0.state) }
      let counts = Dictionary(found.map { ($0.dueAt / step, Int64(1)) }, uniquingKeysWith: +)
      return Chart.Series(title: title, tone: tone, values: intervals.map { counts[$0] ?? 0 })
    }
    return Chart(
      title: "Reports and postbacks by state",
      note: messages.isEmpty ? "No report or postback is scheduled yet." : "By the time at which they are due.",
      heading: "Due from", categories: intervals.map { Self.label(Instant(milliseconds: $0 * step), step) },
      series: [
        series("Scheduled", .plan, ["scheduled", "sending"]), series("Delivered", .good, ["delivered"]),
        series("Failed", .bad, ["failed"]), series("Replaced or cleared", .quiet, ["superseded", "cleared"]),
      ])
  }

  /// The name of an interval that begins at a time.
  private static func label(_ start: Instant, _ step: Int64) -> String {
    step < 86_400_000 ? "\(start.date)T\(start.clock)" : start.date
  }

  /// The percentiles of the times that attempts took.
  private var latencyOfAttempts: Chart {
    let times = latencies.sorted()
    let ranks = [("50 %", 50), ("75 %", 75), ("90 %", 90), ("95 %", 95), ("99 %", 99), ("Slowest", 100)]
    // The smallest time that the share of attempts does not exceed.
    let values = ranks.map { _, share in times.isEmpty ? 0 : times[(times.count * share + 99) / 100 - 1] }
    return Chart(
      title: "Latency of attempts",
      note: times.isEmpty
        ? "No attempt was measured yet. Simulated sites have no latency."
        : "\(times.count) attempts, from the start to the last byte.",
      heading: "Share of attempts", categories: ranks.map(\.0),
      series: [Chart.Series(title: "Latency", tone: .info, values: values)], unit: .microseconds)
  }
}
