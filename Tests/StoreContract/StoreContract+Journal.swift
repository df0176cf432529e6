import PCMStore
import Testing

extension StoreContract {
  static let journalChecks = [
    Check("the entries of a journal come back in order") { store in
      let (browser, other) = (try await store.newBrowser(), try await store.newBrowser("other"))
      #expect(try await store.seen(browser) { try $0.journal() }.isEmpty)
      for text in [#"{"call":"ä 🎯"}"#, "", "three"] {
        #expect(try await store.write(browser) { try $0.addToJournal(text, within: journalLimits()) })
      }
      #expect(try await store.seen(browser, texts) == ["1 {\"call\":\"ä 🎯\"}", "2 ", "3 three"])
      #expect(try await store.seen(browser) { try $0.state().journal.ending } == nil)
      #expect(try await store.seen(other) { try $0.journal() }.isEmpty)
      try await store.delete(browser)
      let again = try await store.newBrowser()
      #expect(try await store.seen(again) { try $0.journal() }.isEmpty)
    },
    Check("an entry beyond a limit ends the journal for good and removes its entries") { store in
      for (name, limits) in [("count", journalLimits(count: 2)), ("bytes", journalLimits(bytes: 8))] {
        let browser = try await store.newBrowser(name)
        for isKept in [true, true, false, false] {
          #expect(try await store.write(browser) { try $0.addToJournal("four", within: limits) } == isKept)
        }
        #expect(try await store.seen(browser) { try $0.journal() }.isEmpty)
        #expect(try await store.seen(browser) { try $0.state().journal.ending } == .full)
        try await store.write(browser) { rows in
          #expect(try !rows.addToJournal("", within: journalLimits()))
          try rows.endJournal(.interrupted)
        }
        #expect(try await store.seen(browser) { try $0.state().journal.ending } == .full)
        #expect(try await store.seen(browser) { try $0.journal() }.isEmpty)
      }
    },
    Check("a body that throws leaves the journal as it was, even at its end") { store in
      let browser = try await store.newBrowser()
      _ = try await store.write(browser) { try $0.addToJournal("one", within: journalLimits()) }
      for ends in [false, true] {
        await #expect(throws: Refusal()) {
          try await store.write(browser) { rows in
            _ = try rows.addToJournal("two", within: journalLimits())
            if ends { try rows.endJournal(.interrupted) }
            throw Refusal()
          }
        }
        #expect(try await store.seen(browser, texts) == ["1 one"])
        #expect(try await store.seen(browser) { try $0.state().journal.ending } == nil)
      }
      let limits = journalLimits(count: 2, bytes: 6)
      #expect(try await store.write(browser) { try $0.addToJournal("two", within: limits) })
    },
    Check("a journal that ended for a reason keeps it") { store in
      for ending in JournalEnding.allCases {
        let browser = try await store.newBrowser(ending.rawValue)
        _ = try await store.write(browser) { try $0.addToJournal("one", within: journalLimits()) }
        try await store.write(browser) { try $0.endJournal(ending) }
        #expect(try await store.seen(browser) { try $0.state().journal.ending } == ending)
        #expect(try await store.seen(browser) { try $0.journal() }.isEmpty)
        let copy = try await store.fork(
          browser, as: BrowserCopy(name: "of \(ending)", createdAt: Sample.noon, incarnation: "i"))
        #expect(try await store.seen(copy.id) { try $0.state().journal.ending } == ending)
      }
    },
  ]

  static func journalLimits(count: Int = 1_000, bytes: Int = 1 << 20) -> JournalLimits {
    JournalLimits(maximumCount: count, maximumBytes: bytes)
  }

  @Sendable private static func texts(_ rows: any BrowserReader) throws -> [String] {
    try rows.journal().map { "\($0.number) \($0.text)" }
  }
}
