package import PCMCore

/// The requirements of a store that several instances may use at the same time. A store with one owner has them by default.
package protocol SharableStore: Sendable {
  /// Whether other processes use the data at the same time.
  var isShared: Bool { get }

  /// The identifier of the process, unique over the life of the data. In a store with one owner, it is 0: when another process uses the
  /// data later, or a copy of it, that owner is gone.
  var instance: Int64 { get }

  /// Whether this process may send: other processes do not take over its browsers yet.
  var mayAct: Bool { get }

  /// Claims browsers whose saved due time has come and that no instance has claimed, earliest first. It may omit browsers that
  /// change at this moment.
  func claimDue(by instant: Instant, limit: Int) async throws -> [BrowserRecord]

  /// Claims browsers whose instance is gone. Their messages in flight are in doubt.
  func claimAbandoned(limit: Int) async throws -> [BrowserRecord]

  /// Returns the earliest saved due time of a browser that no instance has claimed.
  func nextDueTime() async throws -> Instant?

  /// The browsers that other processes changed, soon after their commits. Some may be missing. It has one reader, and it ends at once
  /// for a store with one owner.
  var changes: AsyncStream<Set<BrowserID>> { get }

  /// Returns the number of the next event of each of the browsers that exist.
  func nextSequences(of browsers: Set<BrowserID>) async throws -> [BrowserID: Int64]
}
