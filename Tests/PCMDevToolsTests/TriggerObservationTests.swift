import PCMCore
import Testing

@testable import PCMDevTools

@Suite struct TriggerObservationTests {
  static let pixel = "https://news.example/pixel"
  static let trigger = ObservedPages.trigger
  static let thanks = "https://shop.example/thanks"

  /// First party, redirecting URL, and whether it is inferred.
  struct Expected: Equatable {
    var firstPartyURL: String
    var from: String?
    var isInferred = false
  }

  typealias Case = (name: String, events: @Sendable (inout ObservedPages) -> Void, triggers: [Expected])

  /// The ways to load a pixel of the reference about DevTools, from the page `thanks`.
  static let cases: [Case] = [
    (
      "an image",
      {
        $0.load("1", pixel)
        $0.load("1", trigger, from: pixel)
        $0.pause(network: "1")
      },
      [Expected(firstPartyURL: thanks, from: pixel)]
    ),
    (
      "the event of the redirect comes late",
      {
        $0.load("1", pixel)
        $0.pause(network: "1")
        $0.load("1", trigger, from: pixel)
      },
      [Expected(firstPartyURL: thanks, from: pixel)]
    ),
    (
      "several redirects whose events come late",
      {
        $0.load("1", "https://tags.example/")
        $0.pause(network: "1")
        $0.load("1", pixel, from: "https://tags.example/")
        $0.load("1", trigger, from: pixel)
      }, [Expected(firstPartyURL: thanks, from: pixel)]
    ),
    (
      "several redirects",
      {
        $0.load("1", "https://tags.example/")
        $0.load("1", pixel, from: "https://tags.example/")
        $0.load("1", trigger, from: pixel)
        $0.pause(network: "1")
      }, [Expected(firstPartyURL: thanks, from: pixel)]
    ),
    (
      "a redirect of a service worker, whose event comes late",
      {
        $0.load("1", pixel)
        $0.pause(network: "1", redirected: false)
        $0.load("1", trigger, from: pixel)
      }, [Expected(firstPartyURL: thanks, from: pixel)]
    ),
    (
      "a direct load whose event comes late",
      {
        $0.pause(network: "1", redirected: false)
        $0.load("1", trigger)
      }, []
    ),
    (
      "a direct load",
      {
        $0.load("1", trigger)
        $0.pause(network: "1", redirected: false)
      }, []
    ),
    (
      "a ping has no event about its redirect",
      {
        $0.load("1", pixel, kind: "Ping")
        $0.pause(network: "1")
      },
      [Expected(firstPartyURL: thanks, from: pixel)]
    ),
    (
      "a ping through another site",
      {
        $0.load("1", "https://tags.example/", kind: "Ping")
        $0.respond("1", location: pixel + "?to=" + trigger)
        $0.respond("1", location: trigger)
        $0.pause(network: "1")
      },
      [Expected(firstPartyURL: thanks, from: pixel + "?to=" + trigger)]
    ),
    (
      "a ping with relative locations",
      {
        $0.load("1", "https://tags.example/", kind: "Ping")
        $0.respond("1", location: "//news.example/first")
        $0.respond("1", location: "second")
        $0.respond("1", location: "/.well-known/private-click-measurement/trigger-attribution/12")
        $0.pause(network: "1")
      },
      [Expected(firstPartyURL: thanks, from: "https://news.example/")]
    ),
    (
      "keepalive, and the page navigates between two redirects",
      {
        $0.load("1", "https://tags.example/", kind: "Fetch")
        $0.respond("1", location: pixel)
        $0.load("1", pixel, kind: "Fetch", from: "https://tags.example/")
        $0.commit("L2", "https://other.example/")
        $0.respond("1", location: trigger)
        $0.pause(network: "1")
      },
      [Expected(firstPartyURL: thanks, from: pixel)]
    ),
    (
      "a tab in the background whose navigation began before it was attached",
      {
        $0.open("W", "SW", "")
        $0.pause(network: "9", frame: "W", referrer: thanks, kind: "Document")
      },
      [Expected(firstPartyURL: trigger, isInferred: true)]
    ),
    (
      "keepalive, and the page navigates before the redirect",
      {
        $0.load("1", pixel, kind: "Fetch")
        $0.commit("L2", "https://other.example/")
        $0.pause(network: "1")
      },
      [Expected(firstPartyURL: thanks, from: pixel)]
    ),
    (
      "a beacon while the page is left",
      {
        $0.commit("L2", "https://other.example/")
        $0.pause(referrer: "https://shop.example/")
      },
      [Expected(firstPartyURL: thanks, isInferred: true)]
    ),
    (
      "a beacon of the new page",
      {
        $0.commit("L2", "https://other.example/a")
        $0.pause(referrer: "https://other.example/")
      },
      [Expected(firstPartyURL: "https://other.example/a", isInferred: true)]
    ),
    (
      "a beacon of a page that is closed",
      {
        $0.load("1", pixel)
        $0.event("Target.detachedFromTarget", ["sessionId": "S"], nil)
        $0.pause(network: "1")
      },
      [Expected(firstPartyURL: thanks, from: pixel)]
    ),
    (
      "a frame of another process",
      {
        $0.attach("iframe", "O", "SO", "https://ads.example/", parent: "S")
        $0.load("1", pixel, frame: "O", "SO")
        $0.load("1", trigger, frame: "O", from: pixel, "SO")
        $0.pause(network: "1", frame: "O")
      }, [Expected(firstPartyURL: thanks, from: pixel)]
    ),
    (
      "a sandboxed frame whose events are lost",
      {
        $0.attach("iframe", "O", "SO", "about:srcdoc", parent: "S")
        $0.pause(network: "9", frame: "O")
      },
      [Expected(firstPartyURL: thanks, isInferred: true)]
    ),
    (
      "a dedicated worker",
      {
        $0.attach("worker", "W", "SW", "https://shop.example/w.js", parent: "S")
        $0.load("1", pixel, kind: "Fetch", frame: nil, "SW")
        $0.pause(network: "1", frame: nil)
      }, [Expected(firstPartyURL: thanks, from: pixel)]
    ),
    (
      "a shared worker acts for the origin of its script",
      {
        $0.attach("shared_worker", "W", "SW", "https://shop.example/w.js")
        $0.load("1", pixel, kind: "Fetch", frame: nil, "SW")
        $0.pause(network: "1", frame: nil)
      }, [Expected(firstPartyURL: "https://shop.example/w.js", from: pixel)]
    ),
    (
      "a redirect that a service worker makes",
      {
        $0.load("1", pixel)
        $0.load("1", trigger, from: pixel)
        $0.pause(network: "1", redirected: false)
      },
      [Expected(firstPartyURL: thanks, from: pixel)]
    ),
    (
      "the page's own navigation",
      {
        $0.load("L5", "https://news.example/go", kind: "Document", loader: "L5")
        $0.load("L5", trigger, kind: "Document", from: "https://news.example/go")
        $0.pause(network: "L5")
      }, [Expected(firstPartyURL: trigger, from: "https://news.example/go")]
    ),
    (
      "an empty window has no site",
      {
        $0.open("W", "SW", "about:blank", opener: "P")
        $0.load("1", pixel, frame: "W", "SW")
        $0.pause(network: "1", frame: "W")
      },
      [Expected(firstPartyURL: "about:blank", from: pixel)]
    ),
    (
      "a window that its opener writes has the opener's site",
      {
        $0.open("W", "SW", "about:blank", opener: "P")
        $0.event("Page.documentOpened", ["frame": ["id": "W", "url": .string(thanks)]], "SW")
        $0.load("1", pixel, frame: "W", "SW")
        $0.pause(network: "1", frame: "W")
      },
      [Expected(firstPartyURL: thanks, from: pixel)]
    ),
    (
      "a script fills an empty window before it is attached",
      {
        $0.open("W", "SW", "", opener: "P")
        $0.pause(network: "1")
        for _ in 0..<PageObserver.unknownPagePatience { $0.perform($0.observer.release("F1")) }
        $0.list("W", "SW", "about:blank")
      }, [Expected(firstPartyURL: "about:blank", isInferred: true)]
    ),
    (
      "a script writes an empty window before it is attached, and the page sends a beacon",
      {
        $0.open("W", "SW", "", opener: "P")
        $0.pause()
        $0.pause(kind: "Ping")
        $0.list("W", "SW", thanks)
      }, Array(repeating: Expected(firstPartyURL: thanks, isInferred: true), count: 2)
    ),
    (
      "a redirector with a trigger URL in its query",
      { $0.pause("https://news.example/go?to=\(trigger)") }, []
    ),
    (
      "a tab in the background, whose URL is not known yet",
      {
        $0.open("W", "SW", "")
        $0.load("1", pixel, frame: "W", "SW")
        $0.pause(network: "1", frame: "W")
        $0.list("W", "SW", thanks)
      }, [Expected(firstPartyURL: thanks, from: pixel)]
    ),
    ("a page that is not known", { $0.pause(frame: "unknown") }, []),
  ]

  @Test("Each way to load a pixel has its first party", arguments: cases.indices)
  func outcome(index: Int) {
    let (name, events, expected) = Self.cases[index]
    var pages = ObservedPages(page: Self.thanks)
    events(&pages)
    while !pages.woken.isEmpty { pages.perform(pages.observer.release(pages.woken.removeFirst())) }
    let seen = pages.triggers.map {
      Expected(firstPartyURL: $0.firstPartyURL, from: $0.redirectingURL, isInferred: $0.isInferred)
    }
    #expect(seen == expected, "\(name)")
    #expect(pages.triggers.allSatisfy { $0.triggerURL == Self.trigger })
    #expect(pages.resumed.count == (expected.isEmpty ? 1 : 0), "\(name)")
  }

  @Test("A triggering event waits for the click that lands on its page, and follows it")
  func order() {
    var pages = ObservedPages()
    pages.click()
    pages.request()
    pages.start("L1")
    pages.load("1", Self.pixel)
    pages.load("1", Self.trigger, from: Self.pixel)
    pages.pause(network: "1")
    #expect(pages.triggers.isEmpty)
    #expect(pages.woken == ["F1"])
    #expect(pages.observer.pending.heldRequests == 1)
    pages.commit("L1")
    #expect(pages.clicks.count == 1)
    #expect(pages.triggers.count == 1)
    pages.perform(pages.observer.release("F1"))
    #expect(pages.triggers.count == 1)
  }

  @Test("A triggering event whose click does not land is reported after its patience")
  func patience() {
    var pages = ObservedPages()
    pages.click()
    pages.request()
    pages.start("L1")
    pages.pause()
    pages.perform(pages.observer.release("F1"))
    #expect(pages.triggers.count == 1)
    #expect(pages.observer.pending.clicks == 1)
  }

  @Test("A triggering event in a window follows its click, whose last report comes after the landing")
  func lateReport() {
    var pages = ObservedPages()
    pages.click(target: "_blank", final: false)
    pages.event("Page.windowOpen", ["url": .string(ObservedPages.shop)])
    pages.open("W", "SW", "", opener: "P")
    pages.start("L1", frame: "W", "SW")
    pages.commit("L1", frame: "W", "SW")
    pages.load("1", Self.pixel, frame: "W", "SW")
    pages.load("1", Self.trigger, frame: "W", from: Self.pixel, "SW")
    pages.pause(network: "1", frame: "W")
    #expect(pages.triggers.isEmpty)
    pages.click(target: "_blank", first: false)
    #expect(pages.clicks.count == 1)
    #expect(pages.triggers.count == 1)
  }

  @Test("A page that logs, or reads a stream, is quiet. A page whose document arrives is not")
  func activity() {
    var pages = ObservedPages()
    pages.load("1", Self.pixel, kind: "Fetch")
    pages.load("2", Self.pixel, kind: "Document")
    let mark = pages.observer.activity
    pages.event("Runtime.consoleAPICalled", ["type": "log"])
    pages.event("Network.webSocketFrameReceived", ["requestId": "3"])
    pages.event("Network.dataReceived", ["requestId": "1"])
    #expect(pages.observer.activity == mark)
    pages.event("Network.dataReceived", ["requestId": "2"])
    #expect(pages.observer.activity == mark + 1)
  }

  @Test("A page that crashed is not awaited until it is loaded again")
  func crash() {
    var pages = ObservedPages()
    pages.load("1", Self.pixel)
    pages.click()
    pages.event("Inspector.targetCrashed", [:])
    #expect(pages.observer.pending.requests == 0)
    #expect(pages.observer.roundTrip().isEmpty)
    #expect(pages.outcomes == ["page-crashed"])
    pages.commit("L2")
    #expect(pages.observer.roundTrip().count == 1)
  }

  @Test("A round trip includes the frames in separate processes")
  func roundTripOfFrames() {
    var pages = ObservedPages()
    pages.attach("iframe", "F", "SF", "https://other.example/", parent: "S")
    pages.attach("worker", "W", "SW", "https://shop.example/worker.js", parent: "S")
    #expect(pages.observer.roundTrip().count == 2)
    pages.event("Inspector.targetCrashed", [:], "SF")
    #expect(pages.observer.roundTrip().count == 1)
    pages.event("Target.detachedFromTarget", ["sessionId": "SF"], "S")
    #expect(pages.observer.roundTrip().count == 1)
  }

  @Test("A load that left the table is not pending")
  func forgottenLoads() {
    var pages = ObservedPages()
    for number in 0..<(PageObserver.loadLimit + 10) { pages.load("\(number)", Self.pixel) }
    #expect(pages.observer.pending.requests == PageObserver.loadLimit)
    #expect(pages.observer.unansweredLoads.count <= PageObserver.loadLimit)
  }

  @Test("A trigger URL has its fragment, an empty one, too", arguments: ["#", "#top"])
  func fragment(_ fragment: String) {
    var pages = ObservedPages()
    pages.load("1", Self.pixel)
    pages.load("1", Self.trigger, from: Self.pixel)
    pages.pause(network: "1", fragment: fragment)
    #expect(pages.triggers.map(\.triggerURL) == [Self.trigger + fragment])
  }

  @Test("A request is pending until its response, or until its document is left")
  func pending() {
    var pages = ObservedPages()
    for number in 1...4 { pages.load("\(number)", Self.pixel) }
    pages.load("5", "data:image/gif,x")
    pages.load("6", "https://shop.example/shared.js", kind: "Script", loader: "")
    pages.event("Network.responseReceivedExtraInfo", ["requestId": "6", "statusCode": 200])
    #expect(pages.observer.pending.requests == 4)
    pages.event("Network.responseReceived", ["requestId": "1"])
    pages.event("Network.loadingFailed", ["requestId": "2", "errorText": "net::ERR_FAILED"])
    #expect(pages.observer.pending.requests == 2)
    pages.commit("L2")
    #expect(pages.observer.pending.requests == 0)
  }

  @Test("A redirecting URL that is not known is absent, and the event names the inferred value")
  func body() {
    let trigger = ObservedTrigger(
      firstPartyURL: Self.thanks, redirectingURL: nil, triggerURL: Self.trigger, load: "Ping",
      frameURL: "https://ads.example/" + String(repeating: "a", count: 2_048), isInferred: true)
    #expect(
      trigger.body == [
        "firstPartyURL": .string(Self.thanks), "redirect": ["to": .string(Self.trigger)],
        "observed": ["frame": "https://ads.example", "load": "ping", "inferred": .bool(true)],
      ])
  }
}
