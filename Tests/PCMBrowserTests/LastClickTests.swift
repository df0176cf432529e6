import BrowserSupport
import PCMBrowser
import PCMCore
import Testing

/// The state of the click that a triggering event needed, in explanations.
@Suite struct LastClickTests {
  /// A link to a shop with attributes of an ad.
  @discardableResult private func follow(
    _ scene: Scene, id: String? = "4", destination: String? = "https://shop.example"
  ) async throws -> ClickRecord {
    try await scene.browser.perform(
      LinkClickInput(
        pageURL: "https://news.example/a", attributionSourceID: id, attributionDestination: destination,
        href: "https://shop.example/x", landingURL: "https://www.shop.example/x"))
  }

  private func trigger(_ scene: Scene) async throws -> TriggerOutcome {
    try await scene.browser.perform(
      TriggeringEventInput(firstPartyURL: "https://shop.example/t", pixelOf: "news.example", triggerData: 12))
  }

  @Test(
    "A discarded click is named on the site to which it led, with its remedy",
    arguments: [
      (nil, "https://shop.example", "add attributionsourceid to the link"),
      ("4", nil, "add attributiondestination to the link"),
      ("4", "shop.example", "make attributiondestination an absolute https URL, such as https://shop.example"),
      ("4", "//shop.example", "make attributiondestination an absolute https URL, such as https://shop.example"),
      (nil, nil, "add attributionsourceid to the link"), ("4", "https://other.example", "redirect to a page on other.example"),
    ] as [(String?, String?, String)])
  func discarded(_ id: String?, _ destination: String?, _ change: String) async throws {
    let scene = try await Scene()
    let click = try await follow(scene, id: id, destination: destination)
    #expect(click.state == .discarded)
    let event = try await trigger(scene)
    let explanation = try await scene.browser.explain("shop.example")
    #expect(explanation.summary.hasPrefix("No report: the click was discarded, "))
    #expect(explanation.firstFailure?.step.id == RecordName.click(click.sequence))
    #expect(
      explanation.firstFailure?.verdict.change?.hasPrefix(change) == true, "\(explanation.firstFailure?.verdict.change ?? "")")
    let own = try await scene.browser.explain(RecordName.triggeringEvent(event.sequence)).firstFailure?.verdict
    #expect(own?.reason?.detail.contains("\(RecordName.click(click.sequence)) was discarded: ") == true)
    #expect(own?.change?.hasPrefix("correct \(RecordName.click(click.sequence)): \(change)") == true)
    let result = try await scene.browser.check(ExpectationInput(report: ExpectedReport(destinationSite: "shop.example")))
    #expect(result.text.contains("\(RecordName.click(click.sequence)) at ") && result.text.contains(change))
  }

  @Test("A click that was attributed or replaced says so in every list of decisions")
  func used() async throws {
    let scene = try await Scene()
    try await follow(scene)
    let second = try await follow(scene)
    _ = try await trigger(scene)
    let steps = try await scene.browser.explain("shop.example").steps
    #expect(steps[0].later?.hasPrefix("The click was replaced by \(RecordName.click(second.sequence)) at ") == true)
    #expect(steps[1].later?.hasPrefix("The click was attributed at ") == true)
    _ = try await scene.browser.advance(.untilIdle())
    let late = try await trigger(scene)
    #expect(late.kind == .unmatched)
    let verdict = try await scene.browser.explain(RecordName.triggeringEvent(late.sequence)).firstFailure?.verdict
    let detail = verdict?.reason?.detail ?? ""
    #expect(
      detail.contains("\(RecordName.click(second.sequence)) was attributed at ") && detail.contains("which left at "),
      "\(detail)")
    #expect(try await scene.browser.explain("shop.example").text.contains("later: The click was replaced by "))
  }
}
