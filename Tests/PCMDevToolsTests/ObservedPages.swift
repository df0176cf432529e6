import PCMCore

@testable import PCMDevTools

/// A browser as the observer sees it: sends the events of Chromium and collects the reports.
struct ObservedPages {
  static let listener = PageListener(token: "00ff")
  static let news = "https://news.example/story"
  static let shop = "https://shop.example/stand"
  static let trigger = "https://news.example/.well-known/private-click-measurement/trigger-attribution/12"

  var observer: PageObserver
  var commands: [DevToolsCommand] = []
  var clicks: [ObservedClick] = []
  var triggers: [ObservedTrigger] = []
  var drops: [ObservedDrop] = []
  /// The requests that continue without a report, in order.
  var resumed: [String] = []
  var woken: [String] = []
  private var number = 0
  private var clickNumber: Int64 = 0

  /// Begins with the page `P` in the session `S`.
  init(context: String? = nil, page url: String = news) {
    observer = PageObserver(context: context, listener: Self.listener)
    perform(observer.start())
    open("P", "S", url)
  }

  /// The outcomes of clicks: the landing of one, or the code of a drop.
  var outcomes: [String] { clicks.map { $0.landingURL ?? "reported" } + drops.map(\.code.rawValue) }

  mutating func perform(_ actions: [PageObserver.Action]) {
    for action in actions {
      switch action {
      case .send(let command), .ask(let command, _): commands.append(command)
      case .click(let click): clicks.append(click)
      case .trigger(let trigger, _): triggers.append(trigger)
      case .resume(let request): resumed.append(request)
      case .drop(let drop): drops.append(drop)
      case .wake(let request): woken.append(request)
      }
    }
  }

  mutating func event(_ method: String, _ params: JSON, _ session: String? = "S") {
    perform(observer.receive(DevToolsEvent(method, params, session: session)))
  }

  mutating func attach(
    _ kind: String, _ id: String, _ session: String, _ url: String, parent: String? = nil, _ more: [JSON.Member] = []
  ) {
    let info: [JSON.Member] = [.init("targetId", .string(id)), .init("type", .string(kind)), .init("url", .string(url))]
    event("Target.attachedToTarget", ["sessionId": .string(session), "targetInfo": .object(info + more)], parent)
  }

  /// Attaches a page, whose context of the listener has the number 1.
  mutating func open(_ id: String, _ session: String, _ url: String, opener: String? = nil) {
    attach("page", id, session, url, opener.map { [.init("openerFrameId", .string($0))] } ?? [])
    context(1, id, session)
  }

  /// The answer about the frames of a page, which has one.
  mutating func list(_ id: String, _ session: String, _ url: String) {
    let tree: JSON = ["frameTree": ["frame": ["id": .string(id), "loaderId": "L1", "url": .string(url)]]]
    perform(observer.receive(tree, for: .init(session: session, isRoundTrip: false)))
  }

  mutating func context(_ number: Int64, _ frame: String, _ session: String = "S") {
    event(
      "Runtime.executionContextCreated",
      [
        "context": [
          "id": .number(number), "name": .string(Self.listener.world), "uniqueId": .string("\(session).\(number)"),
          "auxData": ["frameId": .string(frame)],
        ]
      ],
      session)
  }

  mutating func click(
    _ href: String = shop, target: String? = nil, prevented: Bool = false, first: Bool = true, final: Bool = true,
    sourceID: String? = "7", nonce: String? = nil, gesture: Bool = true, context: Int64 = 1, page: String? = nil,
    code: DroppedClick? = nil, _ session: String = "S"
  ) {
    clickNumber += first ? 1 : 0
    let payload: JSON = [
      "number": .number(clickNumber), "first": .bool(first), "final": .bool(final), "href": .string(href),
      "sourceID": .string(sourceID), "destination": .string(sourceID.map { _ in "https://shop.example" }),
      "nonce": .string(nonce),
      "target": .string(target), "gesture": .bool(gesture), "prevented": .bool(prevented), "page": .string(page),
      "code": .string(code?.rawValue),
    ]
    event(
      "Runtime.bindingCalled",
      ["name": .string(Self.listener.binding), "payload": .string(payload.text), "executionContextId": .number(context)],
      session)
  }

  mutating func request(
    _ url: String = shop, frame: String = "P", reason: String = "anchorClick", disposition: String = "currentTab",
    _ session: String = "S"
  ) {
    event(
      "Page.frameRequestedNavigation",
      ["frameId": .string(frame), "reason": .string(reason), "url": .string(url), "disposition": .string(disposition)], session)
  }

  mutating func start(
    _ loader: String, _ url: String = shop, frame: String = "P", kind: String = "differentDocument", _ session: String = "S"
  ) {
    event(
      "Page.frameStartedNavigating",
      ["frameId": .string(frame), "url": .string(url), "loaderId": .string(loader), "navigationType": .string(kind)], session)
  }

  mutating func commit(
    _ loader: String, _ url: String = shop, frame: String = "P", error: Bool = false, _ session: String = "S"
  ) {
    let failed: [JSON.Member] = error ? [.init("unreachableUrl", .string(url))] : []
    let frame: [JSON.Member] = [
      .init("id", .string(frame)), .init("loaderId", .string(loader)),
      .init("url", .string(error ? "chrome-error://chromewebdata/" : url)),
    ]
    event("Page.frameNavigated", ["frame": .object(frame + failed), "type": "Navigation"], session)
  }

  mutating func load(
    _ id: String, _ url: String, kind: String = "Image", frame: String? = "P", loader: String = "L", from: String? = nil,
    head: Bool = false, _ session: String = "S"
  ) {
    var params: [JSON.Member] = [
      .init("requestId", .string(id)), .init("request", ["url": .string(url)]), .init("type", .string(kind)),
      .init("loaderId", .string(loader)),
    ]
    if let frame { params.append(.init("frameId", .string(frame))) }
    if let from { params += [.init("redirectResponse", ["url": .string(from)]), .init("redirectHasExtraInfo", .bool(head))] }
    event("Network.requestWillBeSent", .object(params), session)
  }

  /// A response that redirects, as the event about its head says.
  mutating func respond(_ id: String, location: String) {
    event(
      "Network.responseReceivedExtraInfo",
      ["requestId": .string(id), "statusCode": .number(302), "headers": ["Location": .string(location)]])
  }

  mutating func fail(_ id: String, _ error: String = "net::ERR_ABORTED", blocked: String? = nil, cors: Bool = false) {
    let more: [JSON.Member] = [
      blocked.map { .init("blockedReason", .string($0)) }, cors ? .init("corsErrorStatus", ["corsError": "x"]) : nil,
    ].compactMap { $0 }
    event("Network.loadingFailed", .object([.init("requestId", .string(id)), .init("errorText", .string(error))] + more))
  }

  mutating func pause(
    _ url: String = trigger, network: String? = nil, redirected: Bool = true, frame: String? = "P", referrer: String? = nil,
    fragment: String? = nil, kind: String = "Image"
  ) {
    number += 1
    let headers: JSON = referrer.map { ["Referer": .string($0)] } ?? [:]
    var params: [JSON.Member] = [
      .init("requestId", .string("F\(number)")),
      .init("request", ["url": .string(url), "urlFragment": .string(fragment), "headers": headers]),
      .init("resourceType", .string(kind)),
    ]
    if let network { params.append(.init("networkId", .string(network))) }
    if let frame { params.append(.init("frameId", .string(frame))) }
    if redirected { params.append(.init("redirectedRequestId", "F0")) }
    event("Fetch.requestPaused", .object(params), nil)
  }
}
