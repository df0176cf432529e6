import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static let eventRemovalChecks = [
    Check("events are removed in blocks, with what the index has of them, and numbers go on") { store in
      let (browser, other) = (try await store.newBrowser(), try await store.newBrowser("other"))
      for id in [browser, other] { try await fill(id, in: store, blocks: 3) }
      let size = LogBlock.size
      // From where events are removed, and the first that is left.
      for (sequence, first) in [
        (-1, 1), (0, 1), (size - 1, 1), (size, size), (size, size), (2 * size - 1, size), (2 * size + 5, 2 * size),
        (.max, 3 * size),
      ] as [(Int64, Int64)] {
        try await store.write(browser) { try $0.removeEvents(before: sequence) }
        try await expect(first, in: browser, of: store)
      }
      try await expect(1, in: other, of: store)
      let event = try await store.write(browser) { try $0.append(Sample.event(), at: Sample.noon) }
      #expect(event.sequence == 3 * size + 10)
    },
    Check("the last block stays when it is full, so that the numbers go on") { store in
      let browser = try await store.newBrowser()
      try await fill(browser, in: store, blocks: 2, more: 0)
      try await store.write(browser) { try $0.removeEvents(before: .max) }
      #expect(try await store.seen(browser) { try $0.firstSequence() } == LogBlock.size)
      #expect(try await store.write(browser) { try $0.append(Sample.event(), at: Sample.noon).sequence } == 2 * LogBlock.size)
    },
    Check("events whose removal was rolled back are there, in the index too") { store in
      let browser = try await store.newBrowser()
      try await fill(browser, in: store, blocks: 2)
      await #expect(throws: Refusal()) {
        try await store.write(browser) { rows in
          try rows.removeEvents(before: .max)
          try rows.append(Sample.event(), at: Sample.noon)
          throw Refusal()
        }
      }
      try await expect(1, in: browser, of: store, end: 2 * LogBlock.size + 9)
    },
    Check("events are removed by the write that appended them, and by another one of the same time") { store in
      let (browser, other) = (try await store.newBrowser(), try await store.newBrowser("other"))
      try await store.write(browser) { rows in
        try append(blocks: 3, more: 10, to: rows)
        try rows.removeEvents(before: 2 * LogBlock.size)
      }
      try await expect(2 * LogBlock.size, in: browser, of: store)
      let writes = [
        store.submit(other) { try append(blocks: 3, more: 5, to: $0) },
        store.submit(other) { try $0.removeEvents(before: LogBlock.size) },
        store.submit(other) { for _ in 0..<5 { try $0.append(Sample.event(), at: Sample.noon) } },
      ]
      for write in writes { try await write.answer() }
      try await expect(LogBlock.size, in: other, of: store)
    },
    Check("a log without events stays as it is") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { try $0.removeEvents(before: .max) }
      #expect(try await store.seen(browser) { [try $0.firstSequence(), try $0.nextSequence()] } == [1, 1])
    },
  ]

  /// Complete blocks of events, and some more.
  private static func fill(_ browser: BrowserID, in store: any Store, blocks: Int64, more: Int64 = 10) async throws {
    try await store.write(browser) { try append(blocks: blocks, more: more, to: $0) }
  }

  private static func append(blocks: Int64, more: Int64, to rows: any BrowserWriter) throws {
    for _ in 1..<blocks * LogBlock.size + more { try rows.append(Sample.event(), at: Sample.noon) }
  }

  /// Expects the events from a number to the end, and the index to have the same.
  private static func expect(
    _ first: Int64, in browser: BrowserID, of store: any Store, end: Int64 = 3 * LogBlock.size + 9,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await store.seen(browser, sourceLocation: sourceLocation) { rows in
      [
        [try rows.firstSequence()], [try rows.nextSequence() - 1], try rows.events(after: 0, limit: .max).map(\.sequence),
        try rows.events(EventFilter(about: RecordName.click(1)), after: 0, limit: .max).map(\.sequence),
        try rows.events(EventFilter(kind: .clickExpired), after: 0, limit: .max).map(\.sequence),
        try rows.events(after: first + 1, limit: 1).map(\.sequence),
      ]
    }
    let all = Array(first...end)
    guard found != [[first], [end], all, all, all, [first + 2]] else { return }
    Issue.record("from \(first) to \(end): \(found.map { $0.prefix(9) })", sourceLocation: sourceLocation)
  }
}
