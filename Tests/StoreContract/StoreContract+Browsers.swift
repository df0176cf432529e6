import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static let browserChecks = [
    Check("a new store has no browsers and can be written to") { store in
      #expect(try await store.browsers().isEmpty)
      try await store.checkWritable()
    },
    Check("browsers are listed in the order of their creation, as they were created") { store in
      var created: [BrowserRecord] = []
      for (name, mode) in [("zebra", ClockMode.manual), ("ärger 🐝", .real), ("", .manual)] {
        let new = NewBrowser(
          name: name, seed: "seed “\(name)”", clockMode: mode, state: BrowserState(now: Sample.noon),
          createdAt: Sample.noon + .days(1),
          incarnation: "incarnation of \(name)")
        let record = try await store.create(new)
        #expect((record.name, record.seed, record.clockMode) == (new.name, new.seed, new.clockMode))
        #expect((record.createdAt, record.incarnation) == (new.createdAt, new.incarnation))
        created.append(record)
      }
      #expect(try await store.browsers() == created)
    },
    Check("a taken name is refused and changes nothing") { store in
      let first = try await store.newBrowser("same")
      await expect(.browserExists(name: "same")) { _ = try await store.newBrowser("same") }
      #expect(try await store.browsers().map(\.id) == [first])
      _ = try await store.newBrowser("other")
    },
    Check("names with other bytes are other names, even if Swift's strings are equal") { store in
      let (composed, decomposed) = (try await store.newBrowser("\u{E9}"), try await store.newBrowser("e\u{301}"))
      #expect(try await store.browsers().map(\.id) == [composed, decomposed])
      #expect(try await store.browsers().map { Array($0.name.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
      await expect(.browserExists(name: "e\u{301}")) { _ = try await store.newBrowser("e\u{301}") }
    },
    Check("a browser is found by the bytes of its name until it is deleted") { store in
      var found: [String: BrowserRecord] = [:]
      for name in ["\u{E9}", "", "e"] {
        #expect(try await store.browser(named: name) == nil)
        let new = NewBrowser(
          name: name, seed: "seed of \(name)", clockMode: .real, state: BrowserState(now: Sample.noon))
        found[name] = try await store.create(new)
      }
      for (name, record) in found { #expect(try await store.browser(named: name) == record) }
      for absent in ["e\u{301}", "E", "e ", "e\0", "\0"] { #expect(try await store.browser(named: absent) == nil) }
      let old = try #require(found["e"])
      try await store.delete(old.id)
      #expect(try await store.browser(named: "e") == nil)
      let new = try await store.newBrowser("e")
      #expect(try await store.browser(named: "e")?.id == new && new != old.id)
      let copy = BrowserCopy(name: "copy", createdAt: Sample.noon + .days(1), incarnation: "incarnation of the copy")
      #expect(try await store.browser(named: "copy") == nil)
      let fork = try await store.fork(new, as: copy)
      #expect(try await store.browser(named: "copy") == fork)
    },
    Check("browsers are listed after a name in the order of the bytes of their names, up to a limit") { store in
      // A character of two UTF-16 units comes after all others.
      let names = ["A", "Z", "a", "a b", "ab", "e\u{301}", "\u{E9}", "\u{FF5E}", "\u{1F41D}"]
      for name in names.reversed() { _ = try await store.newBrowser(name) }
      let all = try await store.browsers(after: "", limit: 100)
      #expect(all.browsers.map { Array($0.record.name.utf8) } == names.map { Array($0.utf8) } && all.last == nil)
      for (number, name) in names.enumerated() {
        let (page, following) = (try await store.browsers(after: name, limit: 2), names.dropFirst(number + 1).prefix(2))
        #expect(page.browsers.map { Array($0.record.name.utf8) } == following.map { Array($0.utf8) })
        #expect(page.last.map { Array($0.utf8) } == (following.count == 2 ? following.last.map { Array($0.utf8) } : nil))
      }
      #expect(try await store.browsers(after: "a", limit: 1).last == "a b")
      let copy = BrowserCopy(name: "aa", createdAt: Sample.noon, incarnation: "i")
      let fork = try await store.fork(try await store.newBrowser("original"), as: copy)
      #expect(try await store.browsers(after: "a b", limit: 1).browsers.map(\.record) == [fork])
      try await store.delete(fork.id)
      #expect(try await store.browsers(after: "a b", limit: 1).browsers.map(\.record.name) == ["ab"])
    },
    Check("a list has the browsers whose labels are the wanted ones now") { store in
      let red = try #require(Label("color=red"))
      var ids: [BrowserID] = []
      for number in 0..<4 { ids.append(try await store.newBrowser("browser-\(number)")) }
      for (id, color) in zip(ids, ["red", "blue", "red", "red"]) {
        try await store.write(id) { rows in
          var state = try rows.state()
          state.upkeep = BrowserUpkeep(labels: Labels(["color": color, "size": "1"]), idleTimeout: .hours(1))
          try rows.save(state)
        }
      }
      func found(_ labels: [Label], after name: String = "", limit: Int = 9) async throws -> [BrowserID] {
        try await store.browsers(after: name, labels: labels, limit: limit).map(\.record.id)
      }
      #expect(try await found([red]) == [ids[0], ids[2], ids[3]])
      #expect(try await found([red], limit: 2) == [ids[0], ids[2]])
      #expect(try await found([red], after: "browser-0", limit: 1) == [ids[2]])
      #expect(try await found([red, try #require(Label("size=1"))]) == [ids[0], ids[2], ids[3]])
      #expect(try await found([red, try #require(Label("size=2"))]).isEmpty)
      #expect(try await found([], limit: 3) == Array(ids.prefix(3)))
      try await store.write(ids[0]) { rows in
        var state = try rows.state()
        state.upkeep = BrowserUpkeep()
        try rows.save(state)
      }
      #expect(try await found([red]) == [ids[2], ids[3]])
    },
    Check("of fifty creations and copies at once with a maximum of ten browsers, ten succeed") { store in
      let original = try await store.newBrowser("original")
      let created = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<50 {
          group.addTask {
            do {
              if number.isMultiple(of: 5) {
                let name = "browser-\(number)"
                let copy = BrowserCopy(name: name, createdAt: Sample.noon, incarnation: "i", maximumCount: 10)
                _ = try await store.fork(original, as: copy)
              } else {
                _ = try await store.create(limited("browser-\(number)", to: 10))
              }
              return true
            } catch {
              #expect(error as? StoreError == .tooManyBrowsers)
              return false
            }
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(created == 9)
      let names = try await store.browsers().map(\.name)
      #expect(names.count == 10)
      await expect(.browserExists(name: "original")) { _ = try await store.create(limited("original", to: 10)) }
      await expect(.tooManyBrowsers) { _ = try await store.create(limited("more", to: 10)) }
      #expect(try await store.browser(named: "more") == nil)
      try await store.delete(original)
      _ = try await store.create(limited("more", to: 10))
      _ = try await store.newBrowser("without a maximum")
    },
    Check("a creation adds rows in its transaction, or does nothing when they are refused") { store in
      let new = NewBrowser(name: "new", seed: "s", clockMode: .manual, state: BrowserState(now: Sample.noon))
      await expect(.unavailable("refused")) {
        _ = try await store.create(new) { rows in
          try everything(rows)
          throw StoreError.unavailable("refused")
        }
      }
      #expect(try await store.browsers().isEmpty)
      let record = try await store.create(new) { rows in
        try everything(rows)
        var state = try rows.state()
        state.registry += 1
        try rows.save(state)
      }
      let same = try await store.newBrowser("same")
      try await store.write(same, everything)
      #expect(try await store.seen(record.id, Contents.init) == store.seen(same, Contents.init))
      #expect(try await store.seen(record.id) { try $0.state().registry } == 1)
      #expect(try await store.seen(record.id) { try $0.nextSequence() } == 2)
    },
    Check("of many that ask for the same name at once one gets it") { store in
      let answers = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<20 { group.addTask { (try? await store.newBrowser("same")) != nil } }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(answers == 1)
    },
    Check("a deleted browser is gone, its name is free and its number is not given again") { store in
      let old = try await store.newBrowser("same")
      try await store.delete(old)
      try await store.delete(old)
      #expect(try await store.browsers().isEmpty)
      await expect(.unknownBrowser) { _ = try await store.read(old) { try $0.state() } }
      await expect(.unknownBrowser) { try await store.write(old) { try $0.save(Sample.click(1), in: .table) } }
      let new = try await store.newBrowser("same")
      #expect(new != old)
      await expect(.unknownBrowser) { _ = try await store.read(old) { try $0.state() } }
    },
    Check("a browser that never was is refused, and deleting it does nothing") { store in
      let missing = BrowserID(.max)
      await expect(.unknownBrowser) { _ = try await store.read(missing) { _ in 1 } }
      await expect(.unknownBrowser) { _ = try await store.write(missing) { _ in 1 } }
      try await store.delete(missing)
    },
    Check("two browsers do not see each other's rows, and deleting one leaves the other's") { store in
      let (left, right) = (try await store.newBrowser("left"), try await store.newBrowser("right"))
      try await store.write(left, everything)
      let contents = try await store.seen(left, Contents.init)
      #expect(try await store.seen(right, Contents.init) == Contents())
      try await store.write(right, everything)
      #expect(try await store.seen(right, Contents.init) == contents)
      try await store.delete(left)
      #expect(try await store.seen(right, Contents.init) == contents)
    },
    Check("removals in one browser leave the same rows of another") { store in
      let (left, right) = (try await store.newBrowser("left"), try await store.newBrowser("right"))
      for browser in [left, right] { try await store.write(browser, everything) }
      let contents = try await store.seen(right, Contents.init)
      try await store.write(left) { rows in
        for place in ClickPlace.allCases { _ = try rows.removeAllClicks(in: place) }
        for session in SessionKind.allCases { _ = try rows.removeAllAttributions(in: session) }
        try rows.remove(AppRecord.self, "com.example.app")
        for kind in DeviceRow.Kind.allCases { try rows.remove(DeviceRow.self, DeviceRow.Key(kind, "one")) }
        try rows.remove(Postback.self, 30)
      }
      #expect(try await store.seen(right, Contents.init) == contents)
    },
  ]

  private static func limited(_ name: String, to maximumCount: Int) -> NewBrowser {
    var new = NewBrowser(name: name, seed: "s", clockMode: .manual, state: BrowserState(now: Sample.noon))
    new.maximumCount = maximumCount
    return new
  }

  /// One row of each kind, in each place.
  @Sendable static func everything(_ rows: any BrowserWriter) throws {
    try rows.save(AppRecord.sample)
    for place in ClickPlace.allCases { try rows.save(Sample.click(place.rawValue + 1), in: place) }
    for session in SessionKind.allCases { try rows.save(Sample.attribution(session.rawValue + 10), in: session) }
    try rows.save(Sample.report(20, retryAt: Sample.noon))
    for kind in DeviceRow.Kind.allCases { try rows.save(DeviceRow(kind, "one", value: "{}", changesAt: Sample.noon)) }
    try rows.save(Sample.postback(30))
    try rows.append(Sample.event(1), at: Sample.noon)
  }

  /// The contents of a browser.
  struct Contents: Equatable {
    var apps: [AppRecord] = []
    var clicks: [KeptClick] = []
    var attributions: [Attribution] = []
    var reports: [Report] = []
    var retries: [Report] = []
    var deviceRows: [DeviceRow] = []
    var changing: [DeviceRow] = []
    var postbacks: [Postback] = []
    var waiting: [Postback] = []
    var events: [LogEvent] = []

    init() {}

    init(_ rows: any BrowserReader) throws {
      apps = try rows.apps()
      clicks = try ClickPlace.allCases.flatMap { try rows.clicks(in: $0, after: 0, limit: 1_000) }
      attributions = try SessionKind.allCases.flatMap { try rows.attributions(in: $0, after: 0, limit: 1_000) }
      reports = try rows.reports(in: nil, after: 0, limit: 1_000)
      retries = try rows.rows(Report.Query.earliest(limit: 1_000))
      deviceRows = try DeviceRow.Kind.allCases.flatMap { try rows.deviceRows($0, after: "", limit: 1_000) }
      changing = try rows.rows(DeviceRow.Query.earliest(limit: 1_000))
      postbacks = try rows.postbacks(in: nil, after: 0, limit: 1_000)
      waiting = try rows.rows(Postback.Query.earliest(limit: 1_000))
      events = try rows.events(after: 0, limit: 1_000)
    }
  }
}
