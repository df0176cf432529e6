import PCMCore
import PCMStore

extension Browser {
  /// Copies the rows under another name, at an instant at which nothing is under way: after a move of the clock, and after
  /// the report that is being sent. Operations that arrive wait for the copy, and so do the decisions of those under way.
  ///
  /// A token exchange that is in progress continues in the original only.
  ///
  /// - Parameter copy: Returns the copy for the description of this browser at that instant.
  func fork(as copy: @escaping @Sendable (Configuration) -> BrowserCopy) async throws -> Fork {
    try await gate.operation {
      try await sending.withLock { try await forkAtRest(as: copy) }
    }
  }

  private func forkAtRest(as copy: @escaping @Sendable (Configuration) -> BrowserCopy) async throws -> Fork {
    try await saveUnsavedAttempt()
    return try await changes.withLock {
      try await gate.hold { try await commitAndCopy(as: copy) }
    }
  }

  private func commitAndCopy(as copy: @escaping @Sendable (Configuration) -> BrowserCopy) async throws -> Fork {
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
      return PendingWrite { [self] in
        try await write.answer()
        let original = configuration
        // Before the copy, because a copy that cannot be read would be one that no call finds.
        var rows = try await store.read(record.id) { try BrowserRows($0) }
        rows.state.upkeep = BrowserUpkeep()
        let copied = try await store.fork(record.id, as: copy(original))
        return Fork(record: copied, rows: rows, configuration: Configuration(copy: copied, of: original), memory: memory)
      }
    } publish: { _, _ in
    }
  }

  /// Continues with the memory of another browser.
  func take(_ memory: ForkedMemory) { withState { memory.give(to: &$0) } }
}

/// The copy of a browser in the store, and what the browser keeps in memory.
struct Fork: Sendable {
  let record: BrowserRecord
  let rows: BrowserRows
  /// The description of the copy at its creation.
  let configuration: Configuration
  let memory: ForkedMemory
}

/// The part of a browser's state that no store has: cookies, and calls for explanations.
struct ForkedMemory: Sendable {
  private let cookies: CookieJars
  private let rejectedCalls: RecentCalls
  private let quietLoads: RecentCalls

  init(_ live: LiveState) {
    (cookies, rejectedCalls, quietLoads) = (live.cookies, live.rejectedCalls, live.quietLoads)
  }

  func give(to live: inout LiveState) {
    (live.cookies, live.rejectedCalls, live.quietLoads) = (cookies, rejectedCalls, quietLoads)
  }
}
