import PCMStore
import Testing

extension StoreContract {
  static let journalChecks = [
    Check("the entries of a journal come back in order, and the same with a new text") { store in
      let (browser, other) = (try await store.newBrowser(), try await store.newBrowser("other"))
      #expect(try await store.seen(browser) { try $0.journal() }.isEmpty)
      for (number, text) in [(1, #"{"call":"ä 🎯"}"#), (2, ""), (3, "three")] as [(Int64, String)] {
        #expect(try await store.write(browser) { try $0.addToJournal(text, within: journalLimits()) } == number)
      }
      try await store.write(browser) { rows in
        try rows.save(JournalEntry(number: 2, text: "two"), within: journalLimits())
        try rows.save(JournalEntry(number: 4, text: "four"), within: journalLimits())
      }
      #expect(try await store.seen(browser, texts) == ["1 {\"call\":\"ä 🎯\"}", "2 two", "3 three"])
      #expect(try await store.seen(browser) { try $0.state().journal.ending } == nil)
      #expect(try await store.seen(other) { try $0.journal() }.isEmpty)
      try await store.delete(browser)
      let again = try await store.newBrowser()
      #expect(try await store.seen(again) { try $0.journal() }.isEmpty)
    },
    Check("an entry beyond a limit ends the journal for good and removes its entries") { store in
      for (name, limits) in [("count", journalLimits(count: 2)), ("bytes", journalLimits(bytes: 8))] {
        let browser = try await store.newBrowser(name)
        for expected in [1, 2, nil, nil] as [Int64?] {
          #expect(try await store.write(browser) { try $0.addToJournal("four", within: limits) } == expected)
        }
        #expect(try await store.seen(browser) { try $0.journal() }.isEmpty)
        #expect(try await store.seen(browser) { try $0.state().journal.ending } == .full)
        try await store.write(browser) { rows in
          #expect(try rows.addToJournal("", within: journalLimits()) == nil)
          try rows.save(JournalEntry(number: 1, text: ""), within: journalLimits())
          try rows.endJournal(.interrupted)
        }
        #expect(try await store.seen(browser) { try $0.state().journal.ending } == .full)
        #expect(try await store.seen(browser) { try $0.journal() }.isEmpty)
      }
    },
    Check("a new text counts instead of the one that it replaces") { store in
      let browser = try await store.newBrowser()
      let limits = journalLimits(bytes: 8)
      try await store.write(browser) { rows in
        for text in ["four", "four"] { _ = try rows.addToJournal(text, within: limits) }
        try rows.save(JournalEntry(number: 1, text: "two"), within: limits)
        try rows.save(JournalEntry(number: 2, text: "fifth"), within: limits)
      }
      #expect(try await store.seen(browser, texts) == ["1 two", "2 fifth"])
      try await store.write(browser) { try $0.save(JournalEntry(number: 1, text: "four"), within: limits) }
      #expect(try await store.seen(browser) { try $0.state().journal.ending } == .full)
    },
    Check("a body that throws leaves the journal as it was, even at its end") { store in
      let browser = try await store.newBrowser()
      _ = try await store.write(browser) { try $0.addToJournal("one", within: journalLimits()) }
      for ends in [false, true] {
        await #expect(throws: Refusal()) {
          try await store.write(browser) { rows in
            _ = try rows.addToJournal("two", within: journalLimits())
            try rows.save(JournalEntry(number: 1, text: "longer"), within: journalLimits())
            if ends { try rows.endJournal(.interrupted) }
            throw Refusal()
          }
        }
        #expect(try await store.seen(browser, texts) == ["1 one"])
        #expect(try await store.seen(browser) { try $0.state().journal.ending } == nil)
      }
      let limits = journalLimits(count: 2, bytes: 6)
      #expect(try await store.write(browser) { try $0.addToJournal("two", within: limits) } == 2)
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
