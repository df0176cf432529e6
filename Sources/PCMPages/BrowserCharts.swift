import PCMCore

extension Chart {
  /// The delays of reports in parts of two hours.
  static func delays(_ attributions: [JSON], _ reports: [JSON]) -> Chart {
    var attributedAt: [String: Instant] = [:]
    for attribution in attributions {
      for report in ["sourceReportId", "destinationReportId"] {
        attributedAt[attribution.text(of: report)] = attribution.instant(of: "attributedAt")
      }
    }
    let delays = reports.compactMap { report -> Interval? in
      guard let start = attributedAt[report.text(of: "id")], let dueAt = report.instant(of: "dueAt") else { return nil }
      return dueAt - start
    }
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
      series: [Series(title: "Reports", tone: .info, values: values)],
      expectation: ("Uniform", Double(drawn) / Double(count)))
  }

  private static let steps: [Int64] = [1, 3, 6, 12, 24, 48, 168, 720, 2_160, 8_760, 87_600].map { $0 * 3_600_000 }
  private static let mostIntervals: Int64 = 24

  /// The states of messages by the interval in which they are due.
  static func states(_ messages: [JSON]) -> Chart {
    let dues = messages.map { (state: $0.text(of: "state"), at: $0.instant(of: "dueAt")?.milliseconds ?? 0) }
    let (first, last) = (dues.map(\.at).min() ?? 0, dues.map(\.at).max() ?? 0)
    let step = steps.first { (last / $0) - (first / $0) < mostIntervals } ?? max((last - first) / mostIntervals, 1)
    let intervals = dues.isEmpty ? [] : Array((first / step)...(last / step))
    func series(_ title: String, _ tone: Tone, _ states: Set<String>) -> Series {
      let found = dues.filter { states.contains($0.state) }
      let counts = Dictionary(found.map { ($0.at / step, Int64(1)) }, uniquingKeysWith: +)
      return Series(title: title, tone: tone, values: intervals.map { counts[$0] ?? 0 })
    }
    return Chart(
      title: "Reports and postbacks by state",
      note: messages.isEmpty ? "No report or postback is scheduled yet." : "By the time at which they are due.",
      heading: "Due from", categories: intervals.map { label(Instant(milliseconds: $0 * step), step) },
      series: [
        series("Scheduled", .plan, ["scheduled", "sending"]), series("Delivered", .good, ["delivered"]),
        series("Failed", .bad, ["failed"]), series("Replaced or cleared", .quiet, ["superseded", "cleared"]),
      ])
  }

  /// The name of an interval that begins at a time.
  private static func label(_ start: Instant, _ step: Int64) -> String {
    step < 86_400_000 ? "\(start.shortDate) \(start.clock)" : start.shortDate
  }

  /// The percentiles of the times that attempts took.
  static func latency(_ messages: [JSON]) -> Chart {
    let attempts = messages.flatMap { $0["attempts"]?.items ?? [] }
    let times = attempts.compactMap { $0.parsed["timings"]?.microseconds("total") }.sorted()
    let ranks = [("50 %", 50), ("75 %", 75), ("90 %", 90), ("95 %", 95), ("99 %", 99), ("Slowest", 100)]
    // The smallest time that the share of attempts does not exceed.
    let values = ranks.map { _, share in times.isEmpty ? 0 : times[(times.count * share + 99) / 100 - 1] }
    return Chart(
      title: "Latency of attempts",
      note: times.isEmpty
        ? "No attempt was measured yet. Simulated sites have no latency."
        : "\(times.count) attempts, from the start to the last byte.",
      heading: "Share of attempts", categories: ranks.map(\.0),
      series: [Series(title: "Latency", tone: .info, values: values)], unit: .microseconds)
  }
}
