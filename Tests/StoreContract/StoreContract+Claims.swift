import PCMCore
import PCMStore
import Testing

extension StoreContract {
  /// Creates a browser on a real clock that is due at an instant.
  private static func newBrowser(_ name: String, dueAt: Instant?, in store: any Store) async throws -> BrowserRecord {
    var state = BrowserState(now: Sample.noon)
    state.dueAt = dueAt
    return try await store.create(NewBrowser(name: name, seed: "s", clockMode: .real, state: state))
  }

  static let claimChecks = [
    Check("browsers that are due are claimed once, the earliest first, up to a limit") { store in
      let noon = Sample.noon
      #expect(try await store.nextDueTime() == nil)
      #expect(try await store.claimDue(by: .latest, limit: 9).isEmpty)
      let late = try await newBrowser("late", dueAt: noon + .hours(2), in: store)
      let second = try await newBrowser("second", dueAt: noon, in: store)
      let third = try await newBrowser("third", dueAt: noon, in: store)
      _ = try await newBrowser("idle", dueAt: nil, in: store)
      let first = try await newBrowser("first", dueAt: noon - .hours(1), in: store)
      #expect(try await store.nextDueTime() == noon - .hours(1))
      #expect(try await store.claimDue(by: noon - .hours(2), limit: 9).isEmpty)
      #expect(Set(try await store.claimDue(by: noon, limit: 2)) == [first, second])
      #expect(try await store.nextDueTime() == noon)
      #expect(try await store.claimDue(by: noon, limit: 2) == [third])
      #expect(try await store.claimDue(by: noon, limit: 2).isEmpty)
      #expect(try await store.nextDueTime() == noon + .hours(2))
      #expect(Set(try await store.claimed()) == [first, second, third])
      let instance = store.instance
      for record in [first, second, third] {
        #expect(try await store.seen(record.id) { try $0.state().claim } == Claim(instance: instance))
      }
      #expect(try await store.seen(late.id) { try $0.state().claim } == Claim())
    },
    Check("a browser that is released with another due time is claimed again at it") { store in
      let browser = try await newBrowser("one", dueAt: Sample.noon, in: store)
      try #require(try await store.claimDue(by: Sample.noon, limit: 1) == [browser])
      try await store.write(browser.id) { rows in
        var state = try rows.state()
        (state.dueAt, state.claim) = (Sample.noon + .hours(1), Claim(fence: 1))
        try rows.save(state)
      }
      #expect(try await store.claimDue(by: Sample.noon, limit: 1).isEmpty)
      #expect(try await store.nextDueTime() == Sample.noon + .hours(1))
      #expect(try await store.claimDue(by: .latest, limit: 1) == [browser])
      let instance = store.instance
      #expect(try await store.seen(browser.id) { try $0.state().claim } == Claim(instance: instance, fence: 1))
    },
    Check("of writes and claims at once, a claim has the due time of the writes before it") { store in
      var browsers: [BrowserRecord] = []
      for number in 0..<8 { browsers.append(try await newBrowser("\(number)", dueAt: Sample.noon, in: store)) }
      let writes = browsers.map { browser in
        store.submit(browser.id) { rows in
          var state = try rows.state()
          state.dueAt = nil
          try rows.save(state)
        }
      }
      async let claimed = store.claimDue(by: .latest, limit: 9)
      for write in writes { try await write.answer() }
      for browser in try await claimed {
        let state = try await store.seen(browser.id) { try $0.state() }
        #expect(state.dueAt == nil && state.claim.instance != nil)
      }
      #expect(try await store.claimDue(by: .latest, limit: 9).isEmpty)
      #expect(try await store.nextDueTime() == nil)
    },
    Check("a copy of a claimed browser is not claimed, and a deleted browser is not due") { store in
      let browser = try await newBrowser("one", dueAt: Sample.noon, in: store)
      try #require(try await store.claimDue(by: Sample.noon, limit: 1) == [browser])
      let copy = try await store.fork(browser.id, as: BrowserCopy(name: "copy", createdAt: Sample.noon, incarnation: "i"))
      #expect(try await store.claimDue(by: Sample.noon, limit: 9) == [copy])
      let other = try await newBrowser("other", dueAt: Sample.noon, in: store)
      try await store.delete(other.id)
      #expect(try await store.nextDueTime() == nil)
      #expect(try await store.claimDue(by: .latest, limit: 9).isEmpty)
    },
    Check("a claim of this instance is not abandoned") { store in
      let browser = try await newBrowser("one", dueAt: Sample.noon, in: store)
      try #require(try await store.claimDue(by: Sample.noon, limit: 1) == [browser])
      #expect(try await store.claimAbandoned(limit: 9).isEmpty)
      #expect(store.mayAct)
    },
  ]
}
