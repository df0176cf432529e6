package import PCMCore

/// Observes clicks and triggering events: receives the messages of DevTools, and returns actions.
///
/// The size of every table is limited. A rule states the reason if it does not use the obvious event.
///
/// ```swift
/// var observer = PageObserver(context: nil, listener: PageListener(token: "token"))
/// for action in observer.start() + observer.receive(event, at: .seconds(1)) {
///   switch action {
///   case .click(let click): print(click)
///   case .send(let command), .ask(let command, _): print(command)
///   default: break
///   }
/// }
/// ```
package struct PageObserver: Sendable {
  package enum Action: Hashable, Sendable {
    /// Send a command. Its answer is ignored.
    case send(DevToolsCommand)
    /// Send a command, and pass its answer to ``receive(_:for:)`` with the purpose.
    case ask(DevToolsCommand, Purpose)
    case click(ObservedClick)
    /// Report a triggering event, then continue its request; nil if no request is paused.
    case trigger(ObservedTrigger, request: String?)
    /// Continue a request.
    case resume(request: String)
    case drop(ObservedDrop)
    /// Call ``release(_:)`` with this request after ``landingPatience``.
    case wake(request: String)
  }

  /// The purpose of a command.
  package struct Purpose: Hashable, Sendable {
    let session: String
    /// Whether the answer only confirms that all earlier events were received. Otherwise, it contains the frames of a new
    /// target.
    let isRoundTrip: Bool
  }

  /// The operations that ``BrowserAttachment/settle(within:)`` waits for.
  package struct Pending: Hashable, Sendable {
    /// Clicks that wait for their landing.
    package var clicks = 0
    /// Requests that wait for a decision.
    package var heldRequests = 0
    /// Requests without a response.
    package var requests = 0
  }

  /// The time that a triggering event waits for a click that is still landing on its page.
  package static let landingPatience = Duration.milliseconds(300)
  /// The maximum number of waits for ``landingPatience`` while a busy page has no URL.
  static let unknownPagePatience = 5
  /// The minimum time that a click waits for a requested window or navigation.
  static let requestPatience = Duration.seconds(3)
  /// The maximum time that a new window waits for the event about its link.
  static let windowPatience = Duration.seconds(1)
  static let newWindowLimit = 16
  static let triggerPattern = "*\(TriggerURL.pathPrefix)*"
  static let loadLimit = 8_192

  let context: String?
  let listener: PageListener
  /// The attached targets, by their session.
  var targets = RecentTable<String, Target>(limit: 4_096)
  /// The pages, by the identifier of their target, which is also the identifier of the main frame.
  var pages = RecentTable<String, Page>(limit: 4_096)
  /// Existing frames, and removed frames, whose requests may continue.
  var frames = RecentTable<String, Frame>(limit: 16_384)
  /// The frames of the listener's contexts. An entry is replaced but never removed: another process of the same page uses the
  /// numbers again, and its new contexts can begin before the old contexts end.
  var contexts = RecentTable<ContextKey, String>(limit: 16_384)
  /// The loads, by the request's number in the network domain.
  var loads = RecentTable<String, Load>(limit: loadLimit)
  /// The loads without a response. The loads of a document that was left may never receive a response.
  var unansweredLoads: Set<String> = []
  /// The loads that a policy or mixed content refused after a redirect, by their document and first URL. Chromium may request
  /// a refused image twice.
  var refusedLoads = RecentTable<String, Bool>(limit: 1_024)
  /// The targets of redirects whose request events have not arrived, by the number of the request.
  var earlyLocations = RecentTable<String, [String]>(limit: 1_024)
  var journeys: [Journey] = []
  /// The windows without a waiting click. The event about a window can overtake the event about its link.
  var newWindows: [NewWindow] = []
  var deferred: [DeferredTrigger] = []
  /// Paused requests whose load event has not arrived, by the number of the load.
  var undecided: [String: JSON] = [:]
  var lastJourney = 0
  /// The number of relevant events, which may lead to a click or a triggering event. Continuous logs or streams do not count.
  package private(set) var activity = 0
  /// The actions of the current message.
  var actions: [Action] = []
  /// The arrival time of the current message.
  var time = Duration.zero

  /// A target with a session.
  struct Target {
    /// `page`, `iframe`, `worker`, `shared_worker`, or `service_worker`.
    let kind: String
    let id: String
    /// The page of a frame or a worker; nil for a worker that several pages share.
    let page: String?
    /// The script of a worker.
    let url: String
    let session: String
    /// Whether the process has crashed. The target answers no command until it is reloaded.
    var isCrashed = false

    var hasDocument: Bool { kind == "page" || kind == "iframe" }
  }

  struct Page {
    let session: String
    /// The browser context.
    let context: String?
    /// The page that opened it by a script or a link.
    let opener: String?
    var url: String
    /// The URL of the document before the last commit.
    var previousURL: String?
    /// The last navigation that began. Its event can overtake the event about its link.
    var started: Started?
  }

  /// A page that a link may have opened.
  struct NewWindow {
    let page: String
    /// The page that opened it; nil for a tab in the background.
    let opener: String?
    let context: String?
    let attachedAt: Duration
  }

  struct Started: Hashable {
    let loader: String
    let url: String
  }

  struct Frame {
    let page: String
    var isTop = false
    var url: String?
    /// The contexts of the page's scripts and of the listener in the first document. The next document can have the same
    /// window, but without the listeners, and the scripts do not run again.
    var firstContexts: [String: String]? = [:]
    /// The last navigation that the frame requested, and its reason.
    var request: (url: String, reason: String)?
  }

  struct ContextKey: Hashable {
    let session: String
    let number: Int64
  }

  struct Load {
    let firstURL: String
    /// The current URL.
    var url: String
    /// The URL that redirected to `url`.
    var redirectingURL: String?
    let kind: String
    let frame: String?
    let page: String?
    let firstPartyURL: String?
    /// Whether the load is the navigation of a main frame, whose first party is its own URL.
    let isTopNavigation: Bool
    /// The loader of the requesting document.
    let document: String
    /// Whether the first URL is a trigger URL or a similar URL.
    let isLookalike: Bool
    /// The number of redirects with an event.
    var redirectCount = 0
    /// The number of redirects with an event whose heads also have an event, which may arrive later.
    var headCount = 0
    /// The targets of all redirects, including redirects without an event.
    var locations: [String] = []
    /// Whether WebKit ends the load, because it was redirected to an http URL on an https page.
    var isMixed = false
    /// The reason Chromium refused the last redirect.
    var refusal: Refusal?
    /// Whether a triggering event of the load was reported.
    var isReported = false
  }

  /// The reason Chromium does not follow a redirect whose target WebKit reads before it refuses it.
  enum Refusal { case policy, mixedContent, cors, unknown }

  struct DeferredTrigger {
    let trigger: ObservedTrigger
    let request: String?
    let page: String
    /// The number of waits for ``landingPatience``.
    var waits = 1
  }

  /// - Parameter context: The browser context to observe; nil for all.
  package init(context: String?, listener: PageListener) {
    self.context = context
    self.listener = listener
  }

  package var pending: Pending {
    Pending(
      clicks: journeys.count(where: { $0.click != nil }), heldRequests: deferred.count + undecided.count,
      requests: unansweredLoads.count(where: { loads[$0] != nil }))
  }

  /// Returns the commands that start the observation.
  ///
  /// The filter lists the target kinds, because an empty filter also matches Chromium's user interface. Service workers are
  /// attached here and not at their pages, so that each of their events arrives once.
  package mutating func start() -> [Action] {
    let kinds: [JSON] = ["page", "shared_worker", "service_worker"]
    return [
      .send(
        DevToolsCommand(
          "Fetch.enable", ["patterns": [["urlPattern": .string(Self.triggerPattern), "requestStage": "Request"]]])),
      // The answer follows the events about open pages.
      .ask(Self.autoAttach(kinds, session: nil), Purpose(session: "", isRoundTrip: true)),
    ]
  }

  /// Returns the commands whose answers confirm that all earlier events were received. A frame of another site has a separate
  /// process.
  package func roundTrip() -> [Action] {
    targets.values.filter { $0.hasDocument && !$0.isCrashed }.map { Self.askForFrames(of: $0.session, isRoundTrip: true) }
  }

  static func askForFrames(of session: String, isRoundTrip: Bool) -> Action {
    .ask(DevToolsCommand("Page.getFrameTree", session: session), Purpose(session: session, isRoundTrip: isRoundTrip))
  }

  /// - Parameter time: The uptime of the service.
  package mutating func receive(_ event: DevToolsEvent, at time: Duration = .zero) -> [Action] {
    (actions, self.time) = ([], time)
    if handle(event) { activity += 1 }
    return actions
  }

  /// - Returns: Whether the event may lead to a click or a triggering event.
  private mutating func handle(_ event: DevToolsEvent) -> Bool {
    let params = event.params
    switch (event.method, event.session) {
    case ("Target.attachedToTarget", let parent): attached(params, parent: parent)
    case ("Target.detachedFromTarget", _): detached(params)
    case ("Fetch.requestPaused", _): requestPaused(params)
    case (let method, let session?):
      // A target that left the table may still report clicks.
      guard targets[session] != nil || method == "Runtime.bindingCalled" else { return false }
      switch method {
      case "Page.frameAttached": frameAttached(params, session)
      case "Page.frameNavigated": frameNavigated(params["frame"] ?? [:], session)
      case "Page.documentOpened": documentOpened(params["frame"] ?? [:])
      case "Page.navigatedWithinDocument": navigatedWithinDocument(params)
      case "Page.frameRequestedNavigation":
        noteRequest(params)
        navigationRequested(params, session)
      case "Page.frameStartedNavigating": navigationStarted(params)
      case "Page.windowOpen": windowOpened(params, session)
      case "Page.downloadWillBegin": downloadBegan(params)
      case "Page.frameDetached": frameDetached(params)
      case "Inspector.targetCrashed": crashed(session)
      case "Runtime.executionContextCreated": contextCreated(params["context"] ?? [:], session)
      case "Runtime.bindingCalled": bindingCalled(params, session)
      case "Network.requestWillBeSent": requestStarted(params, session)
      case "Network.responseReceivedExtraInfo": responseArrived(params)
      case "Network.dataReceived": return isPartOfDocument(params)
      case "Network.responseReceived", "Network.loadingFinished": requestEnded(params)
      case "Network.loadingFailed":
        loadFailed(params)
        navigationFailed(params)
      default: return false
      }
    default: return false
    }
    return true
  }

  /// Receives the answer to a command.
  package mutating func receive(_ result: JSON, for purpose: Purpose) -> [Action] {
    actions = []
    if !purpose.isRoundTrip, let tree = result["frameTree"] { framesListed(tree, purpose.session) }
    return actions
  }

  /// Reports a triggering event that waited for a click or for the event about its load.
  package mutating func release(_ request: String) -> [Action] {
    actions = []
    if let index = deferred.firstIndex(where: { $0.request == request }), !isKnown(deferred[index].page),
      deferred[index].waits < Self.unknownPagePatience
    {
      deferred[index].waits += 1
      actions.append(.wake(request: request))
      return actions
    }
    flush { $0.request == request }
    if let entry = undecided.first(where: { $0.value["requestId"]?.string == request }) {
      undecided[entry.key] = nil
      requestPaused(entry.value, isComplete: true)
    }
    return actions
  }

  /// Drops the clicks that led to no navigation, when the pages have answered a round trip without a new event. A requested
  /// window or navigation may begin later, because another process starts it.
  ///
  /// - Parameter time: The uptime of the service.
  package mutating func dropIdleClicks(at time: Duration) -> [Action] {
    actions = []
    for journey in journeys where !journey.isUnderway {
      let isRequested = journey.phase == .requested || journey.phase == .window
      guard let click = journey.click, !isRequested || click.seenAt + Self.requestPatience <= time else { continue }
      end(journey)
    }
    return actions
  }

  /// Drops the waiting clicks at the end of the observation.
  package mutating func end() -> [Action] {
    actions = []
    for journey in journeys where journey.click != nil { end(journey, .attachmentEnded) }
    return actions
  }

  func page(of session: String?) -> String? { session.flatMap { targets[$0]?.page } }

  /// Returns the URL of a frame; nil for a main frame and for an unknown URL.
  func url(ofFrame frame: String?) -> String? {
    frame.flatMap { frames[$0] }.flatMap { $0.isTop || $0.url?.isEmpty == true ? nil : $0.url }
  }

  /// Returns the first party of a page's loads; nil for an unknown page. An empty window has no first party unless its opener
  /// writes to it.
  func firstPartyURL(of page: String?) -> String? { page.flatMap { pages[$0]?.url } }
}
