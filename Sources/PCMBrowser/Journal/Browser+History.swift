package import PCMCore
package import PCMNetwork
import PCMStore

extension Browser {
  /// Returns the calls that changed the browser, in the order in which they took effect, for a replay. The events of calls
  /// that overlap are not known, and in their replay, the random numbers of overlapping token exchanges may be exchanged.
  ///
  /// - Throws: `BrowserError.noHistory` when the calls are not known, or would not lead to the same log.
  package func history() async throws -> [PastCall] {
    guard record.clockMode == .manual else { throw BrowserError.noHistory(.realClock) }
    let start = record.start
    return try await read { reader in
      switch try reader.state().journal.ending {
      case .full: throw BrowserError.noHistory(.tooLong)
      case .interrupted: throw BrowserError.noHistory(.interrupted)
      case nil: return try reader.history(since: start)
      }
    }
  }
}

/// A call of the past, with its effects.
package struct PastCall: Hashable, Sendable {
  /// The name and the value of the call, as in a scenario's step or in `CallName`.
  package let action: JSON.Member
  /// `outcome` and `reasons` of the answer; null for a call without them.
  package let answer: JSON
  /// The responses of the real network, in order.
  package let exchanges: [RecordedExchange]
  /// The kinds of the call's events; nil when they are not known, or too many.
  package let events: [EventKind]?
}

/// Why a browser has no history for a replay.
package enum MissingHistory: Hashable, Sendable {
  case realClock
  case tooLong
  /// A call took effect in part, or the process stopped while a report was sent.
  case interrupted
}

extension PastCall {
  fileprivate init(_ call: JournaledCall, events: [LogEvent]?) {
    self.init(
      action: call.action, answer: call.answer,
      exchanges: RecordedExchange.marked(
        call.exchanges.items.compactMap(RecordedExchange.init(json:)), by: (events ?? []).map(\.detail.text)),
      events: events?.map(\.kind))
  }
}

extension BrowserReader {
  fileprivate func history(since start: Instant) throws -> [PastCall] {
    var calls: [JournaledCall] = []
    let entries = try journal()
    for entry in entries {
      guard let call = JournaledCall(text: entry.text) else {
        throw StoreError.unreadable(UnreadableRow(table: "journal", row: "\(entry.number)", column: "text"))
      }
      calls.append(call)
    }
    var (now, isComplete) = (start, true)
    for call in calls {
      isComplete = isComplete && call.start == now && !call.isUnderWay
      now = call.end
    }
    guard isComplete, now == (try state().now) else { throw BrowserError.noHistory(.interrupted) }
    // The rest of a move that stopped has the events of the whole move.
    let firsts = zip(calls, [0] + calls.map(\.nextSequence)).map { max($0.firstSequence, $1) }
    let ends = Array(firsts.dropFirst()) + [try nextSequence()]
    // An entry is longer than its step, without the events.
    var remainingBytes = entries.reduce(Journaling.limits.maximumBytes) { $0 - $1.text.utf8.count }
    return try calls.indices.map { index in
      let overlaps = [index, index + 1].contains { calls.indices.contains($0) && calls[$0].overlaps }
      let events =
        overlaps ? nil : try events(of: calls[index], from: firsts[index], before: ends[index], within: &remainingBytes)
      return PastCall(calls[index], events: events)
    }
  }

  /// Returns the events of a call; nil when the log does not contain them anymore, or when they are too many for a step or
  /// for the rest of the scenario.
  ///
  /// - Parameter remainingBytes: The number of bytes for the names of events in the scenario.
  private func events(
    of call: JournaledCall, from first: Int64, before end: Int64, within remainingBytes: inout Int
  ) throws -> [LogEvent]? {
    // Between two calls, nothing happens on a manual clock.
    if call.isMove, call.nextSequence != end { throw BrowserError.noHistory(.interrupted) }
    let count = Int(clamping: end - first)
    guard try first >= firstSequence(), count <= History.maximumEvents, remainingBytes >= 0 else { return nil }
    let events = try events(after: first - 1, limit: count)
    if !call.isMove, events.contains(where: { $0.kind == .reportSent }) { throw BrowserError.noHistory(.interrupted) }
    remainingBytes = events.reduce(remainingBytes) { $0 - $1.kind.rawValue.utf8.count - History.punctuation }
    return remainingBytes < 0 ? nil : events
  }
}

private enum History {
  /// The names of more events are a large part of a scenario.
  static let maximumEvents = 1_000
  /// The quotation marks, the comma, and the space of a name.
  static let punctuation = 4
}
