import PCMCore
import Testing

/// Section 3.3 of the reference: the first event with a valid trigger URL consumes the ephemeral click.
@Suite struct EphemeralClickTests {
  private static let now = Instant(milliseconds: 1_800_000_000_000)
  private static let click = Click(
    key: ClickKey(source: Site("news.example"), destination: Site("shop.example"), bundleIdentifier: "b"), sourceID: 3,
    clickedAt: now)

  private func event(from hop: String, to host: String, on page: String, source: String? = nil) throws -> TriggeringEvent {
    let parameter = source.map { "?attributionSource=\($0)" } ?? ""
    let target = try url("https://\(host)\(TriggerURL.pathPrefix)12\(parameter)")
    let firstParty = try url(page)
    return TriggeringEvent(
      target: try TriggerURL.parse(target, parse: parse).get(), redirectSite: target.site, hopHost: hop,
      firstPartyHost: firstParty.host, firstPartySite: firstParty.site, bundleIdentifier: "b")
  }

  private func code(_ event: TriggeringEvent, after age: Interval = .hours(1)) -> String? {
    let situation = EphemeralClick.Situation(
      click: KeptClick(id: 1, click: Self.click), event: event, isPrivateSession: false, now: Self.now + age)
    var evaluation = RuleEvaluation()
    guard case .ignore(let reason) = EphemeralClick.decide(situation, &evaluation) else { return nil }
    return reason.reason.code
  }

  @Test("Case 96: A pixel of the source on the destination releases the click")
  func sourcePixel() throws {
    #expect(code(try event(from: "news.example", to: "news.example", on: "https://shop.example/")) == nil)
  }

  @Test("Case 97: A same-site pixel with attributionSource releases the click")
  func sameSitePixel() throws {
    let event = try event(from: "shop.example", to: "shop.example", on: "https://shop.example/", source: "https://news.example")
    #expect(code(event) == nil)
  }

  @Test("Case 98: An event from another site or on another page loses the click")
  func mismatch() throws {
    #expect(code(try event(from: "x.example", to: "x.example", on: "https://shop.example/")) == "held-click-mismatch")
    #expect(code(try event(from: "news.example", to: "news.example", on: "https://x.example/")) == "held-click-mismatch")
  }

  @Test func anExpiredClickIsLost() throws {
    let event = try event(from: "news.example", to: "news.example", on: "https://shop.example/")
    #expect(code(event, after: .days(7)) == nil)
    #expect(code(event, after: .days(7) + Interval(milliseconds: 1)) == "held-click-expired")
  }
}
