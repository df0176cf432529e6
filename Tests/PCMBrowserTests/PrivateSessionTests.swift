import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore
import Testing

/// Section H of the conformance cases: the slot and the private session.
@Suite struct PrivateSessionTests {
  private static let privately = SettingsChange(privateBrowsing: true)

  @Test("a URL that cannot be read does not burn the held click")
  func unreadableEventsLeaveTheSlot() async throws {
    let scene = try await Scene(settings: Self.privately)
    try await scene.click(3)
    #expect(try await scene.trigger("99").kind == .rejected)
    #expect(try await scene.trigger("12").kind == .attributed)
  }

  @Test(
    "a lost ephemeral click is explained by the event that lost it, which is about the click",
    arguments: [("x.example", 0, "the event does not come from"), (Scene.source, 8, "the ephemeral click had expired")]
      as [(String, Int64, String)])
  func lostClick(_ pixel: String, _ days: Int64, _ why: String) async throws {
    let scene = try await Scene()
    let name = RecordName.click(try #require(try await scene.embeddedTap(3).click?.id))
    try await scene.advance(.days(days))
    try await scene.trigger("12", from: pixel)
    let explained = try await scene.browser.explain(name)
    #expect(explained.summary.hasPrefix("The click was lost at ") && explained.summary.contains(why), "\(explained.summary)")
    #expect(explained.events.map(\.kind) == [.triggerUnmatched])
    let page = try await scene.browser.eventPage(after: 0, limit: 10, EventSelection(about: [name]))
    #expect(page.items.map(\.kind) == [.ephemeralClickStored, .triggerUnmatched])
  }

  @Test("an ephemeral click that its event stored is not lost when no attribution follows")
  func storedAndUnmatched() async throws {
    let scene = try await Scene()
    let name = RecordName.click(try #require(try await scene.embeddedTap(3).click?.id))
    #expect(try await scene.trigger("12").reasons.map(\.code) == ["other-app"])
    let page = try await scene.browser.eventPage(after: 0, limit: 10, EventSelection(about: [name]))
    #expect(page.items.map(\.kind) == [.ephemeralClickStored, .clickStored])
  }

  @Test("a stored click of a private session that another one replaces is explained by its successor")
  func replacedClick() async throws {
    let scene = try await Scene(settings: Self.privately)
    let first = try #require(try await scene.click(3).click?.id)
    // The event stores the click before it is rejected.
    let rejected = try await scene.browser.perform(
      TriggeringEventInput(
        firstPartyURL: "https://\(Scene.destination)/", redirectFrom: "https://other.example/pixel",
        redirectTo: "https://\(Scene.source)\(TriggerURL.pathPrefix)12"))
    #expect(rejected.reasons.map(\.code) == ["redirect-not-same-site"])
    let second = try #require(try await scene.click(4, from: "other.example").click?.id)
    try await scene.trigger("12", from: "other.example")
    let explained = try await scene.browser.explain(RecordName.click(first))
    #expect(explained.summary.hasPrefix("The click was replaced by \(RecordName.click(second)) at "), "\(explained.summary)")
  }
}
