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
    // The headings do not contain the texts of a report, which are large, and may be damaged.
    try removeFinished(Report.self, in: [.delivered, .failed, .superseded, .cleared], before: start) { state, limit in
      try reportHeadings(in: state, after: .min, limit: limit).map(\.id)
    }
    try removeFinished(Postback.self, in: [.delivered, .failed, .cleared], before: start) { state, limit in
      try postbacks(in: state, after: .min, limit: limit).map(\.id)
    }
    let requests = try deviceRows(.sdkRequest, after: "", limit: LogTrimming.reportsAtOnce)
    for row in requests where row.changesAt == nil && row.key.name < DeviceRow.name(ofSDKRequest: start) {
      try remove(DeviceRow.self, row.key)
    }
    try append(LogTrimmed(firstSequence: first, lastSequence: start - 1), at: newest.at)
  }

  /// Removes the finished reports or postbacks that were scheduled before an event. They have the number of the event that
  /// scheduled them.
  ///
  /// - Parameter oldest: Returns the numbers of the oldest in a state, at most as many as the limit.
  private func removeFinished<Row: StoredRow>(
    _ type: Row.Type, in states: [OutgoingMessage.State], before sequence: Int64,
    oldest: (OutgoingMessage.State, _ limit: Int) throws -> [Int64]
  ) throws where Row.RowKey == Int64 {
    for state in states {
      var left = LogTrimming.reportsAtOnce
      while left > 0 {
        // Removed events are not found again.
        let removed = try oldest(state, LogTrimming.reportsInPart).prefix { $0 < sequence }
        for number in removed { try remove(type, number) }
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
