import PCMCore
import Testing

@testable import PCMDevTools

@Suite struct ClickObservationTests {
  typealias Case = (name: String, events: @Sendable (inout ObservedPages) -> Void, outcomes: [String])

  static let shop = ObservedPages.shop
  static let appLink = "https://apps.apple.com/app/id42"
  static let nonce = String(repeating: "A", count: 22)

  /// The ways to click of the reference about DevTools, with the reported clicks.
  static let cases: [Case] = [
    (
      "same tab",
      {
        $0.click()
        $0.request()
        $0.start("L1")
        $0.commit("L1")
      }, [shop]
    ),
    (
      "the start overtakes the request",
      {
        $0.click()
        $0.start("L1")
        $0.request()
        $0.commit("L1")
      }, [shop]
    ),
    (
      "redirected before the landing",
      {
        $0.click()
        $0.request()
        $0.start("L1")
        $0.commit("L1", "https://other.example/")
      },
      ["https://other.example/"]
    ),
    (
      "a fragment in the link",
      {
        $0.click(shop + "#a")
        $0.request(shop + "#a")
        $0.start("L1", shop + "#a")
        $0.commit("L1")
      }, [shop]
    ),
    (
      "a listener stops the propagation, and the last report is late",
      {
        $0.click(final: false)
        $0.request()
        $0.start("L1")
        $0.click(first: false)
        $0.commit("L1")
      }, [shop]
    ),
    (
      "the last report never comes, or after the landing",
      {
        $0.click(final: false)
        $0.request()
        $0.start("L1")
        $0.commit("L1")
        $0.click(first: false)
      }, [shop]
    ),
    (
      "a listener removes the attributes",
      {
        $0.click(final: false)
        $0.click(first: false, final: false, sourceID: nil)
        $0.request()
        $0.start("L1")
        $0.commit("L1")
      }, []
    ),
    (
      "a listener opens the window, and prevents the link",
      {
        $0.click(final: false)
        $0.event("Page.windowOpen", ["url": .string(shop)])
        $0.open("W", "SW", "", opener: "P")
        $0.start("L1", frame: "W", "SW")
        $0.commit("L1", frame: "W", "SW")
        $0.click(prevented: true, first: false)
      }, ["default-prevented"]
    ),
    (
      "a listener clicks another link",
      {
        $0.click("https://b.example/", final: false, context: 1)
        $0.click()
        $0.request()
        $0.start("L1")
        $0.commit("L1")
        $0.perform($0.observer.dropIdleClicks(at: PageObserver.requestPatience))
      }, [shop, "no-navigation"]
    ),
    (
      "an earlier journey without a click is not that of a new click",
      {
        $0.request()
        $0.start("L1")
        $0.commit("L1")
        $0.click()
        $0.request()
        $0.start("L2")
        $0.commit("L2", "https://b.example/")
      },
      ["https://b.example/"]
    ),
    (
      "a window that comes late",
      {
        $0.click(target: "_blank")
        $0.event("Page.windowOpen", ["url": .string(shop)])
        $0.perform($0.observer.dropIdleClicks(at: .milliseconds(300)))
        $0.open("W", "SW", "", opener: "P")
        $0.start("L1", frame: "W", "SW")
        $0.commit("L1", frame: "W", "SW")
      }, [shop]
    ),
    (
      "a window that does not come",
      {
        $0.click(target: "_blank")
        $0.event("Page.windowOpen", ["url": .string(shop)])
        $0.perform($0.observer.dropIdleClicks(at: PageObserver.requestPatience))
      }, ["no-navigation"]
    ),
    (
      "_blank",
      {
        $0.click(target: "_blank")
        $0.event("Page.windowOpen", ["url": .string(shop)])
        $0.open("W", "SW", "", opener: "P")
        $0.start("L1", frame: "W", "SW")
        $0.commit("L1", frame: "W", "SW")
      }, [shop]
    ),
    (
      "a named window that is open already",
      {
        $0.open("W", "SW", "https://old.example/", opener: "P")
        $0.click(target: "shop")
        $0.request(frame: "W")
        $0.start("L1", frame: "W", "SW")
        $0.commit("L1", frame: "W", "SW")
      }, [shop]
    ),
    (
      "a named window that is open already, and says so itself",
      {
        $0.open("W", "SW", "https://old.example/", opener: "P")
        $0.click(target: "shop")
        $0.request(frame: "W", "SW")
        $0.start("L1", frame: "W", "SW")
        $0.commit("L1", frame: "W", "SW")
      }, [shop]
    ),
    (
      "a link of a window with another name's page is not its click",
      {
        $0.open("W", "SW", "https://old.example/")
        $0.click(target: "_blank")
        $0.request(frame: "W", "SW")
        $0.start("L1", frame: "W", "SW")
        $0.commit("L1", frame: "W", "SW")
        $0.perform($0.observer.dropIdleClicks(at: PageObserver.requestPatience))
      }, ["no-navigation"]
    ),
    (
      "a background tab has no opener and has navigated",
      {
        $0.click()
        $0.request(disposition: "newBackgroundTab")
        $0.open("W", "SW", "")
        $0.perform(
          $0.observer.receive(
            ["frameTree": ["frame": ["id": "W", "loaderId": "L1", "url": .string(shop)]]],
            for: .init(session: "SW", isRoundTrip: false)))
      }, [shop]
    ),
    (
      "a background tab overtakes the event about its link",
      {
        for (window, session) in [("V", "SV"), ("W", "SW")] {
          $0.click()
          $0.open(window, session, "")
          $0.perform(
            $0.observer.receive(
              ["frameTree": ["frame": ["id": .string(window), "loaderId": "L1", "url": .string(shop)]]],
              for: .init(session: session, isRoundTrip: false)))
          $0.request(disposition: "newBackgroundTab")
        }
      }, [shop, shop]
    ),
    (
      "a background tab overtakes the event about its link, and then navigates",
      {
        $0.click()
        $0.open("W", "SW", "")
        $0.request(disposition: "newBackgroundTab")
        $0.start("L1", frame: "W", "SW")
        $0.commit("L1", frame: "W", "SW")
      }, [shop]
    ),
    (
      "a page that a driver opens is not the click's window",
      {
        $0.click()
        $0.request(disposition: "newBackgroundTab")
        $0.open("V", "SV", "about:blank")
        $0.commit("L1", "https://c.example/", frame: "V", "SV")
        $0.open("W", "SW", "")
        $0.commit("L2", frame: "W", "SW")
      }, [shop]
    ),
    (
      "a background tab of another context is not the click's",
      {
        $0.click()
        $0.request(disposition: "newBackgroundTab")
        $0.attach("page", "V", "SV", "", [.init("browserContextId", "other")])
        $0.commit("L1", "https://c.example/", frame: "V", "SV")
        $0.open("W", "SW", "")
        $0.commit("L2", frame: "W", "SW")
      }, [shop]
    ),
    (
      "the window of another page is not the click's",
      {
        $0.open("Q", "SQ", "https://b.example/")
        $0.click(target: "_blank")
        $0.event("Page.windowOpen", ["url": .string(shop)])
        $0.open("W", "SW", "", opener: "Q")
        $0.commit("L1", "https://c.example/", frame: "W", "SW")
        $0.open("V", "SV", "", opener: "P")
        $0.commit("L2", frame: "V", "SV")
      }, [shop]
    ),
    (
      "a prevented link",
      {
        $0.click(prevented: true)
        $0.request(reason: "scriptInitiated")
        $0.start("L1")
        $0.commit("L1")
      },
      ["default-prevented"]
    ),
    (
      "a frame navigates itself",
      {
        $0.event("Page.frameAttached", ["frameId": "F"])
        $0.context(2, "F")
        $0.click(context: 2)
      },
      ["navigates-a-frame"]
    ),
    (
      "_blank in a frame",
      {
        $0.context(2, "F")
        $0.click(target: "_blank", context: 2)
      }, ["new-window-from-a-frame"]
    ),
    (
      "_top in a frame of another process",
      {
        $0.attach("iframe", "O", "SO", "https://ads.example/", parent: "S")
        $0.context(1, "O", "SO")
        $0.click(target: "_top", "SO")
        $0.request(frame: "P", "SO")
        $0.start("L1")
        $0.commit("L1")
      }, [shop]
    ),
    (
      "the link's target is a frame of the page",
      {
        $0.event("Page.frameAttached", ["frameId": "F"])
        $0.click(target: "f")
        $0.request(frame: "F")
      }, ["navigates-a-frame"]
    ),
    (
      "an aborted navigation",
      {
        $0.click()
        $0.request()
        $0.start("L1")
        $0.event("Network.loadingFailed", ["requestId": "L1", "errorText": "net::ERR_ABORTED", "canceled": .bool(true)])
        $0.perform($0.observer.dropIdleClicks(at: PageObserver.requestPatience))
      }, ["navigation-aborted"]
    ),
    (
      "a navigation that another one aborts",
      {
        $0.click()
        $0.request()
        $0.start("L1")
        $0.event("Network.loadingFailed", ["requestId": "L1", "errorText": "net::ERR_ABORTED", "canceled": .bool(true)])
        $0.start("L2", "https://c.example/")
      }, ["superseded"]
    ),
    (
      "a navigation that becomes a download",
      {
        $0.click()
        $0.request()
        $0.start("L1")
        $0.event("Network.loadingFailed", ["requestId": "L1", "errorText": "net::ERR_ABORTED", "canceled": .bool(true)])
        $0.event("Page.downloadWillBegin", ["frameId": "P", "url": .string(shop)])
      }, ["download"]
    ),
    (
      "an error page",
      {
        $0.click()
        $0.request()
        $0.start("L1")
        $0.event("Network.loadingFailed", ["requestId": "L1", "errorText": "net::ERR_CONNECTION_REFUSED"])
        $0.commit("L1", error: true)
      }, ["landing-failed"]
    ),
    (
      "a download",
      {
        $0.click()
        $0.request()
        $0.start("L1")
        $0.event("Page.downloadWillBegin", ["frameId": "P"])
      }, ["download"]
    ),
    (
      "a download by its attribute",
      {
        $0.click()
        $0.request(disposition: "download")
      }, ["download"]
    ),
    (
      "a fragment of the page",
      {
        $0.click(ObservedPages.news + "#a")
        $0.request(ObservedPages.news + "#a")
        $0.start("L1", ObservedPages.news + "#a", kind: "sameDocument")
      }, ["no-navigation"]
    ),
    (
      "nothing happens",
      {
        $0.click()
        $0.perform($0.observer.dropIdleClicks(at: PageObserver.requestPatience))
      }, ["no-navigation"]
    ),
    (
      "a slow landing, then another link",
      {
        $0.click()
        $0.request()
        $0.start("L1")
        $0.click("https://b.example/")
        $0.request("https://b.example/")
        $0.start("L2", "https://b.example/")
        $0.commit("L2", "https://b.example/")
      }, ["https://b.example/", "superseded"]
    ),
    (
      "a slow landing, then a navigation by a script",
      {
        $0.click()
        $0.request()
        $0.start("L1")
        $0.start("L2", "https://c.example/")
      },
      ["superseded"]
    ),
    (
      "a double click",
      {
        $0.click()
        $0.click()
        $0.request()
        $0.start("L1")
        $0.commit("L1")
      }, [shop, "no-navigation"]
    ),
    (
      "a double click that asks twice",
      {
        $0.click()
        $0.request()
        $0.start("L1")
        $0.click()
        $0.request()
        $0.commit("L1")
        $0.perform($0.observer.dropIdleClicks(at: PageObserver.requestPatience))
      }, [shop, "no-navigation"]
    ),
    (
      "a download that asks for no navigation",
      {
        $0.click()
        $0.event("Page.downloadWillBegin", ["frameId": "P", "url": .string(shop)])
      }, ["download"]
    ),
    (
      "the tab is closed before the landing",
      {
        $0.click()
        $0.request()
        $0.start("L1")
        $0.event("Target.detachedFromTarget", ["sessionId": "S"], nil)
      },
      ["navigation-aborted"]
    ),
    (
      "an App Store link is reported before its landing",
      {
        $0.click(appLink, nonce: nonce)
        $0.request(appLink)
      }, ["reported"]
    ),
    (
      "an App Store link that can be no click is reported before its landing",
      {
        $0.click(appLink, sourceID: "")
        $0.request(appLink)
      }, ["reported"]
    ),
    (
      "an App Store link without a nonce is a click, which lands",
      {
        $0.click(appLink)
        $0.request(appLink)
        $0.start("L1", appLink)
        $0.commit("L1", appLink)
      }, [appLink]
    ),
    (
      "an App Store link with a query is a click, which lands",
      {
        $0.click(appLink + "?mt=8", nonce: nonce)
        $0.request(appLink + "?mt=8")
        $0.start("L1", appLink + "?mt=8")
        $0.commit("L1", "https://apps.apple.com/us/app/id42")
      }, ["https://apps.apple.com/us/app/id42"]
    ),
    (
      "an image with ismap appends the point of the click",
      {
        $0.click(final: false)
        $0.request(shop + "?12,34")
        $0.click(first: false)
        $0.start("L1", shop + "?12,34")
        $0.commit("L1", shop + "?12,34")
      }, [shop + "?12,34"]
    ),
    (
      "a listener removes the attributes, and another one sets them",
      {
        $0.click(final: false)
        $0.click(first: false, final: false, sourceID: nil)
        $0.click(first: false)
        $0.request()
        $0.start("L1")
        $0.commit("L1")
      }, [shop]
    ),
    (
      "a script's navigation",
      {
        $0.request(reason: "scriptInitiated")
        $0.start("L1")
        $0.commit("L1")
      }, []
    ),
  ]

  @Test("Each way to click has its outcome", arguments: cases.indices)
  func outcome(index: Int) {
    let (name, events, outcomes) = Self.cases[index]
    var pages = ObservedPages()
    events(&pages)
    #expect(pages.outcomes == outcomes, "\(name)")
    #expect(pages.observer.pending.clicks == 0, "\(name)")
  }

  @Test("A click is reported with its page, attributes, gesture, and frame")
  func body() throws {
    var pages = ObservedPages()
    pages.context(2, "F")
    pages.click(target: "_top", gesture: false, context: 2)
    pages.request()
    pages.start("L1")
    pages.commit("L1")
    let body = try #require(pages.clicks.first?.body(at: nil))
    #expect(
      body == [
        "pageURL": .string(ObservedPages.news), "attributionSourceID": "7", "attributionDestination": "https://shop.example",
        "href": .string(Self.shop), "landingURL": .string(Self.shop), "target": "_top", "userGesture": .bool(false),
        "inFrame": .bool(true),
      ])
  }

  @Test("A window that another page fills has its own URL, or the URL of the page that writes it")
  func pageURL() {
    for url in ["about:blank", ObservedPages.news] {
      var pages = ObservedPages()
      pages.open("W", "SW", "", opener: "P")
      pages.click(page: url, "SW")
      pages.request(frame: "W", "SW")
      pages.start("L1", frame: "W", "SW")
      pages.commit("L1", frame: "W", "SW")
      #expect(pages.clicks.map(\.pageURL) == [url])
    }
  }

  @Test("The second document of a window can have the context of the first one, and gets the script again")
  func secondDocument() {
    var pages = ObservedPages()
    pages.commands = []
    for loader in ["L1", "L2"] { pages.commit(loader, "about:blank") }
    #expect(pages.commands.map(\.method) == ["Runtime.evaluate"])
    #expect(pages.commands.first?.params["uniqueContextId"] == "S.1")
    #expect(pages.commands.first?.params["expression"] == .string(ObservedPages.listener.source))
  }

  @Test("A document that a script writes has the URL of the script's page")
  func writtenDocument() {
    var pages = ObservedPages(page: "about:blank")
    pages.event("Page.documentOpened", ["frame": ["id": "P", "url": .string(ObservedPages.news)]])
    pages.click()
    pages.request()
    pages.start("L1")
    pages.commit("L1")
    #expect(pages.clicks.map(\.pageURL) == [ObservedPages.news])
  }

  @Test("A context of a new process replaces one with the same number")
  func contextNumbers() {
    var pages = ObservedPages()
    pages.event("Page.frameAttached", ["frameId": "F"])
    pages.context(1, "F")
    pages.click()
    #expect(pages.outcomes == ["navigates-a-frame"])
    pages.context(1, "P")
    pages.click()
    #expect(pages.observer.pending.clicks == 1)
  }

  @Test("Targets are attached by kind, run after their commands, and service workers only at the browser")
  func targets() throws {
    var pages = ObservedPages()
    let kinds = { (command: DevToolsCommand) in command.params["filter"]?.items.compactMap { $0["type"]?.string } }
    let attaching = pages.commands.filter { $0.method == "Target.setAutoAttach" }
    #expect(attaching.map(kinds) == [["page", "shared_worker", "service_worker"], ["iframe", "worker"]])
    #expect(pages.commands.last == DevToolsCommand("Runtime.runIfWaitingForDebugger", session: "S"))
    let methods = pages.commands.filter { $0.session == "S" }.map(\.method)
    #expect(methods.contains("Runtime.enable") && methods.contains("Runtime.addBinding"))
    pages.commands = []
    pages.attach("browser_ui", "U", "SU", "chrome://newtab")
    #expect(pages.commands.map(\.method) == ["Runtime.runIfWaitingForDebugger", "Target.detachFromTarget"])
  }

  @Test("Pages of another context are released, and their requests continue without a report")
  func context() {
    var pages = ObservedPages(context: "C")
    pages.attach("page", "X", "SX", "https://x.example/", [.init("browserContextId", "D")])
    #expect(pages.commands.last?.method == "Target.detachFromTarget")
    pages.pause(frame: "X")
    #expect(pages.triggers.isEmpty)
    #expect(pages.resumed == ["F1"])
  }

  @Test("A thousand tabs and a flood of clicks stay within the tables, and the oldest leave with a reason")
  func floods() {
    var pages = ObservedPages()
    for number in 0..<5_000 { pages.open("P\(number)", "S\(number)", "https://\(number).example/") }
    #expect(pages.observer.targets.count == 4_096)
    #expect(pages.drops.count(where: { $0.code == .tooManyTargets }) == 905)
    pages.drops = []
    for number in 4_000..<4_999 {
      pages.click("https://b.example/\(number)", "S\(number)")
      pages.request("https://b.example/\(number)", frame: "P\(number)", "S\(number)")
      pages.start("L\(number)", "https://b.example/\(number)", frame: "P\(number)", "S\(number)")
    }
    #expect(pages.observer.journeys.count == PageObserver.journeyLimit)
    #expect(pages.drops.count(where: { $0.code == .tooManyClicks }) == 999 - PageObserver.journeyLimit)
  }
}
