import BrowserSupport
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMStore
import Testing

/// The work and the size of explanations, however long the log is.
@Suite struct ExplanationBoundsTests {
  private static let count = 10_500

  /// A browser with a long log, and the number of rows that its store has read.
  private struct Stage {
    let scene: Scene
    let rows = NIOLockedValueBox(0)

    init(_ fill: @escaping @Sendable (any BrowserWriter) throws -> Void) async throws {
      let store = ObservedStore(MemoryStore(), StoreObserver(didRead: { [rows] count in rows.withLockedValue { $0 += count } }))
      scene = try await Scene(store: store)
      try await store.write(scene.browser.record.id, fill)
    }

    /// Returns an explanation and the number of rows that were read for it.
    func explain(_ input: ExplainInput) async throws -> (Explanation, rows: Int) {
      rows.withLockedValue { $0 = 0 }
      let explanation = try await scene.browser.explain(input)
      return (explanation, rows.withLockedValue { $0 })
    }
  }

  private static func key(_ number: Int, from source: String? = nil, to destination: String = Scene.destination) -> ClickKey {
    ClickKey(source: Site(source ?? "n\(number).example"), destination: Site(destination), bundleIdentifier: "b")
  }

  /// Clicks that are stored, in the table and in the log.
  private static func addClicks(_ count: Int, to writer: any BrowserWriter, key: (Int) -> ClickKey) throws {
    for number in 1...count {
      let kept = KeptClick(id: try writer.nextSequence(), click: Click(key: key(number), sourceID: 3, clickedAt: Scene.start))
      try writer.save(kept, in: .table)
      try writer.append(.clickStored(ClickStored(kept, origin: .linkClick, decision: nil)), at: Scene.start)
    }
  }

  private static func size(of explanation: Explanation) -> Int {
    explanation.text.utf8.count + explanation.events.reduce(0) { $0 + $1.detail.text.utf8.count }
  }

  @Test("the explanation of a destination reads and has a bounded number of events, and says where they begin")
  func destination() async throws {
    let stage = try await Stage { try Self.addClicks(Self.count, to: $0) { Self.key($0) } }
    let (explanation, rows) = try await stage.explain(.destination(Scene.destination))
    #expect(rows < 8_000)
    #expect(Self.size(of: explanation) < 262_144)
    #expect(explanation.events.count == 200)
    let first = try #require(explanation.events.first)
    #expect(explanation.omittedBefore == first.sequence)
    #expect(explanation.events.last?.sequence == (try await stage.scene.browser.logEnd()))
    #expect(
      explanation.text.contains(
        "Events about shop.example before number \(first.sequence) are omitted; GET events?about=shop.example has them."))
    #expect(try await stage.explain(.destination(Scene.destination)).0 == explanation)
    let earlier = try await stage.scene.browser.eventPage(
      after: first.sequence - 2, limit: 1, EventSelection(about: [Scene.destination]))
    #expect(earlier.items.map(\.sequence) == [first.sequence - 1])
  }

  @Test("the explanation of a site that is nearly always a source reads a bounded number of events, too")
  func source() async throws {
    let stage = try await Stage { writer in
      try Self.addClicks(1, to: writer) { _ in Self.key(0, to: Scene.source) }
      try Self.addClicks(Self.count, to: writer) { Self.key($0, from: Scene.source, to: "s\($0).example") }
    }
    let (explanation, rows) = try await stage.explain(.destination(Scene.source))
    #expect(rows < 8_000)
    #expect(explanation.events.isEmpty)
    #expect(explanation.omittedBefore == (try await stage.scene.browser.logEnd()) - 999)
    #expect(explanation.text.contains("are omitted"))
  }

  @Test("pixels that lack the source do not look through all clicks of the page's site for it")
  func missingSource() async throws {
    let stage = try await Stage { try Self.addClicks(Self.count, to: $0) { Self.key($0) } }
    for _ in 1...30 {
      let outcome = try await stage.scene.browser.observe(
        TriggeringEventInput(
          firstPartyURL: "https://shop.example/", redirectFrom: "https://shop.example/p",
          redirectTo: "https://shop.example\(TriggerURL.pathPrefix)12"))
      #expect(outcome.kind == .rejected)
    }
    let (explanation, rows) = try await stage.explain(.destination(Scene.destination))
    #expect(rows < 50_000)
    #expect(explanation.firstFailure?.verdict.change?.contains("https://n\(Self.count).example") == true)
  }

  @Test("an app that is called like a click does not lengthen the click's explanation")
  func nameOfAClick() async throws {
    let stage = try await Stage { writer in
      let app = "click-\(try writer.nextSequence())"
      try Self.addClicks(1, to: writer) { Self.key($0) }
      for _ in 1...Self.count {
        try writer.append(
          .appRegistered(AppRegistered(bundleIdentifier: app, reportEndpoint: nil, findings: .array([]))), at: Scene.start)
      }
    }
    let click = try #require(try await stage.scene.measurements().unattributed.first).id
    let (explanation, rows) = try await stage.explain(.click(click))
    #expect(rows < 4_000)
    #expect(explanation.events.isEmpty)
    #expect(explanation.omittedBefore != nil)
  }

  @Test("waiting reports that are older than the log are found within the bounds")
  func waitingReports() async throws {
    let stage = try await Stage { writer in
      var settings = try writer.state()
      settings.settings = SettingsChange(logRetention: LogRetentionChange(maximumCount: 1_000)).applied(to: settings.settings)
      try writer.save(settings)
      for number in 1...Self.count {
        let key = Self.key(number)
        let id = Int64(number)
        try writer.save(
          Report(
            id: id, attribution: id, session: .normal, key: key, recipient: .source, url: ReportBody.url(at: key.source),
            body: "{}", dueAt: Scene.start + .days(1)))
      }
      while try writer.nextSequence() < 3 * LogBlock.size {
        try writer.append(.clickExpired(ClickExpired(click: 1, expiredAt: Scene.start)), at: Scene.start)
      }
      try writer.removeEvents(before: 2 * LogBlock.size)
    }
    let (explanation, rows) = try await stage.explain(.destination(Scene.destination))
    #expect(rows < 8_000)
    #expect(explanation.steps.count == 10)
  }

  @Test("a short explanation is complete")
  func complete() async throws {
    let stage = try await Stage { try Self.addClicks(200, to: $0) { Self.key($0) } }
    let (explanation, _) = try await stage.explain(.destination(Scene.destination))
    #expect(explanation.omittedBefore == nil)
    #expect(explanation.events.count == 200)
    #expect(!explanation.text.contains("omitted"))
  }
}
