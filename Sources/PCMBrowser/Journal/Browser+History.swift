package import PCMCore
import PCMStore

extension Browser {
  /// Returns the calls that changed the browser, in the order in which they took effect, for a scenario.
  ///
  /// - Throws: `BrowserError.noHistory` when the calls are not known.
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

  /// Returns the call that made an event, as in a scenario's step; nil when no call made it, or the journal does not contain it.
  package func call(of sequence: Int64) async throws -> JSON.Member? {
    guard record.clockMode == .manual else { return nil }
    return try await read { try $0.call(of: sequence) }
  }
}

/// A call of the past.
package struct PastCall: Hashable, Sendable {
  /// The name and the value of the call, as in a scenario's step or in `CallName`.
  package let action: JSON.Member
  /// `outcome` and `reasons` of the answer; null for a call without them.
  package let answer: JSON
  /// The kinds of the call's events; nil when they may depend on the responses of a network, when they are not known, and when they
  /// are too many.
  package let events: [EventKind]?
}

/// Why a browser has no history for a replay.
package enum MissingHistory: Hashable, Sendable {
  case realClock
  case tooLong
  /// A call took effect in part, or the process stopped while a report was sent.
  case interrupted
}

extension BrowserReader {
  fileprivate func history(since start: Instant) throws -> [PastCall] {
    let calls = try journal().map { entry in
      guard let call = JournaledCall(text: entry.text) else {
        throw StoreError.unreadable(table: "journal", row: "\(entry.number)", column: "text")
      }
      return call
    }
    // A move that failed has no entry, and the clock may have moved.
    let starts = zip(calls, [start] + calls.map(\.end)).allSatisfy { $0.start == $1 }
    guard starts, try calls.last?.end ?? start == state().now else { throw BrowserError.noHistory(.interrupted) }
    var (next, isReal) = (Int64(0), try isRealNetwork(before: calls))
    return try calls.map { call in
      isReal = call.selectedNetwork.map { $0 == .real } ?? isReal
      // The rest of a move that stopped has the events of the whole move.
      let first = max(call.firstSequence, next)
      next = call.nextSequence
      let events = call.progress.isUnderWay ? nil : try events(from: first, before: next)
      // Simulated sites accept every request.
      let isExpected = !isReal || !(events ?? []).contains { $0.isFailure }
      return PastCall(action: call.action, answer: call.progress.answer, events: isExpected ? events : nil)
    }
  }

  /// Searches the journal, whose calls have the order of their events. An ended journal is empty.
  fileprivate func call(of sequence: Int64) throws -> JSON.Member? {
    var (first, last) = (Int64(1), try state().journal.count)
    while first <= last {
      let middle = (first + last) / 2
      let entries: [JournalEntry] = try rows(.after(middle - 1, limit: 1))
      guard let call = entries.first.flatMap({ JournaledCall(text: $0.text) }) else { return nil }
      if sequence < call.firstSequence {
        last = middle - 1
      } else if sequence >= call.nextSequence {
        first = middle + 1
      } else {
        return call.action
      }
    }
    return nil
  }

  /// Whether the network was real before all calls: a change of the network is one of them.
  private func isRealNetwork(before calls: [JournaledCall]) throws -> Bool {
    guard let first = calls.lazy.compactMap(\.selectedNetwork).first else { return try state().network == .real }
    return first != .real
  }

  /// Returns the kinds of events; nil when the log does not contain them anymore, or when they are too many for a step.
  private func events(from first: Int64, before end: Int64) throws -> [EventKind]? {
    let count = Int(clamping: end - first)
    guard try first >= firstSequence(), count <= 1_000 else { return nil }
    return try events(after: first - 1, limit: count).map(\.kind)
  }
}

extension EventKind {
  /// Whether the kind says that a message did not arrive.
  fileprivate var isFailure: Bool { rawValue.hasSuffix("-failed") || rawValue.hasSuffix("-retry-scheduled") }
}

extension JournaledCall {
  /// The network that the call selected; nil for another call.
  fileprivate var selectedNetwork: NetworkMode? {
    guard action.name == CallName.network else { return nil }
    return action.value["mode"]?.string.flatMap(NetworkMode.init(rawValue:))
  }
}
