import BrowserSupport
import PCMBrowser
import PCMCore
import PCMNetwork
import Testing

/// Loads that WebKit refuses, or whose redirects it reads and does not follow (captures of WebKitGTK 2.50.6).
@Suite struct RefusedRedirectTests {
  private static let trigger = "https://news.example\(TriggerURL.pathPrefix)"
  private static let pixel = "https://news.example/pixel"

  private func load(
    _ pages: [String: Web.Page], _ url: String = pixel, kind: LoadKind = .image
  ) async throws -> (outcome: LoadOutcome, scene: Scene) {
    let scene = try await Scene(transport: Web(pages).transport)
    try await scene.click(4)
    let input = LoadInput(firstPartyURL: "https://shop.example/", url: url, kind: kind.rawValue)
    return (try await scene.browser.load(input), scene)
  }

  private static func codes(_ events: [TriggerOutcome]) -> [String] {
    events.flatMap { [$0.kind.rawValue] + $0.reasons.map(\.code) }
  }

  @Test(
    "An image that is redirected to http on loopback is not requested there",
    arguments: [
      ("http://localhost/p", "http://localhost/p"), ("http://127.0.0.1:8080/p", "http://127.0.0.1:8080/p"),
      ("http://0x7f.1/p", "http://127.0.0.1/p"), ("http://a.localhost/p", "http://a.localhost/p"),
    ])
  func loopback(_ target: String, _ normal: String) async throws {
    let (outcome, scene) = try await load([Self.pixel: .redirect(target), target: .redirect("\(Self.trigger)12")])
    #expect(outcome.error?.code == "mixed-content-blocked")
    #expect(outcome.hops.map(\.url) == [Self.pixel])
    #expect(outcome.triggeringEvents == [] && outcome.ignored == [])
    #expect(await scene.transport.requests.count == 1)
    // As the first URL, it is requested.
    #expect(try await load([normal: .redirect("\(Self.trigger)12")], target).outcome.hops.count == 2)
  }

  @Test("A redirect to [::1] is upgraded, and a trigger URL on http loopback is rejected before the load ends")
  func otherLoopback() async throws {
    let (six, _) = try await load([Self.pixel: .redirect("http://[::1]/p")])
    #expect(six.hops.map(\.url) == [Self.pixel, "https://[::1]/p"] && six.error == nil)
    let (trigger, _) = try await load([Self.pixel: .redirect("http://localhost\(TriggerURL.pathPrefix)12")])
    #expect(Self.codes(trigger.triggeringEvents) == ["rejected", "not-https"])
    #expect(trigger.error?.code == "mixed-content-blocked" && trigger.hops.count == 1)
  }

  @Test("An image of srcset or <picture> is blocked on http, as the first URL and after a redirect")
  func imageset() async throws {
    for url in ["http://news.example/p", "http://localhost/p", "http://[::1]/p"] {
      let (first, scene) = try await load([:], url, kind: .imageset)
      #expect(first.error?.code == "mixed-content-blocked" && first.hops == [])
      #expect(await scene.transport.requests.isEmpty)
      let (later, _) = try await load([Self.pixel: .redirect(url)], kind: .imageset)
      #expect(later.error?.code == "mixed-content-blocked" && later.hops.count == 1)
    }
    let (secure, _) = try await load([Self.pixel: .redirect("\(Self.trigger)12")], kind: .imageset)
    #expect(Self.codes(secure.triggeringEvents) == ["attributed"])
  }

  @Test("fetch throws for a URL with credentials; an image, XMLHttpRequest, and the others load it without them")
  func credentials() async throws {
    for url in ["https://user:secret@news.example/pixel", "https://user@news.example/pixel"] {
      for kind in LoadKind.allCases {
        let (outcome, scene) = try await load([Self.pixel: .redirect("\(Self.trigger)12")], url, kind: kind)
        guard kind == .fetch else {
          #expect(outcome.hops.map(\.url) == [Self.pixel, "\(Self.trigger)12"], "\(kind)")
          continue
        }
        #expect(outcome.error?.code == "has-credentials" && outcome.hops == [])
        #expect(await scene.transport.requests.isEmpty)
      }
    }
    #expect(try await load([:], "https://@news.example/pixel", kind: .fetch).outcome.error == nil)
  }

  @Test("A trigger URL with another scheme is rejected before the redirect is", arguments: ["ws", "wss", "foo"])
  func otherScheme(_ scheme: String) async throws {
    let (outcome, scene) = try await load([Self.pixel: .redirect("\(scheme)://news.example\(TriggerURL.pathPrefix)12")])
    #expect(Self.codes(outcome.triggeringEvents) == ["rejected", "not-https"])
    #expect(outcome.error?.code == "location-not-http")
    #expect(try await scene.kinds().last == .triggerRejected)
    #expect(try await scene.measurements().unattributed.count == 1)
  }

  @Test(
    "A redirect with one of these schemes is refused before WebKit reads it",
    arguments: ["ftp://news.example", "file:", "javascript:", "data:", "mailto:", "blob:"])
  func unreadScheme(_ start: String) async throws {
    let (outcome, _) = try await load([Self.pixel: .redirect("\(start)\(TriggerURL.pathPrefix)12")])
    #expect(outcome.triggeringEvents == [])
    #expect(outcome.error?.code == "location-not-http")
  }

  @Test(
    "The 21st redirect is not followed: a trigger URL is rejected for its form, and a valid one is ignored",
    arguments: [("12", ["not-triggering", "too-many-redirects"]), ("99", ["rejected", "data-invalid"])])
  func limit(_ tail: String, _ expected: [String]) async throws {
    var pages: [String: Web.Page] = [:]
    for number in 0..<20 { pages["https://news.example/\(number)"] = .redirect("\(number + 1)") }
    pages["https://news.example/20"] = .redirect("\(Self.trigger)\(tail)")
    let (outcome, scene) = try await load(pages, "https://news.example/0")
    #expect(Self.codes(outcome.triggeringEvents + outcome.ignored) == expected)
    #expect(outcome.error?.code == "too-many-redirects" && outcome.hops.count == 21)
    #expect(try await scene.measurements().unattributed.count == 1)
  }

  @Test(
    "A synchronous XMLHttpRequest follows redirects and never attributes, and the form of a trigger URL is checked",
    arguments: [("12", ["not-triggering", "synchronous-request"]), ("99", ["rejected", "data-invalid"])])
  func synchronous(_ tail: String, _ expected: [String]) async throws {
    let (outcome, scene) = try await load([Self.pixel: .redirect("\(Self.trigger)\(tail)")], kind: .syncXHR)
    #expect(Self.codes(outcome.triggeringEvents + outcome.ignored) == expected)
    #expect(outcome.error == nil && outcome.hops.count == 2)
    #expect(try await scene.measurements().unattributed.count == 1)
    let (other, _) = try await load([Self.pixel: .redirect("\(Self.trigger)12")], kind: .xhr)
    #expect(Self.codes(other.triggeringEvents) == ["attributed"])
  }

  @Test("A link in an iframe is measured only if it navigates the page")
  func frames() async throws {
    for (target, isInFrame, codes) in [
      ("_blank", true, ["not-main-frame"]), ("_BLANK", true, ["not-main-frame"]), ("offer", true, ["not-main-frame"]),
      ("top", true, ["not-main-frame"]), ("_self", true, ["not-main-frame"]), (nil, true, ["not-main-frame"]),
      ("", true, ["not-main-frame"]), ("_top", true, []), ("_TOP", true, []), ("_parent", true, []),
      ("_blank", false, []), ("offer", false, []), (nil, false, []),
    ] as [(String?, Bool, [String])] {
      let scene = try await Scene()
      let link = LinkClickInput(
        pageURL: "https://social.example/", attributionSourceID: "7", attributionDestination: "https://shop.example",
        target: target, inFrame: isInFrame)
      let outcome = try await scene.browser.perform(link)
      #expect(outcome.reasons.map(\.code) == codes, "\(target ?? "nil") \(isInFrame)")
      #expect(outcome.kind == (codes.isEmpty ? .stored : .discarded))
    }
  }

  @Test(
    "A Cross-Origin-Resource-Policy for another origin or site ends the loads that do not use CORS, before the redirect",
    arguments: [
      ("same-origin", "https://news.example/pixel", true), (" same-site\t", "https://news.example/pixel", true),
      ("same-origin", "https://www.shop.example/pixel", true), ("same-site", "https://www.shop.example/pixel", false),
      ("same-origin", "https://shop.example/pixel", false), ("cross-origin", "https://news.example/pixel", false),
      ("Same-Origin", "https://news.example/pixel", false), ("same-origin, same-site", "https://news.example/pixel", false),
    ])
  func resourcePolicy(_ policy: String, _ pixel: String, _ isBlocked: Bool) async throws {
    let target = pixel.replacing("pixel", with: TriggerURL.pathPrefix.dropFirst() + "12?attributionSource=https://news.example")
    let location = pixel.contains("shop.") ? target : "\(Self.trigger)12"
    for kind in LoadKind.allCases {
      let page = Web.Page(status: 302, location: location, resourcePolicy: policy)
      let (outcome, scene) = try await load([pixel: page], pixel, kind: kind)
      guard isBlocked, ![.frame, .xhr, .syncXHR].contains(kind) else {
        #expect(outcome.hops.count == 2, "\(kind)")
        continue
      }
      #expect(outcome.error?.code == "resource-policy-blocked" && outcome.hops.count == 1, "\(kind)")
      #expect(outcome.triggeringEvents == [])
      #expect(Self.codes(outcome.ignored) == ["not-triggering", "resource-policy-blocked"])
      #expect(try await scene.browser.explain("shop.example").summary.contains("Cross-Origin-Resource-Policy"))
    }
  }

  @Test("WebKit reads a trigger URL before the policy of the response, and a policy blocks any other redirect, too")
  func resourcePolicyOrder() async throws {
    let (invalid, _) = try await load([
      Self.pixel: Web.Page(status: 302, location: "\(Self.trigger)16", resourcePolicy: "same-origin")
    ])
    #expect(Self.codes(invalid.triggeringEvents) == ["rejected", "data-invalid"])
    let (other, _) = try await load([
      Self.pixel: Web.Page(status: 302, location: "/next", resourcePolicy: "same-origin"),
      "https://news.example/next": .redirect("\(Self.trigger)12"),
    ])
    #expect(other.triggeringEvents == [] && other.reason?.code == "resource-policy-blocked")
  }

  @Test("A load has the page's origin as its referrer, or its URL on the same origin, and none over http")
  func referrer() async throws {
    let scene = try await Scene(
      transport: Web([
        "https://shop.example/pixel": .redirect("https://news.example/pixel"),
        "https://news.example/pixel": .redirect("http://localhost/pixel"),
      ]).transport)
    for page in ["https://shop.example/thanks?order=1#top", "http://shop.example/thanks"] {
      _ = try await scene.browser.load(LoadInput(firstPartyURL: page, url: "https://shop.example/pixel"))
    }
    _ = try await scene.browser.load(LoadInput(firstPartyURL: "https://shop.example/", url: "http://localhost/pixel"))
    let sent = await scene.transport.requests.map { $0.headers.first { $0.name == "Referer" }?.value }
    #expect(
      sent == [
        "https://shop.example/thanks?order=1", "https://shop.example/", "http://shop.example/", "http://shop.example/",
        "http://shop.example/", nil,
      ])
  }
}
