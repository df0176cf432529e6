import PCMCore

/// A conversion in the log: when its windows or its timer began and ended.
struct DeviceConversion: Sendable {
  let id: Int64
  let app: String
  let impression: Int64
  private let timing: ConversionTiming
  private let windowCount: Int
  private let startsWithLaunch: Bool
  /// When the first window or the timer began; nil before.
  private var startedAt: Instant?
  /// The last value that counted.
  private var lastValueAt: Instant?
  /// When the values of a window became final, by its number.
  private var ends: [Int64: Instant] = [:]

  /// - Parameter event: The start of the conversion.
  init?(_ event: ShownEvent) {
    guard let id = event.conversion, let impression = event.impression else { return nil }
    (self.id, app, self.impression) = (id, event.app, impression)
    timing = event.detail["timing"]?.string.flatMap(ConversionTiming.init) ?? .production
    windowCount = Int(event.detail["windowCount"]?.integer ?? 3)
    let start = event.detail["conversionWindowStart"]?.string ?? (timing == .production ? "launch" : "first-update")
    startsWithLaunch = windowCount > 0 && start == ConversionWindowStart.launch.rawValue
    // The tap of a re-engagement opens the app.
    if event.detail.text(of: "type") == "re-engagement", startsWithLaunch { startedAt = event.at }
  }

  var isStarted: Bool { startedAt != nil }

  /// Notes a later event. The first launch starts the windows, and a call of the app is a launch; or else the first value
  /// that counts does.
  mutating func note(_ event: ShownEvent) {
    switch event.kind {
    case .conversionValueAccepted where event.conversion == id:
      startedAt = startedAt ?? event.at
      lastValueAt = event.at
    case .appLaunched, .conversionValueAccepted, .conversionValueRejected:
      guard event.app == app, startsWithLaunch else { return }
      startedAt = startedAt ?? event.at
    case .postbackScheduled, .postbackDropped:
      guard event.conversion == id, let index = event.detail["sequenceIndex"]?.integer else { return }
      ends[index] = ends[index] ?? event.at
    default: break
    }
  }
}

extension DeviceConversion {
  /// The windows or the timer as bars.
  var bars: [HistoryItem] {
    guard let startedAt else { return [] }
    guard windowCount > 0 else {
      let end = ends[0] ?? (lastValueAt ?? startedAt) + timing.timerLength
      return bar(from: startedAt, to: end, "Timer of \(timing.timerLength.words)")
    }
    var from = startedAt
    return timing.windowEnds.prefix(windowCount).enumerated().flatMap { index, end in
      let (start, last) = (from, startedAt + end)
      from = last
      let title = "Conversion window \(index + 1) of \(windowCount), until \(end.words) after its start"
      return bar(from: start, to: min(last, ends[Int64(index)] ?? last), title)
    }
  }

  private func bar(from start: Instant, to end: Instant, _ title: String) -> [HistoryItem] {
    guard start < end else { return [] }
    let name = RecordName.conversion(id)
    return [
      HistoryItem(kind: .conversion, id: name, start: start, end: end, title: title, row: 1)
    ]
  }
}
