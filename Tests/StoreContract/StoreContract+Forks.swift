import PCMCore
package import PCMStore
import Testing

/// All rows of a browser.
private struct Rows: Equatable, Sendable {
  let state: BrowserState
  let apps: [AppRecord]
  let sites: [SiteRecord]
  let clicks: [KeptClick]
  let attributions: [Attribution]
  let reports: [Report]
  let deviceRows: [DeviceRow]
  let postbacks: [Postback]
  let events: [LogEvent]
  let found: [LogEvent]
  let next: Int64
  let rules: RuleList?
  let journal: [JournalEntry]
  let journalEnding: JournalEnding?

  init(_ reader: any BrowserReader) throws {
    state = try reader.state()
    apps = try reader.apps()
    sites = try reader.sites()
    clicks = try ClickPlace.allCases.flatMap { try reader.clicks(in: $0, after: 0, limit: 100) }
    attributions = try SessionKind.allCases.flatMap { try reader.attributions(in: $0, after: 0, limit: 100) }
    reports = try reader.reports(in: nil, after: 0, limit: 100)
    deviceRows = try reader.rows(DeviceRow.Query.earliest(limit: 100))
    postbacks = try reader.rows(Postback.Query.earliest(limit: 100))
    events = try reader.events(after: 0, limit: 10_000)
    found = try reader.lastEvents(EventFilter(about: RecordName.click(1)), limit: 100)
    next = try reader.nextSequence()
    rules = try reader.ruleList(Sample.rules.id)
    journal = try reader.journal()
    journalEnding = try reader.state().journal.ending
  }
}

extension StoreContract {
  /// Adds rows of every kind.
  package static func fill(_ rows: any BrowserWriter) throws {
    try rows.save(BrowserState(now: .latest, timer: Sample.noon, draws: ["token": 4], network: .simulated))
    try rows.save(AppRecord.sample)
    try rows.save(SiteRecord(host: "shop.example", behavior: "{}", positions: #"{"report":1}"#))
    for (index, place) in ClickPlace.allCases.enumerated() { try rows.save(Sample.click(Int64(index + 1)), in: place) }
    for (index, session) in SessionKind.allCases.enumerated() {
      try rows.save(Sample.attribution(Int64(index + 1)), in: session)
    }
    for number in 1...3 { try rows.save(Sample.report(Int64(number), attempts: ["{}"])) }
    for name in ["one", "two"] { try rows.save(Sample.deviceRow(name, changesAt: Sample.noon)) }
    for number in 1...3 { try rows.save(Sample.postback(Int64(number), attempts: ["{}"])) }
    for event in Sample.events { try rows.append(event, at: Sample.noon) }
    for text in ["one", "two"] { _ = try rows.addToJournal(text, within: journalLimits()) }
  }

  static let forkChecks = [
    Check("a copy of a browser has all its rows, with the same numbers") { store in
      _ = try await store.newBrowser("before")
      let original = try await store.newBrowser()
      try await store.write(original) { try fill($0) }
      let copy = try await store.fork(original, as: BrowserCopy(name: "copy", createdAt: Sample.noon, incarnation: "i"))
      let records = try await store.browsers()
      #expect(records.map(\.name) == ["before", "one", "copy"])
      let (old, new) = (records[1], records[2])
      #expect(new == copy && new.id != old.id)
      #expect(new.seed == old.seed && new.clockMode == old.clockMode)
      #expect(new.start == old.start && new.initialSettings == old.initialSettings)
      let rows = try await store.seen(original) { try Rows($0) }
      #expect(rows.clicks.count == ClickPlace.allCases.count && rows.found.count > 3)
      #expect(rows.deviceRows.count == 2 && rows.postbacks.count == 3)
      #expect(try await store.seen(copy.id) { try Rows($0) } == rows)
      #expect(copy.createdAt == Sample.noon && copy.incarnation == "i" && copy.initialUpkeep == BrowserUpkeep())
    },
    Check("a browser and its copy do not change each other") { store in
      let original = try await store.newBrowser()
      try await store.write(original) { try fill($0) }
      let copy = try await store.fork(original, as: BrowserCopy(name: "copy", createdAt: Sample.noon, incarnation: "i")).id
      let rows = try await store.seen(original) { try Rows($0) }
      for (changed, other) in [(copy, original), (original, copy)] {
        let before = try await store.seen(other) { try Rows($0) }
        try await store.write(changed) { writer in
          try writer.append(Sample.event(), at: Sample.noon)
          try writer.save(BrowserState(now: Sample.noon))
          try writer.remove(SiteRecord.self, "shop.example")
          _ = try writer.addToJournal("three", within: journalLimits())
          try writer.remove(AppRecord.self, AppRecord.sample.bundleIdentifier)
          _ = try writer.removeAllClicks(in: .table)
          _ = try writer.removeAllAttributions(in: .normal)
          try writer.save(Sample.report(2, state: .failed))
          try writer.save(Sample.deviceRow("one"))
          try writer.remove(DeviceRow.self, Sample.deviceRow("two").key)
          try writer.save(Sample.postback(1, state: .delivered))
          try writer.remove(Postback.self, 2)
        }
        #expect(try await store.seen(other) { try Rows($0) } == before)
        #expect(try await store.seen(changed) { try Rows($0) } != rows)
      }
      try await store.delete(original)
      #expect(try await store.seen(copy) { try $0.apps() }.isEmpty)
      await expect(.unknownBrowser) {
        _ = try await store.fork(original, as: BrowserCopy(name: "another", createdAt: Sample.noon, incarnation: "i"))
      }
    },
    Check("a copy with a long log is complete, while other browsers are written to") { store in
      let (original, other) = (try await store.newBrowser(), try await store.newBrowser("other"))
      try await store.write(original) { rows in
        for number in 1...3_000 as ClosedRange<Int64> {
          try rows.append(Sample.event(number), at: Sample.noon)
          try rows.save(Sample.report(number))
        }
      }
      async let fork = store.fork(original, as: BrowserCopy(name: "copy", createdAt: Sample.noon, incarnation: "i"))
      for _ in 1...20 { try await store.write(other) { _ = try $0.append(Sample.event(), at: Sample.noon) } }
      let copy = try await fork
      #expect(try await store.browsers().map(\.name) == ["one", "other", "copy"])
      let events = try await store.read(original) { try $0.events(after: 0, limit: .max) }
      #expect(try await store.read(copy.id) { try $0.events(after: 0, limit: .max) } == events)
      let reports = try await store.read(original) { try $0.reports(in: nil, after: 0, limit: .max) }
      #expect(try await store.read(copy.id) { try $0.reports(in: nil, after: 0, limit: .max) } == reports)
      #expect(events.count == 3_000 && reports.count == 3_000)
    },
    Check("a browser with a long log is unreachable after its deletion, and its name is free") { store in
      let (old, copy) = (try await store.newBrowser(), BrowserCopy(name: "copy", createdAt: Sample.noon, incarnation: "i"))
      try await store.write(old) { rows in
        for _ in 1...3_000 { try rows.append(Sample.event(), at: Sample.noon) }
      }
      try await store.delete(old)
      #expect(try await store.browsers().isEmpty)
      await expect(.unknownBrowser) { _ = try await store.read(old) { try $0.state() } }
      await expect(.unknownBrowser) { _ = try await store.write(old) { try $0.state() } }
      await expect(.unknownBrowser) { _ = try await store.fork(old, as: copy) }
      let new = try await store.newBrowser()
      #expect(try await store.browsers().map(\.id) == [new])
      #expect(try await store.seen(new) { try $0.events(after: 0, limit: 9) }.isEmpty)
    },
    Check("a copy needs a free name") { store in
      let original = try await store.newBrowser()
      _ = try await store.newBrowser("taken")
      await expect(.browserExists(name: "taken")) {
        _ = try await store.fork(original, as: BrowserCopy(name: "taken", createdAt: Sample.noon, incarnation: "i"))
      }
      #expect(try await store.browsers().count == 2)
    },
  ]
}
