import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static let changeChecks = [
    Check("the numbers of the next events of several browsers omit browsers that do not exist") { store in
      #expect(try await store.nextSequences(of: []).isEmpty)
      let browsers = try await Sample.browsers(["empty", "long", "deleted", "other"], in: store)
      for browser in [browsers[1], browsers[1], browsers[2], browsers[3]] {
        _ = try await store.write(browser.id) { try $0.append(ClockSetBack(machineTime: Sample.noon), at: Sample.noon) }
      }
      try await store.delete(browsers[2].id)
      let ids = Set(browsers.prefix(3).map(\.id))
      #expect(try await store.nextSequences(of: ids) == [browsers[0].id: 1, browsers[1].id: 3])
    },
    Check("a shared store keeps what its instances have in common, also for a copy") { store in
      guard store.isShared else { return }
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        for kind in InstanceRow.Kind.allCases { try rows.save(InstanceRow(kind, value: "1")) }
        try rows.save(InstanceRow(.uses, value: "2"))
        try rows.remove(InstanceRow.self, InstanceRow.Kind.turn.rawValue)
      }
      let copy = try await store.fork(browser, as: BrowserCopy(name: "copy", createdAt: Sample.noon, incarnation: "i")).id
      for browser in [browser, copy] {
        let values = try await store.seen(browser) { rows in try InstanceRow.Kind.allCases.map { try rows.common($0) } }
        #expect(values == ["2", "1", nil])
      }
    },
    Check("a store with one owner reports no changes of others") { store in
      guard !store.isShared else { return }
      for await _ in store.changes { Issue.record("no other process uses the store") }
    },
  ]
}

extension Sample {
  fileprivate static func browsers(_ names: [String], in store: any Store) async throws -> [BrowserRecord] {
    var browsers: [BrowserRecord] = []
    for name in names {
      let state = BrowserState(now: noon)
      browsers.append(try await store.create(NewBrowser(name: name, seed: "s", clockMode: .manual, state: state)))
    }
    return browsers
  }
}
