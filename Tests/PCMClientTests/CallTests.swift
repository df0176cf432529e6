import Foundation
import PCMClient
import ServiceSupport
import Testing

/// Every call that is not part of the main scenario, against the real service.
@Suite struct CallTests {
  @Test("browsers are created, listed, found, changed, and deleted")
  func browsers() async throws {
    try await Stage.withService { service in
      try await service.checkHealth()
      try await service.checkReadiness()
      let start = try #require(try? Date("2030-01-02T03:04:05Z", strategy: .iso8601))
      let browser = try await service.createBrowser("a.b_c-1", clock: .manual(startingAt: start), storage: .ephemeral)
      let state = try await browser.state()
      #expect(state.clock == (try await service.browser("a.b_c-1").state()).clock)
      #expect(state.clock.now == start)
      #expect(state.storage == .ephemeral)
      #expect(!state.seed.isEmpty)
      #expect(state.settings == BrowserSettings())
      #expect(Set(try await service.browsers().map(\.name)) == ["a.b_c-1", "default"])
      let changed = try await browser.change {
        $0.privateBrowsing = true
        $0.deliveryPolicy = .reliable
        $0.reportURL = .manifest
        $0.logRetention.maximumAge = .days(2) + .milliseconds(500)
      }
      let retention = LogRetention(maximumAge: .days(2) + .milliseconds(500))
      #expect(
        changed
          == BrowserSettings(
            privateBrowsing: true, deliveryPolicy: .reliable, reportURL: .manifest, logRetention: retention))
      #expect(try await browser.state().settings == changed)
      try await browser.delete()
      #expect(try await service.browsers().map(\.name) == ["default"])
    }
  }

  @Test("a browser's name may be the identifier of a test, also after a restart")
  func names() async throws {
    let folder = try TemporaryFolder()
    for isNew in [true, false] {
      let process = try await ServiceProcess(data: folder.path)
      let service = PCMService(url: "http://127.0.0.1:\(process.port)")
      for name in ["tests/test_ads.py::test_tap[https://shop.example-ü]", "100%?#", "e\u{301}", "a b"] {
        if isNew { _ = try await PCM.browser(name, storage: .durable, on: service).registerNews() }
        let browser = try await service.browser(name)
        #expect(try await browser.state().name == name)
        #expect(try await browser.events().map(\.kind) == [.appRegistered])
        #expect(try await service.browsers().contains { $0.name == name })
        if !isNew { try await browser.delete() }
      }
      process.terminate()
      #expect(await process.status() == 0)
    }
  }

  @Test("an app is registered by its report endpoint alone")
  func appWithoutManifest() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("quick", on: service)
      let app = try await browser.register(
        app: "com.example.quick", reportEndpoint: "https://news.example", itemIdentifier: 525_463_029, sdkVersion: "18.2",
        signing: .development, platform: .appClip)
      #expect(app.bundleIdentifier == "com.example.quick" && app.sourceSite == "news.example")
      #expect(app.itemIdentifier == 525_463_029 && app.sdkVersion == "18.2")
      #expect(app.signing == .development && app.platform == .appClip)
      #expect(try await browser.apps() == [app])
      let plain = try await browser.register(app: "com.example.quick", reportEndpoint: "https://a.example")
      #expect(plain.itemIdentifier == nil && plain.sdkVersion == nil && plain.signing == .store && plain.platform == .ios)
      await #expect(throws: ServiceError.self) { try await browser.register(app: "a b", reportEndpoint: "https://a.example") }
    }
  }

  @Test("an app has the values that a device reads from its manifest")
  func adAttribution() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("advertiser", on: service)
      let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/manifests/advertiser/Info.plist").path
      let values = try await browser.register(infoPlistAt: fixture).adAttribution
      #expect(values.skAdNetworkIdentifiers == [] && values.adNetworkIdentifiers == [])
      #expect(values.skAdNetworkCopyURL == "https://shop.example/.well-known/skadnetwork/report-attribution/")
      #expect(values.adAttributionKitCopyURL == "https://shop.example/.well-known/appattribution/report-attribution/")
      #expect(values.attributionCopyEndpoint == "https://shop.example")
      let windows = values.attributionWindows
      #expect((windows.global.click, windows.global.view) == (.days(14), .days(3)))
      #expect(windows.global.adNetworkIdentifier == nil && windows.global.ignoredInteractionType == nil)
      #expect(windows.networks.map(\.adNetworkIdentifier) == ["a1b2c3d4e5.skadnetwork", "b7k2m9x4q1.adattributionkit"])
      #expect(windows.networks.map(\.ignoredInteractionType) == [.view, .click])
      #expect((values.attributionCooldowns.install, values.attributionCooldowns.reengagement) == (.hours(6), .hours(36)))
      #expect(values.overlappingConversions && values.reengagementPostbackCopies)
    }
  }

  @Test("browsers have labels, by which they are found, and idle timeouts")
  func upkeep() async throws {
    try await Stage.withService { service in
      let labels = ["job": "7", "test": "a=b & ü+"]
      let browser = try await PCM.browser("labelled", labels: labels, idleTimeout: .minutes(90), on: service)
      _ = try await service.createBrowser("other", clock: .real, labels: ["job": "7"])
      let state = try await browser.state()
      #expect(state.labels == labels && state.idleTimeout == .minutes(90))
      #expect(try await service.browsers(labels: ["job": "7"]).map(\.name) == ["labelled", "other"])
      #expect(try await service.browsers(labels: labels) == [state])
      #expect(try await service.browsers().map(\.name) == ["default", "labelled", "other"])
      try await browser.setLabels(["job": "8"])
      try await browser.setIdleTimeout(nil)
      let changed = try await browser.state()
      #expect(changed.labels == ["job": "8"] && changed.idleTimeout == nil)
      try await browser.setIdleTimeout(.days(30))
      #expect(try await browser.state().idleTimeout == .days(30))
    }
  }

  @Test("metrics and the OpenAPI document")
  func aboutTheService() async throws {
    try await Stage.withService { service in
      let metrics = try await service.metrics()
      #expect(metrics.contains("# TYPE "), "\(metrics)")
      let document = try JSONSerialization.jsonObject(with: try await service.openAPI()) as? [String: Any]
      #expect((document?["openapi"] as? String)?.hasPrefix("3.1") == true)
    }
  }

  @Test("a manual clock advances by, to, to the next event, and until idle")
  func clock() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("clock", on: service)
      let start = try await browser.state().clock.now
      #expect(start == (try? Date("2026-11-20T10:00:00Z", strategy: .iso8601)))
      let first = try await browser.advance(by: .milliseconds(1_500))
      #expect(first.now == start + 1.5)
      #expect(first.events.map(\.kind) == [.clockAdvanced])
      #expect(try await browser.advance(to: start + 3_600.25).now == start + 3_600.25)
      try await browser.convert()
      let due = try await browser.reports().map(\.dueAt).min()
      let next = try await browser.advanceToNextEvent()
      #expect(next.now >= (due ?? .distantFuture))
      #expect(next.events.contains { $0.kind == .reportSent })
      #expect(try await browser.advanceUntilIdle().events.filter { $0.kind == .reportFailed }.count == 1)
      #expect(try await browser.reports().map(\.state) == [.failed, .failed])
    }
  }

  @Test("apps are registered from bytes and from a file, listed, found, and removed")
  func apps() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("apps", on: service)
      let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/manifests/binary/Info.plist").path
      let fromFile = try await browser.register(infoPlistAt: fixture)
      #expect(fromFile.bundleIdentifier == "com.example.news")
      #expect(fromFile.reportURL == "https://news.example/.well-known/private-click-measurement/report-attribution/")
      let without = try await browser.register(infoPlist: Data(Stage.manifest("com.example.b", endpoint: nil).utf8))
      #expect(without.reportEndpoint == nil)
      #expect(without.findings.contains { $0.code == "endpoint-missing" && $0.severity == .error })
      #expect(try await browser.apps() == [without, fromFile])
      #expect(try await browser.app("com.example.b") == without)
      try await browser.remove(without)
      #expect(try await browser.apps().map(\.bundleIdentifier) == ["com.example.news"])
    }
  }

  @Test("input that a browser ignores has reasons with codes that the client knows")
  func silence() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("silence", on: service)
      let app = try await browser.registerNews()
      let unverified = try await browser.open(Stage.click, from: app, tapVerified: false)
      #expect(unverified.outcome == .discarded)
      #expect(unverified.click == nil)
      #expect(unverified.reasons.map(\.code) == [.tapNotVerified])
      #expect(unverified.description.hasPrefix("discarded; tap-not-verified, the tap did not land on"))
      let http = try await browser.open(
        EventAttribution(sourceIdentifier: 4, destinationURL: "http://shop.example/"), from: app,
        presentation: .safariViewController)
      #expect(http.reasons.map(\.code) == [.safariViewControllerHTTP])
      let elsewhere = try await browser.open(
        Stage.click, from: app, openedURL: "https://go.example/", landingURL: "https://other.example/")
      #expect(elsewhere.reasons.map(\.code) == [.destinationNotOpened])
      let early = try await browser.trigger(Stage.purchase)
      #expect(early.outcome == .unmatched)
      #expect(early.reasons.map(\.code) == [.noClick])
      let broken = try await browser.trigger(.pixel(of: "news.example", data: 16, on: "https://shop.example/"))
      #expect(broken.outcome == .rejected)
      #expect(broken.reasons.map(\.code) == [.dataInvalid])
      let image = TriggeringEvent(
        firstPartyURL: "https://shop.example/", redirectFrom: "https://news.example/a", redirectTo: "https://news.example/b")
      #expect(try await browser.trigger(image).outcome == .notTriggering)
    }
  }

  @Test("link clicks are stored, replaced, ephemeral in a private session, or discarded")
  func links() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("links", on: service)
      let link = AttributionLink(sourceIdentifier: "7", destination: "https://shop.example")
      let first = try await browser.follow(link, on: "https://social.example/feed")
      #expect(first.outcome == .stored)
      let second = try await browser.follow(link, on: "https://social.example/feed", landingURL: "https://www.shop.example/x")
      #expect(second.click?.replacedClickID == first.click?.id)
      #expect(second.reasons.map(\.code) == [.clickReplaced])
      let script = try await browser.follow(link, on: "https://social.example/", userGesture: false)
      #expect(script.reasons.map(\.code) == [.noUserGesture])
      #expect(
        try await browser.follow(AttributionLink(), on: "https://social.example/").reasons.map(\.code) == [.attributeMissing])
      try await browser.change { $0.privateBrowsing = true }
      #expect(try await browser.follow(link, on: "https://social.example/").outcome == .ephemeral)
      #expect(try await browser.clicks(in: [.ephemeral]).map(\.click?.sourceSite) == ["social.example"])
    }
  }

  @Test("a POST whose connection closes before the response is repeated with its key, and has one effect")
  func lostAnswer() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("lost", on: service)
      let relay = try await Relay.start(to: service)
      let distant = try await PCMService(url: relay.url).browser("lost")
      let link = AttributionLink(sourceIdentifier: "7", destination: "https://shop.example")
      for number in 1...3 {
        relay.dropNextAnswer()
        let click = try await distant.follow(link, on: "https://social.example/")
        #expect(click.outcome == .stored, "\(number)")
        #expect(try await browser.events().count { $0.kind == .clickStored } == number)
      }
      relay.dropNextAnswer()
      let error = await #expect(throws: ServiceError.self) { try await distant.clearData() }
      #expect(error?.status == nil)
      #expect(try await browser.events().count { $0.kind == .dataCleared } == 1, "only a POST has a key")
      await relay.stop()
    }
  }

  @Test("clicks, triggering events, attributions, one report, and clearing by site and entirely")
  func stored() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("stored", on: service)
      let app = try await browser.registerNews()
      let click = try await browser.open(Stage.click, from: app)
      #expect(try await browser.clicks(in: [.stored], about: ["www.shop.example"]) == [click])
      let purchase = try await browser.trigger(Stage.purchase)
      let attribution = try #require(purchase.attribution)
      #expect(try await browser.clicks(in: [.stored, .expired]).isEmpty)
      #expect(try await browser.click(click.id).attributionID == attribution.id)
      #expect(try await browser.triggeringEvents(with: [.attributed], about: ["shop.example", "a.example"]) == [purchase])
      #expect(try await browser.triggeringEvent(purchase.id) == purchase)
      #expect(try await browser.attributions(in: [.pending]) == [attribution])
      #expect(try await browser.attribution(attribution.id).clickID == click.id)
      let report = try await browser.report(attribution.sourceReportID)
      #expect(report.recipient == .source)
      #expect(report.body.sourceIdentifier == 4)
      #expect(report.body.version == 3)
      #expect(try await browser.reports(in: .scheduled).map(\.id).contains(report.id))
      #expect(try await browser.reports(in: .delivered).isEmpty)
      try await browser.clearData(of: "other.example")
      #expect(try await browser.reports(in: .cleared).isEmpty)
      try await browser.clearData(of: "shop.example")
      #expect(try await browser.reports(in: .cleared).count == 2)
      try await browser.expectNoReport()
      try await browser.open(Stage.click, from: app)
      try await browser.clearData()
      #expect(try await browser.clicks(in: [.stored]).isEmpty)
      #expect(try await browser.attributions().map(\.state) == [.cleared])
    }
  }

  @Test("reports are selected by state, recipient, and site, and are complete")
  func reports() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("selected", network: .simulated, on: service)
      try await browser.convert()
      try await browser.advanceToNextEvent()
      let all = try await browser.reports()
      #expect(all.count == 2 && all.allSatisfy { $0.body.triggerData == 12 })
      for report in all { #expect(try await browser.report(report.id) == report) }
      let sent = try #require(try await browser.reports(in: .delivered).first)
      #expect(sent.attempts.map { $0.response?.body } == [""])
      #expect(try await browser.reports(in: [.delivered, .scheduled], of: ["www.shop.example", "a.example"]) == all)
      #expect(try await browser.reports(in: [.delivered], to: [sent.recipient], of: ["news.example"]) == [sent])
      #expect(try await browser.reports(in: [.scheduled], to: [sent.recipient]).isEmpty)
      #expect(try await browser.reports(to: [.source, .destination], of: ["münchen.example"]).isEmpty)
      let error = await #expect(throws: ServiceError.self) { try await browser.reports(of: ["https://shop.example"]) }
      #expect(error?.status == 422)
    }
  }

  @Test("the log is read over all pages")
  func longLog() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("long", on: service)
      for _ in 0..<1_005 { try await browser.advance(by: .seconds(1)) }
      let events = try await browser.events()
      #expect(events.count > 1_000)
      #expect(events.map(\.sequence) == Array(1...events.count))
      #expect(try await browser.events(after: events.count - 2).map(\.sequence) == [events.count - 1, events.count])
    }
  }

  @Test("lists are read to their end over as many pages as needed")
  func manyClicks() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("many", on: service)
      let link = AttributionLink(sourceIdentifier: "7", destination: "https://shop.example")
      for number in 1...1_005 { try await browser.follow(link, on: "https://site-\(number).example/") }
      let clicks = try await browser.clicks(in: [.stored])
      #expect(clicks.map(\.click?.sourceSite) == (1...1_005).map { "site-\($0).example" })
    }
  }
}
