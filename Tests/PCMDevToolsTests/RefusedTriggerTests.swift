import PCMCore
import Testing

@testable import PCMDevTools

/// Redirects that Chromium changes or refuses, and requests that no redirect made, as WebKit reads them.
@Suite struct RefusedTriggerTests {
  private static let pixel = TriggerObservationTests.pixel
  private static let trigger = ObservedPages.trigger
  private static let insecure = "http" + trigger.dropFirst(5)
  private static let thanks = TriggerObservationTests.thanks

  private typealias Case = (name: String, events: @Sendable (inout ObservedPages) -> Void, triggers: [String])

  private static let cases: [Case] = [
    (
      "an image whose http trigger URL is upgraded",
      {
        $0.load("1", pixel)
        $0.respond("1", location: insecure)
        $0.load("1", trigger, from: pixel, head: true)
        $0.pause(network: "1")
      }, ["redirect \(insecure) from \(pixel)"]
    ),
    (
      "the head comes after the request is held",
      {
        $0.load("1", pixel)
        $0.load("1", trigger, from: pixel, head: true)
        $0.pause(network: "1")
        $0.respond("1", location: insecure)
      }, ["redirect \(insecure) from \(pixel)"]
    ),
    (
      "the head comes before the request",
      {
        $0.respond("1", location: insecure)
        $0.load("1", pixel)
        $0.pause(network: "1")
        $0.load("1", trigger, from: pixel, head: true)
      }, ["redirect \(insecure) from \(pixel)"]
    ),
    (
      "HSTS upgrades what was reported",
      {
        $0.load("1", pixel)
        $0.respond("1", location: insecure)
        $0.load("1", insecure, from: pixel, head: true)
        $0.pause(insecure, network: "1")
        $0.load("1", trigger, from: insecure)
        $0.pause(network: "1")
      }, ["redirect \(insecure) from \(pixel)"]
    ),
    (
      "a script whose http trigger URL is mixed content",
      {
        $0.load("1", pixel, kind: "Script")
        $0.respond("1", location: insecure)
        $0.load("1", insecure, kind: "Script")
        $0.fail("1", "", blocked: "mixed-content")
        $0.fail("1")
      }, ["redirect \(insecure) from \(pixel)"]
    ),
    (
      "a fetch that is redirected to loopback ends",
      {
        $0.load("1", pixel, kind: "Fetch")
        $0.respond("1", location: "http://localhost/go")
        $0.load("1", "http://localhost/go", from: pixel, head: true)
        $0.respond("1", location: trigger)
        $0.load("1", trigger, from: "http://localhost/go", head: true)
        $0.pause(network: "1")
      }, []
    ),
    (
      "an image that is redirected to loopback ends, although Chromium upgrades it",
      {
        $0.load("1", pixel)
        $0.respond("1", location: "http://localhost/go")
        $0.load("1", "https://localhost/go", from: pixel, head: true)
        $0.respond("1", location: trigger)
        $0.load("1", trigger, from: "https://localhost/go", head: true)
        $0.pause(network: "1")
      }, []
    ),
    (
      "an image that a policy refuses counts once, also if it is requested twice",
      {
        $0.load("1", pixel)
        $0.respond("1", location: trigger)
        $0.fail("1")
        $0.load("2", pixel)
        $0.respond("2", location: trigger)
        $0.load("2", trigger)
        $0.fail("2", "", blocked: "csp")
      }, ["redirect \(trigger) from \(pixel)"]
    ),
    (
      "a frame that a policy refuses",
      {
        $0.load("1", pixel, kind: "Document", frame: "F")
        $0.respond("1", location: "/.well-known/private-click-measurement/trigger-attribution/12")
        $0.fail("1", "net::ERR_BLOCKED_BY_CSP")
      }, ["redirect \(trigger) from \(pixel)"]
    ),
    (
      "a fetch that a policy refuses",
      {
        $0.load("1", pixel, kind: "Fetch")
        $0.respond("1", location: trigger)
        $0.load("1", trigger, kind: "Fetch")
        $0.fail("1", "", blocked: "csp")
        $0.fail("1")
      }, []
    ),
    (
      "a font without CORS",
      {
        $0.load("1", pixel, kind: "Font")
        $0.respond("1", location: trigger)
        $0.fail("1", "net::ERR_FAILED", cors: true)
      }, ["redirect \(trigger) from \(pixel)"]
    ),
    (
      "an image without CORS, and one that another policy refuses",
      {
        for (id, reason) in [("1", nil), ("2", "corp-not-same-origin")] {
          $0.load(id, pixel)
          $0.respond(id, location: trigger)
          $0.fail(id, "net::ERR_FAILED", blocked: reason, cors: reason == nil)
        }
      }, []
    ),
    (
      "a request for the trigger URL",
      {
        $0.load("1", trigger)
        $0.pause(network: "1", redirected: false)
        $0.event("Network.responseReceived", ["requestId": "1"])
        $0.event("Network.loadingFinished", ["requestId": "1"])
      }, ["request \(trigger)"]
    ),
    (
      "a script and a meta refresh that lead to the trigger URL",
      {
        for (id, reason) in [("L1", "scriptInitiated"), ("L2", "metaTagRefresh"), ("L3", "httpHeaderRefresh")] {
          $0.request(trigger, reason: reason)
          $0.load(id, trigger, kind: "Document", loader: id)
          $0.fail(id, "net::ERR_HTTP_RESPONSE_CODE_FAILURE")
        }
      }, ["script \(trigger)", "meta-refresh \(trigger)", "refresh-field \(trigger)"]
    ),
    (
      "a redirect to a misspelled path, and to any other",
      {
        $0.load("1", pixel)
        $0.load("1", "https://news.example/.Well-Known/private-click-measurement/trigger-attribution/12", from: pixel)
        $0.load("2", pixel)
        $0.load("2", "https://news.example/thanks", from: pixel)
      }, ["redirect https://news.example/.Well-Known/private-click-measurement/trigger-attribution/12 from \(pixel)"]
    ),
    (
      "a pixel whose path resembles the trigger path, and that redirects there",
      {
        $0.load("1", "https://news.example/trigger-attribution")
        $0.load("1", trigger, from: "https://news.example/trigger-attribution")
        $0.pause(network: "1")
        $0.event("Network.responseReceived", ["requestId": "1"])
      }, ["redirect \(trigger) from https://news.example/trigger-attribution"]
    ),
  ]

  @Test("Each redirect and request is reported as WebKit reads it", arguments: cases.indices)
  func outcome(index: Int) {
    let (name, events, expected) = Self.cases[index]
    var pages = ObservedPages(page: Self.thanks)
    events(&pages)
    let seen = pages.triggers.map { trigger in
      "\(trigger.reachedBy.rawValue) \(trigger.triggerURL)" + (trigger.redirectingURL.map { " from \($0)" } ?? "")
    }
    #expect(seen == expected, "\(name)")
    #expect(pages.triggers.allSatisfy { $0.firstPartyURL == Self.thanks }, "\(name)")
    #expect(pages.observer.pending.heldRequests == 0, "\(name)")
  }
}
