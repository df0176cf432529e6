import PCMCore
import PCMStore

extension Browser {
  /// Copies the rows under another name, at an instant at which nothing is under way: after a move of the clock, and after
  /// the report that is being sent. Decisions wait for the copy.
  ///
  /// A token exchange that is in progress continues in the original only.
  func fork(as copy: BrowserCopy) async throws -> Fork {
    try await gate.operation {
      try await sending.withLock { try await forkAtRest(as: copy) }
    }
  }

  private func forkAtRest(as copy: BrowserCopy) async throws -> Fork {
    try await saveUnsavedAttempt()
    return try await changes.withLock {
      let (store, record) = (store, record)
      return try await commitExclusively { live in
        let memory = ForkedMemory(live)
        let (now, positions) = (live.now, live.streams.positions)
        // The store may lack numbers that a failed transaction drew.
        let write = submit { writer in
          var state = try writer.state()
          state.draws = positions
          if record.clockMode == .manual { state.now = now }
          try writer.save(state)
        }
        return PendingWrite {
          try await write.answer()
          return Fork(record: try await store.fork(record.id, as: copy), memory: memory)
        }
      } publish: { _, _ in
      }
    }
  }

  /// Continues with the memory of another browser.
  func take(_ memory: ForkedMemory) { withState { memory.give(to: &$0) } }

  /// Announces when the browser is next due.
  func announceDue() async throws { announce(try await store.read(record.id) { try $0.due() }) }
}

/// The copy of a browser in the store, and what the browser keeps in memory.
struct Fork: Sendable {
  let record: BrowserRecord
  let memory: ForkedMemory
}

/// The part of a browser's state that no store has: cookies, and rejected calls for explanations.
struct ForkedMemory: Sendable {
  private let cookies: CookieJars
  private let rejectedCalls: RejectedCalls

  init(_ live: LiveState) {
    (cookies, rejectedCalls) = (live.cookies, live.rejectedCalls)
  }

  func give(to live: inout LiveState) {
    (live.cookies, live.rejectedCalls) = (cookies, rejectedCalls)
  }
}
