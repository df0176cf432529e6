import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore
import Testing

/// Posted clicks, triggering events, and attributions can be fetched, with their states.
@Suite struct RecordListTests {
  private func clicks(_ scene: Scene, _ filter: ClickFilter = ClickFilter()) async throws -> [ClickRecord] {
    try await scene.browser.clicks(filter, limit: 1_000).items
  }

  private func states(_ scene: Scene) async throws -> [ClickRecord.State] { try await clicks(scene).map(\.state) }

  @Test("a click is replaced by one with the same key, and each names the other")
  func replacement() async throws {
    let scene = try await Scene()
    let first = try await scene.click(3)
    let second = try await scene.click(4)
    let found = try await clicks(scene)
    #expect(found.map(\.state) == [.replaced, .stored])
    #expect(found.map(\.successor) == [second.sequence, nil])
    #expect(found.map(\.replaced) == [nil, first.sequence])
  }

  @Test("an attributed click names its attribution, and a click that lost to its priority is lost")
  func attribution() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    let attribution = try #require(try await scene.trigger("12/03").attribution)
    try await scene.click(4)
    try await scene.trigger("12/01")
    let found = try await clicks(scene)
    #expect(found.map(\.state) == [.attributed, .lost])
    #expect(found.map(\.attribution) == [attribution.id, nil])
  }

  @Test("a click expires with the next triggering event after seven days")
  func expiry() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    try await scene.advance(.days(7))
    try await scene.advance(Interval(milliseconds: 1))
    #expect(try await states(scene) == [.stored])
    try await scene.trigger("12")
    #expect(try await states(scene) == [.expired])
    #expect(try await clicks(scene, ClickFilter([.stored])).isEmpty)
  }

  @Test("a private session suspends the clicks of the normal one, and its own are cleared at its end")
  func sessions() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    try await scene.embeddedTap(4)
    try await scene.browser.change(SettingsChange(privateBrowsing: true))
    try await scene.click(5)
    #expect(try await states(scene) == [.suspended, .suspended, .ephemeral])
    #expect(try await clicks(scene, ClickFilter([.suspended])).map(\.click?.click.sourceID) == [3, 4])
    try await scene.browser.change(SettingsChange(privateBrowsing: false))
    #expect(try await states(scene) == [.stored, .ephemeral, .cleared])
    try await scene.trigger("12", from: "x.example")
    #expect(try await states(scene) == [.stored, .lost, .cleared])
    try await scene.browser.clear(nil)
    #expect(try await states(scene) == [.cleared, .lost, .cleared])
  }

  @Test("an attribution keeps its number when a better event renews it, and each event its own reports")
  func renewal() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    let first = try await scene.trigger("12/03").record
    let second = try await scene.trigger("13/04").record
    let listed = try await scene.browser.attributions(limit: 10).items
    #expect(listed.map(\.json) == [try #require(second.attribution).json])
    let events = try await scene.browser.triggeringEvents(limit: 10).items
    #expect(events.map(\.attribution?.state) == [.replaced, .pending])
    #expect(events.map(\.attribution?.id) == [listed[0].id, listed[0].id])
    #expect(events[0].attribution?.sourceReport == first.attribution?.sourceReport)
    try await scene.advance(.days(3))
    #expect(try await scene.browser.attribution(named: RecordName.attribution(listed[0].id)).state == .reported)
    #expect(try await scene.browser.attributions(AttributionFilter([.pending]), limit: 10).items.isEmpty)
  }

  @Test("a note about an accepted event is fetched, too")
  func notes() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    let outcome = try await scene.trigger("+5")
    #expect(outcome.reasons.map(\.code) == ["grammar-lenient"])
    #expect(try await scene.browser.triggeringEvent(named: RecordName.triggeringEvent(outcome.sequence)).json == outcome.json)
  }

  @Test("a page ends with the event that reaches four megabytes, and the next one continues")
  func longEvents() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    let reason = Reason("no-user-gesture", String(repeating: "x", count: 50_000))
    let discarded = ClickDiscarded(origin: .linkClick, destination: nil, reasons: [reason], decision: nil)
    try await store.write(scene.browser.record.id) { writer in
      for _ in 1...120 { try writer.append(discarded, at: Scene.start) }
    }
    let first = try await scene.browser.clicks(limit: 1_000)
    #expect((80...84).contains(first.items.count))
    let second = try await scene.browser.clicks(after: try #require(first.next), limit: 1_000)
    #expect(first.items.count + second.items.count == 120 && second.next == nil)
  }

  @Test("an app whose texts reach a size is followed by one more app")
  func longApps() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    for name in ["com.a", "com.b"] {
      let manifest = try Scene.manifest(of: name, endpoint: "https://\(Scene.source)", sites: scene.environment.sites)
      _ = try await scene.browser.register(manifest)
    }
    let all = try await scene.browser.registeredApps()
    #expect(all.map(\.bundleIdentifier) == ["com.a", "com.b", Scene.app])
    #expect(try await scene.browser.registeredApps(bytes: 1) == Array(all.prefix(2)))
    #expect(try await scene.browser.registeredApps(after: "com.a", limit: 1) == [all[1]])
  }

  @Test("records older than the log are listed as long as they are stored")
  func trimmedLog() async throws {
    let store = MemoryStore()
    let retention = LogRetentionChange(maximumCount: 1_000)
    let scene = try await Scene(settings: SettingsChange(logRetention: retention), store: store)
    let kept = try await scene.click(3, to: "kept.example")
    let gone = try await scene.trigger("99")
    try await scene.click(4, to: "reported.example")
    let attributed = try await scene.trigger("12", on: "reported.example")
    try await store.write(scene.browser.record.id) { writer in
      let event = ClickExpired(click: 900_000_000, expiredAt: Scene.start)
      while try writer.nextSequence() < 2 * LogBlock.size - 8 { try writer.append(event, at: Scene.start) }
    }
    for _ in 1...20 { try await scene.click(5, to: Scene.source) }
    try await scene.click(5, to: "new.example")
    #expect(try await scene.kinds().contains(.logTrimmed))
    let found = try await clicks(scene).filter { $0.state != .discarded }
    #expect(found.map(\.click?.click.sourceID) == [3, 5])
    #expect(try await scene.browser.click(named: RecordName.click(kept.sequence)) == found[0])
    let attribution = try await scene.browser.attribution(named: RecordName.attribution(#require(attributed.attribution).id))
    #expect(attribution.state == .pending && attribution.json["triggeringEventId"] == .null)
    #expect(try await scene.browser.attributions(limit: 10).items == [attribution])
    await #expect(throws: BrowserError.self) {
      try await scene.browser.triggeringEvent(named: RecordName.triggeringEvent(gone.sequence))
    }
  }

  @Test("the work for a page is bounded: it may have fewer records and a next page")
  func boundedWork() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    let count = 600
    for number in 0..<count { try await scene.click(number % 256, to: "d\(number).example") }
    try await scene.browser.clear(nil)
    // That a click was cleared is known only after a search through all blocks of the log.
    try await store.write(scene.browser.record.id) { writer in
      let event = ClickExpired(click: 900_000_000, expiredAt: Scene.start)
      while try writer.nextSequence() < 80 * LogBlock.size { try writer.append(event, at: Scene.start) }
    }
    var (found, pages, next): ([ClickRecord], Int, Int64?) = ([], 0, 0)
    while let position = next {
      let page = try await scene.browser.clicks(after: position, limit: count)
      #expect(page.items.count < count)
      found += page.items
      (pages, next) = (pages + 1, page.next)
    }
    #expect(found.map(\.state) == Array(repeating: .cleared, count: count))
    #expect(pages > 2)
  }

  /// Every answer to a post equals the record that is fetched at once, every page and every filter is a part of the whole, and
  /// stored records have the states of stored rows.
  @Test("fetched records agree with the answers and the rows", arguments: 0..<12)
  func agreement(_ seed: UInt64) async throws {
    var chance = SplitMix64(seed: seed)
    let scene = try await Scene(seed: "\(seed)")
    for _ in 0..<80 { try await step(scene, &chance) }
    let all = try await clicks(scene)
    let session = try await scene.measurements()
    #expect(all.filter { $0.state == .stored }.map(\.sequence) == session.unattributed.map(\.id))
    #expect(all.filter { $0.state == .ephemeral }.map(\.sequence) == [session.ephemeral?.id].compactMap { $0 })
    for limit in [1, 3] {
      #expect(try await pages { try await scene.browser.clicks(after: $0, limit: limit) } == all)
      let events = try await scene.browser.triggeringEvents(limit: 1_000).items
      #expect(try await pages { try await scene.browser.triggeringEvents(after: $0, limit: limit) } == events)
      let attributions = try await scene.browser.attributions(limit: 1_000).items
      #expect(try await pages { try await scene.browser.attributions(after: $0, limit: limit) } == attributions)
      for state in AttributionRecord.State.allCases {
        let filter = AttributionFilter([state], sites: [Site("d1.example"), Site("d2.example")])
        let expected = attributions.filter { $0.state == state && filter.sites.contains($0.key.destination) }
        #expect(try await pages { try await scene.browser.attributions(filter, after: $0, limit: limit) } == expected)
      }
    }
    for state in ClickRecord.State.allCases where ![.discarded, .handedOver].contains(state) {
      let filter = ClickFilter([state], sites: [Site("d1.example")])
      let expected = all.filter { $0.state == state && $0.click?.click.key.destination == Site("d1.example") }
      #expect(try await pages { try await scene.browser.clicks(filter, after: $0, limit: 2) } == expected, "\(state)")
    }
  }

  private func pages<Record: Hashable & Sendable>(_ page: (Int64) async throws -> RecordPage<Record>) async throws -> [Record] {
    var (found, next): ([Record], Int64?) = ([], 0)
    while let position = next {
      let page = try await page(position)
      found += page.items
      next = page.next
    }
    return found
  }

  private func step(_ scene: Scene, _ chance: inout SplitMix64) async throws {
    let site = "d\(chance.below(3)).example"
    switch chance.below(12) {
    case 0...3: try await expectFetched(scene.click(chance.below(256), to: site), by: scene.browser)
    case 4: try await expectFetched(scene.embeddedTap(chance.below(256)), by: scene.browser)
    case 5: try await expectFetched(scene.click(7, to: Scene.source), by: scene.browser)
    case 6...8: try await expectFetched(scene.trigger("12/0\(chance.below(4))", on: site), by: scene.browser)
    case 9: try await expectFetched(scene.trigger("99", on: site), by: scene.browser)
    case 10: try await scene.advance(.hours(Int64(chance.below(60))))
    default:
      let isPrivate = chance.below(2) == 0
      try await scene.browser.change(SettingsChange(privateBrowsing: isPrivate))
    }
  }

  private func expectFetched(_ outcome: ClickRecord, by browser: Browser) async throws {
    #expect(try await browser.click(named: RecordName.click(outcome.sequence)) == outcome)
  }

  private func expectFetched(_ outcome: TriggerOutcome, by browser: Browser) async throws {
    #expect(try await browser.triggeringEvent(named: RecordName.triggeringEvent(outcome.sequence)).json == outcome.json)
  }
}

extension SplitMix64 {
  fileprivate mutating func below(_ bound: UInt64) -> Int { Int(next() % bound) }
}
