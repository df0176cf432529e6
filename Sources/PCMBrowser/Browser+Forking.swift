import PCMCore
import PCMStore

extension Browser {
  /// Copies the rows under another name, at an instant at which nothing is under way: after the operations, a move of the clock,
  /// and the report that is being sent, the last two also at other instances. Arriving calls wait for the copy. Calls of other
  /// instances do on a manual clock only.
  ///
  /// - Parameter copy: Returns the copy and its description for the description of this browser at that instant.
  func fork(as copy: (BrowserSnapshot) -> (BrowserCopy, BrowserSnapshot)) async throws -> Fork {
    try await sending.excluding {
      try await lock.excluding {
        try await saveUnsavedAttempt()
        let claim = try await claimForCopy()
        do {
          let fork = try await copyRows(as: copy)
          await release(claim)
          return fork
        } catch {
          await release(claim, after: error)
          throw error
        }
      }
    }
  }

  private func copyRows(as copy: (BrowserSnapshot) -> (BrowserCopy, BrowserSnapshot)) async throws -> Fork {
    // Before the copy, because no call would find an unreadable copy.
    var (rows, configuration) = try await read { [self] in
      (try BrowserRows($0, environment: environment), try self.configuration($0))
    }
    rows.state = rows.state.ofCopy
    let (copy, description) = copy(configuration)
    let copied = try await store.fork(record.id, as: copy)
    return Fork(record: copied, rows: rows, configuration: description, memory: withState { ForkedMemory($0) })
  }

  /// Continues with the memory of another browser.
  func take(_ memory: ForkedMemory) { withState { memory.give(to: &$0) } }
}

/// The copy of a browser in the store, and the browser's state in memory.
struct Fork: Sendable {
  let record: BrowserRecord
  let rows: BrowserRows
  /// The description of the copy at its creation.
  let configuration: BrowserSnapshot
  let memory: ForkedMemory
}

/// The part of a browser's state that no store has: cookies, and calls for explanations.
struct ForkedMemory: Sendable {
  private let cookies: CookieJars
  private let rejectedCalls: RecentCalls
  private let quietLoads: RecentCalls

  init(_ live: RuntimeState) {
    (cookies, rejectedCalls, quietLoads) = (live.cookies, live.rejectedCalls, live.quietLoads)
  }

  func give(to live: inout RuntimeState) {
    (live.cookies, live.rejectedCalls, live.quietLoads) = (cookies, rejectedCalls, quietLoads)
  }
}
