package import PCMCore
package import PCMStore
import Testing

extension StoreContract {
  static let eventIndexChecks = [
    Check("events are found by what they are about and by their kind, in both directions") { store in
      let browser = try await store.newBrowser()
      let events = mixedLog(count: 2 * Int(LogBlock.size) + 100)
      let logged = try await store.write(browser) { rows in try events.map { try rows.append($0, at: Sample.noon) } }
      let names = [
        "click-7", "click-1030", "attribution-14", "report-2055", "social.example", "10.example", BundleIdentifier.safari,
      ]
      for name in names + ["click-01", "nowhere.example", "", "click-99999999"] {
        for kind in name == names[0] || name == names[4] ? [nil, .clickStored, .attributed] : [nil] as [EventKind?] {
          let filter = EventFilter(about: name, kind: kind)
          let expected = zip(events, logged).filter { event, logged in
            event.subjects(at: logged.sequence).contains { $0.name == name } && (kind == nil || event.kind == kind)
          }.map(\.1)
          try await expect(expected, for: filter, of: browser, in: store)
        }
      }
      for kind in [EventKind.clickExpired, .reportScheduled, .dataCleared] {
        try await expect(logged.filter { $0.kind == kind }, for: EventFilter(kind: kind), of: browser, in: store)
      }
      try await expect(logged, for: EventFilter(), of: browser, in: store)
    },
    Check("a search finds the selected events, and ends after a block when its effort is exhausted") { store in
      let browser = try await store.newBrowser()
      let events = mixedLog(count: 3 * Int(LogBlock.size) + 100)
      let logged = try await store.write(browser) { rows in try events.map { try rows.append($0, at: Sample.noon) } }
      let names: Set = ["click-7", "click-1030", "3.example", "5.example", "nowhere.example"]
      let selections = [
        EventSelection(), EventSelection(about: names), EventSelection(kinds: [.clickExpired, .attributed]),
        EventSelection(about: names, kinds: [.clickStored, .attributed, .dataCleared]),
      ]
      for selection in selections {
        let expected = zip(events, logged).filter { event, logged in
          (selection.kinds.isEmpty || selection.kinds.contains(event.kind))
            && (selection.subjects.isEmpty
              || event.subjects(at: logged.sequence).contains { selection.subjects.contains($0.name) })
        }.map(\.1)
        for (limit, work) in [(7, 0), (10_000, 0), (10_000, 1_000_000)] {
          let pages = try await store.searches(selection, in: browser, limit: limit, work: work)
          #expect(pages.flatMap(\.events) == expected, "\(selection), \(limit), \(work)")
          #expect(pages.last?.end == logged.last?.sequence)
          if work > 0 { #expect(pages.dropLast().map(\.end) == [1, 2, 3].map { $0 * LogBlock.size - 1 }) }
        }
      }
    },
    Check("a search ends with the event that reaches a size, and the next one continues after it") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        for number in 1...Int(LogBlock.size) + 200 {
          let reason = Reason("a-code", String(repeating: "x", count: number % 100 == 0 ? 20_000 : 200))
          let click = ClickDiscarded(
            origin: .linkClick, destination: number % 3 == 0 ? Sample.shop : Sample.social, reasons: [reason], decision: nil)
          try rows.append(number % 2 == 0 ? click : Sample.event(Int64(number)), at: Sample.noon)
        }
      }
      let sites = Set([Sample.shop.domain, Sample.social.domain])
      for selection in [
        .all, EventSelection(kinds: [.clickDiscarded]), EventSelection(about: sites),
        EventSelection(about: sites.union(["click-7"]), kinds: [.clickDiscarded, .clickExpired]),
      ] {
        func search(after position: Int64, limit: Int, bytes: Int?) async throws -> FoundEvents {
          try await store.seen(browser) { rows in
            var effort = ReadingEffort()
            return try rows.search(selection, after: position, limit: limit, bytes: bytes, &effort)
          }
        }
        let all = try await search(after: 0, limit: .max, bytes: nil).events
        for (limit, bytes, count) in [(1_000, 30_000, 300), (50, 30_000, 300), (1_000, 1, 30)] {
          var (found, end): ([LogEvent], Int64?) = ([], 0)
          while let position = end, found.count < count {
            let page = try await search(after: position, limit: limit, bytes: bytes)
            #expect(page.events.dropLast().size < bytes && page.events.count <= limit, "\(selection)")
            found += page.events
            end = page.isComplete ? nil : page.end
          }
          #expect(found == Array(all.prefix(found.count)), "\(selection), \(limit), \(bytes)")
          #expect(found.count >= min(all.count, count))
        }
      }
    },
    Check("every kind of event is found by each of its subjects") { store in
      let browser = try await store.newBrowser()
      let logged = try await store.write(browser) { rows in try Sample.events.map { try rows.append($0, at: Sample.noon) } }
      let subjects = zip(Sample.events, logged).map { event, logged in event.subjects(at: logged.sequence).map(\.name) }
      for name in Set(subjects.joined()) {
        let expected = zip(subjects, logged).filter { $0.0.contains(name) }.map(\.1)
        try await expect(expected, for: EventFilter(about: name), of: browser, in: store)
      }
    },
    Check("a site or an app with the name of an event's record does not find the event twice") { store in
      let browser = try await store.newBrowser()
      let event = ClickStored(
        .clickStored, Sample.click(1, Sample.key("click-1", "shop.example", "click-1")), origin: .linkClick, decision: nil)
      let logged = try await store.write(browser) { try $0.append(event, at: Sample.noon) }
      try await expect([logged], for: EventFilter(about: "click-1"), of: browser, in: store)
    },
    Check("an event that was rolled back is not in the index") { store in
      let browser = try await store.newBrowser()
      let log = mixedLog(count: Int(LogBlock.size) - 2)
      try await store.write(browser) { rows in for event in log { try rows.append(event, at: Sample.noon) } }
      await #expect(throws: Refusal()) {
        try await store.write(browser) { rows in
          // Some of them are in a block that did not exist before.
          for event in Sample.events { try rows.append(event, at: Sample.noon) }
          throw Refusal()
        }
      }
      let cleared = EventFilter(kind: .dataCleared)
      try await expect([], for: cleared, of: browser, in: store)
      try await expect([], for: EventFilter(about: Sample.shop.domain), of: browser, in: store)
      let event = try await store.write(browser) {
        try $0.append(DataCleared(site: Sample.shop, clicks: 0, attributions: 0, reports: 0), at: Sample.noon)
      }
      try await expect([event], for: cleared, of: browser, in: store)
      try await expect([event], for: EventFilter(about: Sample.shop.domain), of: browser, in: store)
    },
  ]

  /// Events that introduce clicks, attributions, and reports under their own numbers, and others about them.
  private static func mixedLog(count: Int) -> [any BrowserEvent] {
    (1...Int64(count)).map { number in
      switch number % 7 {
      case 0:
        let click = Sample.click(number - 1, Sample.key("social.example", "\(number % 11).example"))
        let attribution = Attribution(
          id: number, click: click, trigger: Trigger(data: 1, priority: 2), attributedAt: Sample.noon,
          source: .init(report: number + 1, dueAt: Sample.noon), destination: .init(report: number + 2, dueAt: Sample.noon))
        return Attributed(attribution, accepted: nil, decision: nil)
      case 1, 2:
        return ReportScheduled(
          report: number, attribution: number - number % 7, recipient: .source, url: "", dueAt: Sample.noon)
      case 3: return Sample.event(number - 20)
      default:
        let key = Sample.key("social.example", "\(number % 11).example")
        return ClickStored(.clickStored, Sample.click(number, key), origin: .linkClick, decision: nil)
      }
    }
  }

  /// Expects these events in both directions, from several places and in several numbers.
  private static func expect(
    _ expected: [LogEvent], for filter: EventFilter, of browser: BrowserID, in store: any Store,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let end = expected.last?.sequence ?? 1
    let pages: [(position: Int64, limit: Int)] = [
      (0, .max), (0, 3), (0, 0), (1, 1), (LogBlock.size - 1, 3), (LogBlock.size, 3), (end - 1, 3), (end, 2), (.max, .max),
    ]
    let found = try await store.seen(browser, sourceLocation: sourceLocation) { rows in
      try pages.map { page in
        [
          try rows.events(filter, after: page.position, limit: page.limit),
          try rows.lastEvents(filter, before: page.position, limit: page.limit),
        ]
      }
    }
    for (page, found) in zip(pages, found) {
      let after = expected.filter { $0.sequence > page.position }.prefix(page.limit)
      let before = expected.filter { $0.sequence < page.position }.reversed().prefix(page.limit)
      guard found != [Array(after), Array(before)] else { continue }
      let numbers = found.map { $0.prefix(20).map(\.sequence) }
      Issue.record("\(filter), \(page): \(numbers)", sourceLocation: sourceLocation)
    }
  }
}

extension Store {
  /// The results of searches through the whole log, each after the previous.
  ///
  /// - Parameter work: The work that each search finds done.
  fileprivate func searches(
    _ selection: EventSelection, in browser: BrowserID, limit: Int, work: Int
  ) async throws -> [FoundEvents] {
    var pages: [FoundEvents] = []
    while pages.last?.isComplete != true {
      let position = pages.last?.end ?? 0
      let page = try await seen(browser) { reader in
        var effort = ReadingEffort()
        effort.add(work)
        return try reader.search(selection, after: position, limit: limit, &effort)
      }
      guard page.end > position, page.events.count <= limit else { return pages }
      pages.append(page)
    }
    return pages
  }
}

extension BrowserReader {
  /// The events after a sequence number that satisfy a filter, in order, from searches.
  package func events(_ filter: EventFilter, after sequence: Int64, limit: Int) throws -> [LogEvent] {
    let selection = EventSelection(
      about: filter.subject.map { [$0] } ?? [], kinds: filter.kind.map { [$0] } ?? [])
    var (found, position): ([LogEvent], Int64) = ([], sequence)
    while found.count < limit {
      var effort = ReadingEffort()
      let search = try search(selection, after: position, limit: limit - found.count, &effort)
      (found, position) = (found + search.events, search.end)
      if search.isComplete { break }
    }
    return found
  }
}
