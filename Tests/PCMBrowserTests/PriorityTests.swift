import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore
import Testing

/// Sections B and D of the conformance cases, as a browser lives them.
@Suite struct PriorityTests {
  private func attributed(_ scene: Scene) async throws -> Attribution {
    let measurements = try await scene.measurements()
    #expect(measurements.unattributed.isEmpty)
    #expect(measurements.attributed.count == 1)
    return try #require(measurements.attributed.first)
  }

  @Test("cases 21 and 22: a pixel attributes the click, both times within 24 to 48 hours")
  func pixel() async throws {
    for (tail, priority) in [("12", UInt8(0)), ("12/03", 3)] {
      let scene = try await Scene()
      try await scene.click(3)
      #expect(try await scene.trigger(tail).kind == .attributed)
      let attribution = try await attributed(scene)
      #expect(attribution.trigger == Trigger(data: 12, priority: priority))
      #expect(attribution.click.click.sourceID == 3)
      for half in [attribution.source, attribution.destination] {
        let delay = try #require(half?.dueAt) - Scene.start
        #expect(delay >= .hours(24) && delay < .hours(48))
      }
    }
  }

  @Test("case 25: a same-site pixel attributes the click that attributionSource names")
  func sameSitePixel() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    #expect(try await scene.sameSiteTrigger("12").kind == .attributed)
  }

  @Test("case 64: a second click with a higher priority takes over")
  func betterClick() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    try await scene.trigger("12/03")
    try await scene.click(4)
    #expect(try await scene.trigger("12/04").kind == .attributed)
    let attribution = try await attributed(scene)
    #expect(attribution.click.click.sourceID == 4)
    #expect(attribution.trigger.priority == 4)
    #expect(try await scene.reports(.superseded).count == 2)
    #expect(try await scene.reports(.scheduled).count == 2)
  }

  @Test("case 65: a second click with a lower priority is consumed and changes nothing")
  func worseClick() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    try await scene.trigger("12/04")
    try await scene.click(4)
    let outcome = try await scene.trigger("12/03")
    #expect(outcome.kind == .unmatched)
    #expect(outcome.reasons.map(\.code) == ["lower-or-equal-priority"])
    let attribution = try await attributed(scene)
    #expect(attribution.click.click.sourceID == 3)
    #expect(attribution.trigger.priority == 4)
    #expect(try await scene.kinds().contains(.clickConsumedByLowerPriority))
  }

  @Test("cases 66 and 69: a second trigger with a higher priority renews the attribution with fresh times")
  func betterTrigger() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    try await scene.trigger("12/03")
    let before = try await attributed(scene)
    try await scene.advance(.hours(1))
    #expect(try await scene.trigger("07/04").kind == .attributed)
    let after = try await attributed(scene)
    #expect(after.id == before.id)
    #expect(after.trigger == Trigger(data: 7, priority: 4))
    #expect(after.source?.dueAt != before.source?.dueAt)
    #expect(after.destination?.dueAt != before.destination?.dueAt)
    #expect(try await scene.reports(.scheduled).allSatisfy { $0.body.contains(#""trigger_data":7"#) })
  }

  @Test("cases 67 and 68: a second trigger that is not higher changes nothing", arguments: ["12/03", "12/04"])
  func worseTrigger(_ tail: String) async throws {
    let scene = try await Scene()
    try await scene.click(3)
    try await scene.trigger("05/04")
    let before = try await attributed(scene)
    #expect(try await scene.trigger(tail).reasons.map(\.code) == ["lower-or-equal-priority"])
    #expect(try await attributed(scene) == before)
  }

  @Test("case 70: once a half is out, no trigger alone changes the attribution")
  func halfSentIsFrozen() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    try await scene.trigger("01/01")
    _ = try await scene.browser.advance(.toNextEvent)
    #expect(await scene.sent().count == 1)
    #expect(try await scene.trigger("02/63").reasons.map(\.code) == ["already-reported"])
    _ = try await scene.browser.advance(.untilIdle())
    #expect(await scene.sent().map { $0.body.contains(#""trigger_data":1"#) } == [true, true])
    #expect(try await scene.measurements().attributed.isEmpty)
  }

  @Test("case 71: a better click replaces a half-sent attribution; its missing half is never sent")
  func halfSentIsReplaced() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    try await scene.trigger("01/01")
    _ = try await scene.browser.advance(.toNextEvent)
    try await scene.click(4)
    #expect(try await scene.trigger("02/02").kind == .attributed)
    _ = try await scene.browser.advance(.untilIdle())
    let sent = await scene.sent()
    #expect(sent.map { $0.body.contains(#""source_id":4"#) } == [false, true, true])
    #expect(Set(sent.dropFirst().map(\.host)) == [Scene.source, Scene.destination])
    #expect(try await scene.reports(.superseded).count == 1)
  }

  @Test("cases 35 and 37: without a click, or with one elsewhere, nothing changes and the reason says which")
  func nothingMatches() async throws {
    let scene = try await Scene()
    #expect(try await scene.trigger("12").reasons.map(\.code) == ["no-click"])
    try await scene.click(3)
    #expect(try await scene.trigger("12", on: "other.example").reasons.map(\.code) == ["other-destination"])
    #expect(try await scene.trigger("12", app: "com.example.other").reasons.map(\.code) == ["other-app"])
    #expect(try await scene.measurements().unattributed.count == 1)
    #expect(try await scene.reports().isEmpty)
  }

  @Test("case 33: a redirect elsewhere than to the trigger path is no triggering event")
  func notTriggering() async throws {
    let scene = try await Scene()
    let outcome = try await scene.browser.perform(
      TriggeringEventInput(
        firstPartyURL: "https://shop.example/", redirectFrom: "https://news.example/a", redirectTo: "https://news.example/b"))
    #expect(outcome.kind == .notTriggering)
    #expect(outcome.trigger == nil)
    #expect(outcome.reasons.map(\.code) == ["path-not-a-trigger"])
    #expect(try await scene.kinds().last == .triggerIgnored)
  }

  @Test("case 63: a URL that only WebKit's parser accepts is attributed, with a note")
  func leniency() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    let outcome = try await scene.trigger("12x03")
    #expect(outcome.kind == .attributed)
    #expect(outcome.reasons.map(\.code) == ["grammar-lenient"])
  }

  @Test("a redirect from an unknown URL is attributed, and the outcome and the explanation name the unchecked rule")
  func unknownRedirectingURL() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    for kind in [TriggerOutcome.Kind.attributed, .unmatched] {
      let outcome = try await scene.browser.perform(
        TriggeringEventInput(
          firstPartyURL: "https://shop.example/", redirectFrom: nil,
          redirectTo: "https://news.example\(TriggerURL.pathPrefix)12"))
      #expect(outcome.kind == kind)
      #expect(outcome.reasons.last?.code == "redirect-from-unknown")
      let explanation = try await scene.browser.explain("triggering-event-\(outcome.sequence)")
      let verdicts = explanation.steps.flatMap(\.rules).filter { $0.rule == "redirect-is-same-site" }
      #expect(verdicts.map(\.kind) == [.notReached])
      #expect(
        explanation.summary.hasSuffix(
          " The URL that responded with the redirect is not known, so its site was not compared with news.example."))
    }
  }

  @Test("an event on a page without a site is rejected, and the click stays", arguments: ["about:blank", "file:///tmp/a.html"])
  func pageWithoutSite(_ page: String) async throws {
    let scene = try await Scene()
    try await scene.click(3)
    let outcome = try await scene.browser.perform(
      TriggeringEventInput(firstPartyURL: page, pixelOf: "news.example", triggerData: 12))
    #expect(outcome.kind == .rejected)
    #expect(outcome.reasons.map(\.code) == ["no-first-party-site"])
    #expect(try await scene.browser.explain("triggering-event-\(outcome.sequence)").summary.contains("\(page) has no site"))
    #expect(try await scene.measurements().unattributed.count == 1)
  }

  @Test("observations are in the events and explanations of clicks and triggering events")
  func observed() async throws {
    let scene = try await Scene()
    let seen = ObserverNote(frame: "https://ads.example/frame", load: "image", inferred: true)
    var link = LinkClickInput(
      pageURL: "https://news.example/", attributionSourceID: "3", attributionDestination: "https://shop.example")
    link.observed = seen
    let click = try await scene.browser.perform(link)
    link.landed = false
    let discarded = try await scene.browser.perform(link)
    var ids = ["click-\(click.sequence)", "click-\(discarded.sequence)"]
    for (page, data) in [("https://shop.example/", 12), ("https://shop.example/", 12), ("about:blank", 1)] {
      var event = TriggeringEventInput(firstPartyURL: page, pixelOf: "news.example", triggerData: data)
      event.observed = seen
      ids.append("triggering-event-\(try await scene.browser.perform(event).sequence)")
    }
    for id in ids {
      let text = try await scene.browser.explain(id).text
      #expect(text.contains("\n  seen: image in the iframe https://ads.example/frame, inferred\n"), "\(id): \(text)")
    }
    let kinds: Set<EventKind> = [.clickStored, .clickDiscarded, .attributed, .triggerUnmatched, .triggerRejected]
    for event in try await scene.browser.events(after: 0, limit: 100) where kinds.contains(event.kind) {
      let member = #""observed":{"frame":"https://ads.example/frame","load":"image","inferred":true}"#
      #expect(event.detail.text.contains(member), "\(event.detail.text)")
    }
  }

  @Test("case 62: a rejected trigger is in the log, with its reason and nothing else changed")
  func rejected() async throws {
    let scene = try await Scene()
    try await scene.click(3)
    let outcome = try await scene.trigger("99?x=y")
    #expect(outcome.kind == .rejected)
    #expect(outcome.reasons.map(\.code) == ["query-unsupported"])
    #expect(try await scene.kinds().last == .triggerRejected)
    #expect(try await scene.measurements().unattributed.count == 1)
  }
}
