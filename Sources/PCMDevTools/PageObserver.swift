package import PCMCore

/// What the messages of DevTools say about clicks and triggering events: messages in, actions out.
///
/// Every table is bounded, and each rule about DevTools has the reason for which the obvious signal is not used.
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
    /// Send a command whose answer has no meaning.
    case send(DevToolsCommand)
    /// Send a command, and pass on its answer with this purpose.
    case ask(DevToolsCommand, Purpose)
    case click(ObservedClick)
    /// Report a triggering event, then continue its request; nil when no request waits.
    case trigger(ObservedTrigger, request: String?)
    /// Continue a request.
    case resume(request: String)
    case drop(ObservedDrop)
    /// Call ``release(_:)`` with this request after ``landingPatience``.
    case wake(request: String)
  }

  /// Why a command was sent.
  package struct Purpose: Hashable, Sendable {
    let session: String
    /// Whether the answer only proves that everything before it was received. Otherwise it has the frames of a new target.
    let isRoundTrip: Bool
  }

  /// What ``BrowserAttachment/settle(within:)`` waits for.
  package struct Pending: Hashable, Sendable {
    /// Clicks that wait for their landing.
    package var clicks = 0
    /// Requests that wait for a decision.
    package var heldRequests = 0
    /// Requests without a response.
    package var requests = 0
  }

  /// How long a triggering event waits for a click that is still landing on its page.
  package static let landingPatience = Duration.milliseconds(300)
  /// How often a triggering event waits for ``landingPatience`` while its page has no URL, because the page is busy.
  static let unknownPagePatience = 5
  /// How long a click waits at least for the window or the navigation that its page asked for.
  static let requestPatience = Duration.seconds(3)
  /// How long a new window waits at most for the event about its link.
  static let windowPatience = Duration.seconds(1)
  static let newWindowLimit = 16
  static let triggerPattern = "*\(TriggerURL.pathPrefix)*"
  static let loadLimit = 8_192

  let context: String?
  let listener: PageListener
  /// By session.
  var targets = RecentTable<String, Target>(limit: 4_096)
  /// By the identifier of the target, which is that of the main frame.
  var pages = RecentTable<String, Page>(limit: 4_096)
  /// Frames that are there, and frames that are gone: their requests may still run.
  var frames = RecentTable<String, Frame>(limit: 16_384)
  /// The frames of the listener's contexts. An entry is replaced and never removed, because the numbers repeat in another
  /// process of the same page, whose old contexts end later than its new ones begin.
  var contexts = RecentTable<ContextKey, String>(limit: 16_384)
  /// By the number that the network domain gives a request.
  var loads = RecentTable<String, Load>(limit: loadLimit)
  /// The loads without a response. Those of a document that was left may never get one.
  var unansweredLoads: Set<String> = []
  /// The loads that a policy or mixed content refused after a redirect, by their document and first URL. Chromium may request a
  /// refused image twice.
  var refusedLoads = RecentTable<String, Bool>(limit: 1_024)
  /// Where the responses to requests redirected whose events come later, by the number of the request.
  var earlyLocations = RecentTable<String, [String]>(limit: 1_024)
  var journeys: [Journey] = []
  /// The windows that no click waited for. The event about a window can overtake the one about its link.
  var newWindows: [NewWindow] = []
  var deferred: [DeferredTrigger] = []
  /// Requests by the number of their load, whose event comes later.
  var undecided: [String: JSON] = [:]
  var lastJourney = 0
  /// The number of events that may lead to a click or a triggering event. A page that logs or streams without end is quiet.
  package private(set) var activity = 0
  /// The actions of the current message.
  var actions: [Action] = []
  /// When the current message arrived.
  var time = Duration.zero

  /// A target with a session.
  struct Target {
    /// `page`, `iframe`, `worker`, `shared_worker`, or `service_worker`.
    let kind: String
    let id: String
    /// The page around a frame or a worker; nil for a worker that several pages share.
    let page: String?
    /// The script of a worker.
    let url: String
    let session: String
    /// Whether its process ended. It answers no command until it is loaded again.
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
    /// The document before the last commit.
    var previousURL: String?
    /// The last navigation that began. The event can overtake the one about its link.
    var started: Started?
  }

  /// A page that a link may have opened.
  struct NewWindow {
    let page: String
    /// The page that opened it. A tab in the background has none.
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
    /// The contexts of the page's scripts and of the listener in the first document. The next one can have the same window, without
    /// the listeners of the scripts, and no script runs in it again.
    var firstContexts: [String: String]? = [:]
    /// The last navigation that the frame asked for, and its reason.
    var request: (url: String, reason: String)?
  }

  struct ContextKey: Hashable {
    let session: String
    let number: Int64
  }

  struct Load {
    /// The first URL.
    let firstURL: String
    /// The latest URL.
    var url: String
    /// The URL that redirected to it.
    var redirectingURL: String?
    let kind: String
    let frame: String?
    let page: String?
    let firstPartyURL: String?
    /// Whether it is the navigation of a main frame, whose first party is its own URL.
    let isTopNavigation: Bool
    /// The loader of the document that loads.
    let document: String
    /// Whether the first URL is a trigger URL, or resembles one.
    let isLookalike: Bool
    /// The number of redirects that had an event.
    var redirectCount = 0
    /// The number of these whose heads have events, which may come later.
    var headCount = 0
    /// Where the responses redirected to, also those without an event.
    var locations: [String] = []
    /// Whether WebKit ends the load, because a page over https was redirected to an http URL.
    var isMixed = false
    /// Why Chromium refused to follow the last redirect.
    var refusal: Refusal?
    /// Whether something was reported.
    var isReported = false
  }

  /// Why Chromium does not follow a redirect that WebKit reads before it refuses it.
  enum Refusal { case policy, mixedContent, cors, unknown }

  struct DeferredTrigger {
    let trigger: ObservedTrigger
    let request: String?
    let page: String
    /// How often it waited for ``landingPatience``.
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

  /// Returns the commands at the beginning.
  ///
  /// The filter lists the kinds: an empty one matches Chromium's user interface, too. Service workers are attached here and
  /// not at their pages, or each of their events would come twice.
  package mutating func start() -> [Action] {
    let kinds: [JSON] = ["page", "shared_worker", "service_worker"]
    return [
      .send(
        DevToolsCommand(
          "Fetch.enable", ["patterns": [["urlPattern": .string(Self.triggerPattern), "requestStage": "Request"]]])),
      // Its answer follows the pages that are open.
      .ask(Self.autoAttach(kinds, session: nil), Purpose(session: "", isRoundTrip: true)),
    ]
  }

  /// Returns the commands whose answers prove that everything before them was received. A frame of another site has a process of
  /// its own.
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
      // A target that left the table may have clicks.
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

  /// Drops the clicks that led to no navigation, once the pages have answered a round trip without a new event. A window or a
  /// navigation that a page asked for may come later, because another process begins it.
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

  /// Drops the clicks that wait, because nothing is observed any more.
  package mutating func end() -> [Action] {
    actions = []
    for journey in journeys where journey.click != nil { end(journey, .attachmentEnded) }
    return actions
  }

  func page(of session: String?) -> String? { session.flatMap { targets[$0]?.page } }

  /// The URL of a frame that is not a page's own.
  func url(ofFrame frame: String?) -> String? {
    frame.flatMap { frames[$0] }.flatMap { $0.isTop || $0.url?.isEmpty == true ? nil : $0.url }
  }

  /// The first party of what a page loads; nil for a page that is not known. An empty window has none, unless its opener writes it.
  func firstPartyURL(of page: String?) -> String? { page.flatMap { pages[$0]?.url } }
}
