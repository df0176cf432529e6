import BrowserSupport
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMNetwork
import PCMStore
import Testing

/// The work and the size of explanations, however long the log is.
@Suite struct ExplanationBoundsTests {
  private static let count = 10_500

  /// A browser with a long log, and the numbers of rows and of whole reports that its store has read.
  private struct Stage {
    let scene: Scene
    let rows = NIOLockedValueBox(0)
    let reports = NIOLockedValueBox(0)

    init(_ fill: @escaping @Sendable (any BrowserWriter) throws -> Void) async throws {
      let observer = StoreObserver(
        willCall: { [reports] name in if name == "row reports" { reports.withLockedValue { $0 += 1 } } },
        didRead: { [rows] count in rows.withLockedValue { $0 += count } })
      let store = ObservedStore(MemoryStore(), observer)
      scene = try await Scene(store: store)
      try await store.write(scene.browser.record.id, fill)
    }

    /// Returns an explanation and the number of rows that were read for it.
    func explain(_ subject: String) async throws -> (Explanation, rows: Int) {
      for counter in [rows, reports] { counter.withLockedValue { $0 = 0 } }
      let explanation = try await scene.browser.explain(subject)
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
      try writer.append(ClickStored(.clickStored, kept, origin: .linkClick, decision: nil), at: Scene.start)
    }
  }

  private static func size(of explanation: Explanation) -> Int {
    explanation.text.utf8.count + explanation.events.reduce(0) { $0 + $1.detail.text.utf8.count }
  }

  @Test("the explanation of a destination reads and has a bounded number of events, and says where they begin")
  func destination() async throws {
    let stage = try await Stage { try Self.addClicks(Self.count, to: $0) { Self.key($0) } }
    let (explanation, rows) = try await stage.explain(Scene.destination)
    #expect(rows < 8_000)
    #expect(Self.size(of: explanation) < 262_144)
    #expect(explanation.events.count == 200)
    let first = try #require(explanation.events.first)
    #expect(explanation.omittedBefore == first.sequence)
    #expect(explanation.events.last?.sequence == (try await stage.scene.browser.logEnd()))
    #expect(
      explanation.text.contains(
        "Events about shop.example before number \(first.sequence) are omitted; GET events?about=shop.example returns them."))
    #expect(try await stage.explain(Scene.destination).0 == explanation)
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
    let (explanation, rows) = try await stage.explain(Scene.source)
    #expect(rows < 8_000)
    #expect(explanation.events.isEmpty)
    #expect(explanation.omittedBefore == (try await stage.scene.browser.logEnd()) - 999)
    #expect(explanation.text.contains("are omitted"))
  }

  @Test("pixels that lack the source do not look through all clicks of the page's site for it")
  func missingSource() async throws {
    let stage = try await Stage { try Self.addClicks(Self.count, to: $0) { Self.key($0) } }
    for _ in 1...30 {
      let outcome = try await stage.scene.browser.perform(
        TriggeringEventInput(
          firstPartyURL: "https://shop.example/", redirectFrom: "https://shop.example/p",
          redirectTo: "https://shop.example\(TriggerURL.pathPrefix)12"))
      #expect(outcome.kind == .rejected)
    }
    let (explanation, rows) = try await stage.explain(Scene.destination)
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
          AppRegistered(bundleIdentifier: app, reportEndpoint: nil, findings: .array([])), at: Scene.start)
      }
    }
    let click = try #require(try await stage.scene.measurements().unattributed.first).id
    let (explanation, rows) = try await stage.explain(RecordName.click(click))
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
        try writer.append(ClickExpired(click: 1, expiredAt: Scene.start), at: Scene.start)
      }
      try writer.removeEvents(before: 2 * LogBlock.size)
    }
    let (explanation, rows) = try await stage.explain(Scene.destination)
    #expect(rows < 8_000)
    #expect(explanation.steps.count == 10)
    #expect(stage.reports.withLockedValue { $0 } == 10)
  }

  /// The two reports of a triggering event, whose endpoint refuses them.
  private struct RetriedReports {
    let scene: Scene
    let event: Int64
    let reports: [Int64]
    private let store = MemoryStore()

    init() async throws {
      let transport = ScriptedTransport { _, _ in Exchange(httpStatus: 503) }
      scene = try await Scene(
        settings: SettingsChange(deliveryPolicy: .reliable), store: store, transport: transport)
      try await scene.click(3)
      event = try await scene.trigger("12").sequence
      try await scene.advance(.days(2))
      reports = try await scene.reports().map(\.id)
    }

    /// Adds attempts of the reports in turn to the log.
    func addAttempts(_ count: Int) async throws {
      try await store.write(scene.browser.record.id) { [reports] writer in
        for number in 0..<count {
          let sent = ReportSent(
            report: reports[number % reports.count], recipient: .source, url: "https://news.example/", attempt: 2, decision: nil
          )
          try writer.append(sent, at: Scene.start + .days(2))
        }
      }
    }
  }

  @Test("a report that was retried often keeps the verdicts of the round that sent it first")
  func retries() async throws {
    let retried = try await RetriedReports()
    let report = try #require(retried.reports.first)
    let before = try await retried.scene.browser.explain(RecordName.report(report)).steps.last?.rules
    #expect(before?.contains { $0.rule == "measurement-is-enabled" } == true)
    try await retried.addAttempts(600)
    #expect(try await retried.scene.browser.explain(RecordName.report(report)).steps.last?.rules == before)
  }

  @Test("the explanation of a triggering event has a bounded number of events, and names the reports that have the others")
  func triggeringEvent() async throws {
    let retried = try await RetriedReports()
    try await retried.addAttempts(600)
    let browser = retried.scene.browser
    let explanation = try await browser.explain(RecordName.triggeringEvent(retried.event))
    #expect(explanation.events.count == 200)
    #expect(explanation.events.first?.kind == .attributed)
    let first = try #require(explanation.events.dropFirst().first).sequence
    #expect(explanation.omittedBefore == first)
    #expect(explanation.events.dropFirst().map(\.sequence) == Array(first..<first + 199))
    let names = retried.reports.map(RecordName.report)
    let query = names.map { "about=\($0)" }.joined(separator: "&")
    #expect(
      explanation.text.contains(
        "Events about \(names.joined(separator: " and ")) before number \(first) are omitted; GET events?\(query) returns them."
      ),
      "\(explanation.text.prefix(300))")
    let selection = EventSelection(about: Set(names))
    let earlier = try await browser.eventPage(after: first - 2, limit: 1, selection)
    #expect(earlier.items.map(\.sequence) == [first - 1])
  }

  private static let ad: Int64 = 1_000_000

  /// An install among ads. The first ad won, and the second ad is a runner-up.
  private static func addInstall(among count: Int64, to writer: any BrowserWriter) throws {
    let (app, install) = ("com.example.game", try writer.nextSequence())
    let conversion = install + 1
    try writer.append(
      AppInstalled(
        bundleIdentifier: app, itemIdentifier: nil, isRedownload: false, marketplace: "com.apple.AppStore", country: nil,
        conversion: conversion), at: Scene.start)
    try writer.append(
      ConversionStarted(
        conversion: conversion, bundleIdentifier: app, type: "download", impression: ad + 1, runnersUp: [ad + 2], tag: nil,
        timing: "production", windowStart: "launch", windowCount: 3, crowdTiers: [:], decision: nil), at: Scene.start)
    for place in 1...count {
      let reasons = place > 2 ? [Reason("too-many-runners-up", "the ad ranked \(place)")] : []
      try writer.append(
        ImpressionCompared(
          impression: ad + place, install: install, bundleIdentifier: app, conversion: conversion,
          outcome: place == 1 ? "won" : place == 2 ? "runner-up" : "lost", place: place, reasons: reasons, decision: nil),
        at: Scene.start)
    }
  }

  @Test(
    "the explanation of an install among many ads has the winner first, a bounded number of decisions, and the number of others"
  )
  func manyAds() async throws {
    let stage = try await Stage { try Self.addInstall(among: 500, to: $0) }
    let install = try await stage.scene.browser.logEnd() - 501
    for subject in [RecordName.install(install), RecordName.conversion(install + 1)] {
      let (explanation, rows) = try await stage.explain(subject)
      #expect(rows < 4_000)
      #expect(explanation.events.count == 200)
      let ads: [Int64] = [1, 2] + Array(301...347)
      let names = explanation.steps.map(\.id).filter { $0.hasPrefix("impression-") }
      #expect(Array(names.prefix(ads.count)) == ads.map { RecordName.impression(Self.ad + $0) })
      #expect(explanation.steps.count == 50)
      #expect(explanation.omittedStepCount > 150)
      #expect(explanation.text.contains("\(explanation.omittedStepCount) further decisions are not in this explanation."))
    }
    let (explanation, _) = try await stage.explain(RecordName.install(install))
    #expect(explanation.omittedStepCount == 152)
    #expect(explanation.summary.hasPrefix("com.example.game was installed: conversion-\(install + 1)."))
  }

  @Test("a short explanation is complete")
  func complete() async throws {
    let stage = try await Stage { try Self.addClicks(200, to: $0) { Self.key($0) } }
    let (explanation, _) = try await stage.explain(Scene.destination)
    #expect(explanation.omittedBefore == nil)
    #expect(explanation.omittedStepCount == 0)
    #expect(explanation.events.count == 200)
    #expect(!explanation.text.contains("omitted"))
  }
}
