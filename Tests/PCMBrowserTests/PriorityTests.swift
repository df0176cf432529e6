import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore
import Testing

/// Sections B and D of the conformance cases, as a browser lives them.
@Suite struct PriorityTests {
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
    let seen = Provenance(frame: "https://ads.example/frame", load: "image", inferred: true)
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
}
