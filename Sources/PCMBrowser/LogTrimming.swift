import PCMCore
import PCMStore

extension BrowserWriter {
  /// Shortens the log to what the browser's settings keep, when the transaction has begun another block of the log: that is
  /// once for 1,024 events, and what is beyond the limit goes a few blocks at a time, so no transaction does much.
  ///
  /// The newest event says what time it is, so a log depends on nothing but what happened to its browser.
  ///
  /// - Parameter sequence: the log's next number at the beginning of the transaction.
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
    try append(.logTrimmed(LogTrimmed(firstSequence: first, lastSequence: start - 1)), at: newest.at)
  }
}

private enum LogTrimming {
  /// More than one, so that a log gets shorter when its limit is lowered.
  static let blocksAtOnce: Int64 = 4
}

extension LogRetention {
  /// Whether a block's newest event has to be kept.
  fileprivate func keeps(_ block: Int64, in reader: any BrowserReader, newest: LogEvent) throws -> Bool {
    let last = (block + 1) * LogBlock.size - 1
    guard last > newest.sequence - maximumCount, let event = try reader.events(after: last - 1, limit: 1).first else {
      return false
    }
    return newest.at - event.at <= maximumAge
  }
}
