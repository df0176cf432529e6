import NIOConcurrencyHelpers
import PCMCore
package import PCMStore

/// One of several instances over a store in memory. Its claims are abandoned when it has ended, and it goes on as an instance does
/// that was paused for too long.
package struct InstanceStore: ForwardingStore {
  private typealias Reports = AsyncStream<Set<BrowserID>>

  package let base: any Store
  private let living: NIOLockedValueBox<Set<Int64>>
  /// Notifies another instance of changes; nil when all notifications are lost.
  private let report: AsyncStream<Set<BrowserID>>.Continuation?
  package let instance: Int64
  package let changes: AsyncStream<Set<BrowserID>>

  package var isShared: Bool { true }
  package var mayAct: Bool { living.withLockedValue { $0.contains(instance) } }

  /// Returns two instances over a new store.
  ///
  /// - Parameter isSilent: Whether all reports of changes are lost.
  package static func pair(isSilent: Bool = false) -> (InstanceStore, InstanceStore) {
    let (base, living) = (MemoryStore(), NIOLockedValueBox<Set<Int64>>([1, 2]))
    let (one, other) = (Reports.makeStream(), Reports.makeStream())
    return (
      InstanceStore(
        base: base, living: living, report: isSilent ? nil : other.continuation, instance: 1, changes: one.stream),
      InstanceStore(
        base: base, living: living, report: isSilent ? nil : one.continuation, instance: 2, changes: other.stream)
    )
  }

  /// Lets others take over this instance's claims.
  package func end() { _ = living.withLockedValue { $0.remove(instance) } }

  package func claimAbandoned(limit: Int) async throws -> [BrowserRecord] {
    var abandoned: [BrowserRecord] = []
    for record in try await browsers() where abandoned.count < limit {
      let isAbandoned = try await write(record.id) { [living, instance] rows in
        var state = try rows.state()
        guard let owner = state.claim.instance, !living.withLockedValue({ $0.contains(owner) }) else { return false }
        state.claim.instance = instance
        try rows.save(state)
        return true
      }
      if isAbandoned { abandoned.append(record) }
    }
    return abandoned
  }

  package func submit<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> {
    // A store in memory commits before it returns.
    defer { report?.yield([browser]) }
    return base.submit(browser, body)
  }

  package func delete(_ browser: BrowserID) async throws {
    try await base.delete(browser)
    report?.yield([browser])
  }
}
