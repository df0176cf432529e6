import PCMBrowser
import PCMCore
import PCMPages

extension Browser {
  /// Returns the charts of the records that the page shows.
  func charts(width: Int) async throws -> ChartsView {
    var (attributions, reports, postbacks): ([AttributionRecord], [SentMessage], [SentMessage]) = ([], [], [])
    try await visitNewest {
      try await self.attributions(after: $0, limit: 1_000)
    } visit: {
      attributions.append($0)
    }
    try await visitNewest {
      try await self.reportPage(after: $0, limit: 1_000)
    } visit: {
      reports.append(SentMessage($0))
    }
    try await visitNewest {
      try await self.postbackPage(after: $0, limit: 1_000)
    } visit: {
      postbacks.append(SentMessage($0))
    }
    let messages = reports + postbacks
    return ChartsView([.delays(attributions, reports), .states(messages), .latency(messages)], width: width)
  }
}

/// What a chart reads of a report or a postback.
private struct SentMessage {
  let id: Int64
  let state: OutgoingMessage.State
  let dueAt: Instant
  /// The times that the attempts took, in microseconds.
  let times: [Int64]

  init(_ record: some OutgoingRecord) {
    id = record.id
    state = record.state
    dueAt = record.dueAt
    times = record.attempts.compactMap { attempt in
      JSON(parsing: Array(attempt.utf8))?["timings"]?["total"]?.string.flatMap(MessagesView.Attempt.microseconds)
    }
  }
}

extension Chart {
  /// The delays of reports in parts of two hours.
  fileprivate static func delays(_ attributions: [AttributionRecord], _ reports: [SentMessage]) -> Chart {
    let attributedAt = Dictionary(
      attributions.flatMap { [($0.sourceReport, $0.attributedAt), ($0.destinationReport, $0.attributedAt)] }
    ) { $1 }
    let delays = reports.compactMap { report in attributedAt[report.id].map { report.dueAt - $0 } }
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
      note: drawn == 0
        ? "No report is scheduled yet." : "\(drawn) delays, drawn uniformly from 24 to 48 hours.",
      heading: "Delay", categories: (0..<count).map { "\(24 + 2 * $0) h" }, series: [Series("Reports", .info, values)],
      expectation: Expectation("Uniform", Double(drawn) / Double(count)))
  }

  private static let steps: [Int64] = [1, 3, 6, 12, 24, 48, 168, 720, 2_160, 8_760, 87_600].map { $0 * 3_600_000 }
  private static let mostIntervals: Int64 = 24

  /// The states of messages by the interval in which they are due.
  fileprivate static func states(_ messages: [SentMessage]) -> Chart {
    let dues = messages.map(\.dueAt.milliseconds)
    let (first, last) = (dues.min() ?? 0, dues.max() ?? 0)
    let step = steps.first { (last / $0) - (first / $0) < mostIntervals } ?? max((last - first) / mostIntervals, 1)
    let intervals = dues.isEmpty ? [] : Array((first / step)...(last / step))
    func series(_ title: String, _ tone: Tone, _ states: Set<OutgoingMessage.State>) -> Series {
      let counts = Dictionary(
        messages.filter { states.contains($0.state) }.map { ($0.dueAt.milliseconds / step, Int64(1)) }, uniquingKeysWith: +)
      return Series(title, tone, intervals.map { counts[$0] ?? 0 })
    }
    return Chart(
      title: "Reports and postbacks by state",
      note: messages.isEmpty ? "No report or postback is scheduled yet." : "By the time at which they are due.",
      heading: "Due from",
      categories: labels(intervals.map { $0 * step }, step: step),
      series: [
        series("Scheduled", .plan, [.scheduled, .sending]), series("Delivered", .good, [.delivered]),
        series("Failed", .bad, [.failed]), series("Replaced or cleared", .quiet, [.superseded, .cleared]),
      ])
  }

  /// The percentiles of the times that attempts took.
  fileprivate static func latency(_ messages: [SentMessage]) -> Chart {
    let times = messages.flatMap(\.times).sorted()
    let ranks = [("50 %", 50), ("75 %", 75), ("90 %", 90), ("95 %", 95), ("99 %", 99), ("Slowest", 100)]
    // The smallest time that the share of attempts does not exceed.
    let values = ranks.map { _, share in times.isEmpty ? 0 : times[(times.count * share + 99) / 100 - 1] }
    return Chart(
      title: "Latency of attempts",
      note: times.isEmpty
        ? "No attempt was measured yet. Simulated sites have no latency."
        : "\(times.count) attempts, from the start to the last byte.",
      heading: "Share of attempts", categories: ranks.map(\.0), series: [Series("Latency", .info, values)], unit: .microseconds)
  }
}
