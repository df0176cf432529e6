package import PCMCore

/// The right of an instance to send for a browser.
package struct Claim: Hashable, Sendable {
  /// The instance that sends; nil when any may begin to.
  package var instance: Int64?
  /// The number of attempts and takeovers so far. An attempt ends with the number with which it began, or its result is late: another
  /// instance has taken over the browser.
  package var fence: Int64

  package init(instance: Int64? = nil, fence: Int64 = 0) {
    (self.instance, self.fence) = (instance, fence)
  }
}

extension BrowserState {
  /// Claims the browser for an instance if it is due by an instant and not claimed. Returns whether it is claimed.
  package mutating func claim(for instance: Int64, ifDueBy instant: Instant) -> Bool {
    guard claim.instance == nil, let dueAt, dueAt <= instant else { return false }
    claim.instance = instance
    return true
  }
}

/// The claims of a store with one owner. They end with the owner, which therefore recovers all browsers at its start.
extension Store {
  package var isShared: Bool { false }

  package var instance: Int64 { 0 }

  package var mayAct: Bool { true }

  package func claimAbandoned(limit: Int) async throws -> [BrowserRecord] { [] }

  /// Finds the browsers by reading one after the other. If a claim fails, returns the browsers claimed before it, which the caller has
  /// to run.
  package func claimDue(by instant: Instant, limit: Int) async throws -> [BrowserRecord] {
    let due = try await unclaimed().filter { $0.dueAt <= instant }
    var claimed: [BrowserRecord] = []
    for (record, _) in due.sorted(by: { ($0.dueAt, $0.record.id.number) < ($1.dueAt, $1.record.id.number) }).prefix(limit) {
      do {
        let isClaimed = try await write(record.id) { [instance] writer in
          var state = try writer.state()
          guard state.claim(for: instance, ifDueBy: instant) else { return false }
          try writer.save(state)
          return true
        }
        if isClaimed { claimed.append(record) }
      } catch StoreError.unknownBrowser {
        // It was deleted in the meantime.
        continue
      } catch {
        guard !claimed.isEmpty else { throw error }
        break
      }
    }
    return claimed
  }

  /// Finds the browser by reading one after the other.
  package func nextDueTime() async throws -> Instant? { try await unclaimed().map(\.dueAt).min() }

  /// Returns the browsers with a due time that are not claimed.
  private func unclaimed() async throws -> [(record: BrowserRecord, dueAt: Instant)] {
    try await states().compactMap { record, state in
      state.claim.instance == nil ? state.dueAt.map { (record, $0) } : nil
    }
  }

  /// Returns the browsers that this instance has claimed, by reading one browser after the other: a claim whose outcome was unknown may
  /// have taken effect.
  package func claimed() async throws -> [BrowserRecord] {
    try await states().filter { $0.state.claim.instance == instance }.map(\.record)
  }

  /// Returns the states of all browsers that are not damaged.
  private func states() async throws -> [(record: BrowserRecord, state: BrowserState)] {
    var found: [(record: BrowserRecord, state: BrowserState)] = []
    for record in try await browsers() {
      do {
        found.append((record, try await read(record.id) { try $0.state() }))
      } catch StoreError.unknownBrowser {
        // It was deleted in the meantime.
        continue
      } catch StoreError.unreadable {
        continue
      }
    }
    return found
  }
}
