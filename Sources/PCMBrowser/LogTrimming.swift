import PCMCore
import PCMStore

extension BrowserWriter {
  /// Trims the log to the retention in the browser's settings when the transaction began a new block of 1,024 events. It
  /// removes a few blocks at a time, so that no transaction takes long.
  ///
  /// Age is measured from the newest event, so the log depends only on the events of its browser.
  ///
  /// - Parameter sequence: The log's next number at the beginning of the transaction.
  func trimLog(since sequence: Int64) throws {
    let end = try nextSequence()
    guard LogBlock.number(of: sequence) != LogBlock.number(of: end),
      let newest = try events(after: end - 2, limit: 1).first
    else { return }
    let (first, retention) = (try firstSequence(), try state().settings.logRetention)
    let oldestBlock = LogBlock.number(of: first)
    let lastBlock = min(oldestBlock + LogTrimming.blocksAtOnce, LogBlock.number(of: newest.sequence))
    var block = oldestBlock
    while block < lastBlock, try !retention.keeps(block, in: self, newest: newest) { block += 1 }
    guard block > oldestBlock else { return }
    let start = block * LogBlock.size
    try removeEvents(before: start)
    try removeFinishedReports(before: start)
    try removeFinishedPostbacks(before: start)
    try append(.logTrimmed(LogTrimmed(firstSequence: first, lastSequence: start - 1)), at: newest.at)
  }

  /// Removes the finished reports that were scheduled before an event. A report has the number of the event that
  /// scheduled it.
  private func removeFinishedReports(before sequence: Int64) throws {
    for state in [Report.State.delivered, .failed, .superseded, .cleared] {
      var left = LogTrimming.reportsAtOnce
      while left > 0 {
        // What is removed is not found again.
        let oldest = try reportHeadings(in: state, after: .min, limit: LogTrimming.reportsInPart)
        let removed = oldest.prefix { $0.id < sequence }
        for report in removed { try remove(Report.self, report.id) }
        left = removed.count == LogTrimming.reportsInPart ? left - removed.count : 0
      }
    }
  }

  /// Removes the finished postbacks that were scheduled before an event, whose number they have.
  private func removeFinishedPostbacks(before sequence: Int64) throws {
    for state in [Postback.State.delivered, .failed, .cleared] {
      var left = LogTrimming.reportsAtOnce
      while left > 0 {
        let oldest = try postbacks(in: state, after: .min, limit: LogTrimming.reportsInPart)
        let removed = oldest.prefix { $0.id < sequence }
        for postback in removed { try remove(Postback.self, postback.id) }
        left = removed.count == LogTrimming.reportsInPart ? left - removed.count : 0
      }
    }
  }
}

private enum LogTrimming {
  /// More than one block, so that the log shrinks after its limit is lowered.
  static let blocksAtOnce: Int64 = 4
  /// In each state: as many as these blocks can schedule.
  static let reportsAtOnce = Int(blocksAtOnce * LogBlock.size)
  /// Reports are read in parts, because most logs have few that are so old.
  static let reportsInPart = 64
}

extension LogRetention {
  /// Returns whether a block's newest event must be kept.
  fileprivate func keeps(_ block: Int64, in reader: any BrowserReader, newest: LogEvent) throws -> Bool {
    let last = (block + 1) * LogBlock.size - 1
    guard last > newest.sequence - maximumCount, let event = try reader.events(after: last - 1, limit: 1).first else {
      return false
    }
    return newest.at - event.at <= maximumAge
  }
}
