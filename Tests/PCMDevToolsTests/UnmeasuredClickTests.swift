import PCMCore
import Testing

@testable import PCMDevTools

/// Clicks that lead to no page, each with a code, and landings that look like failures.
@Suite struct UnmeasuredClickTests {
  private static let shop = ObservedPages.shop

  private static let cases: [ClickObservationTests.Case] = [
    (
      "an error status with an empty body",
      {
        $0.click()
        $0.request()
        $0.start("L1")
        $0.event("Network.loadingFailed", ["requestId": "L1", "errorText": "net::ERR_HTTP_RESPONSE_CODE_FAILURE"])
        $0.commit("L1", error: true)
      }, [shop]
    ),
    (
      "a document without an http URL",
      {
        $0.click("blob:https://news.example/1")
        $0.request("blob:https://news.example/1")
        $0.start("L1", "blob:https://news.example/1")
        $0.commit("L1", "blob:https://news.example/1")
      }, ["landing-not-http"]
    ),
    (
      "the process of the page ends",
      {
        $0.click()
        $0.request()
        $0.event("Inspector.targetCrashed", [:])
      }, ["page-crashed"]
    ),
    (
      "the process of the landing ends, and that of the link does not matter",
      {
        $0.click(target: "_blank")
        $0.event("Page.windowOpen", ["url": .string(shop)])
        $0.open("W", "SW", "", opener: "P")
        $0.start("L1", frame: "W", "SW")
        $0.event("Inspector.targetCrashed", [:])
        $0.event("Inspector.targetCrashed", [:], "SW")
      }, ["page-crashed"]
    ),
    (
      "the page lands, and its process ends before the last report",
      {
        $0.click(target: "_blank", final: false)
        $0.event("Page.windowOpen", ["url": .string(shop)])
        $0.open("W", "SW", "", opener: "P")
        $0.start("L1", frame: "W", "SW")
        $0.commit("L1", frame: "W", "SW")
        $0.event("Inspector.targetCrashed", [:])
      }, [shop]
    ),
    (
      "a window is closed before the event about its link",
      {
        $0.click(target: "_blank")
        $0.open("W", "SW", "", opener: "P")
        $0.event("Target.detachedFromTarget", ["sessionId": "SW"], nil)
        $0.event("Page.windowOpen", ["url": .string(shop)])
        $0.perform($0.observer.dropIdleClicks(at: PageObserver.requestPatience))
      }, ["no-navigation"]
    ),
    (
      "the attachment ends",
      {
        $0.click()
        $0.request()
        $0.start("L1")
        $0.perform($0.observer.end())
      }, ["attachment-ended"]
    ),
    (
      "a page that left the table",
      {
        for number in 0..<4_096 { $0.open("P\(number)", "S\(number)", "https://\(number).example/") }
        $0.drops = []
        $0.click()
      }, ["unknown-page"]
    ),
    (
      "a page leaves the table with its click",
      {
        $0.click()
        $0.request()
        for number in 0..<4_096 { $0.open("P\(number)", "S\(number)", "https://\(number).example/") }
        $0.drops.removeAll { $0.url == ObservedPages.news }
      }, ["too-many-targets"]
    ),
    (
      "the target of a frame's link is the name of its page",
      {
        $0.attach("iframe", "O", "SO", "https://other.example/", parent: "S")
        $0.click(target: "main", "SO")
        $0.request(frame: "P", "SO")
        $0.start("L1")
        $0.commit("L1")
      }, [shop]
    ),
    (
      "the target of a frame's link is the name of another frame",
      {
        $0.event("Page.frameAttached", ["frameId": "F"])
        $0.attach("iframe", "O", "SO", "https://other.example/", parent: "S")
        $0.click(target: "inner", "SO")
        $0.request(frame: "F", "SO")
      }, ["navigates-a-frame"]
    ),
    (
      "the target of a frame's link is the name of no window, and the event about it is first, last, or about a landing",
      {
        $0.attach("iframe", "O", "SO", "https://other.example/", parent: "S")
        $0.click(target: "shop", "SO")
        $0.event("Page.windowOpen", ["url": .string(shop)], "SO")
        $0.click(target: "shop", final: false, "SO")
        $0.event("Page.windowOpen", ["url": .string(shop)], "SO")
        $0.click(target: "shop", first: false, "SO")
        $0.click(target: "shop", final: false, "SO")
        $0.event("Page.windowOpen", ["url": .string(shop)], "SO")
        $0.open("W", "SW", "", opener: "P")
        $0.start("L1", frame: "W", "SW")
        $0.commit("L1", frame: "W", "SW")
        $0.click(target: "shop", first: false, "SO")
      }, Array(repeating: "new-window-from-a-frame", count: 3)
    ),
    ("a button with the attributes", { $0.click(code: .notALink) }, ["not-a-link"]),
    ("a link with attributes of another name", { $0.click(code: .dataAttributes) }, ["data-attributes"]),
  ]

  @Test("A click that leads to no page has a code", arguments: cases.indices)
  func outcome(index: Int) {
    let (name, events, outcomes) = Self.cases[index]
    var pages = ObservedPages()
    events(&pages)
    #expect(pages.outcomes == outcomes, "\(name)")
    #expect(pages.observer.pending.clicks == 0, "\(name)")
  }
}
