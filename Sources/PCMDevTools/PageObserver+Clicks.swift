import PCMCore

/// Clicks and their landings.
extension PageObserver {
  /// A navigation that a link causes, with its click. The click is nil for a link without attributes.
  struct Journey {
    let number: Int
    /// The page with the link.
    let page: String
    /// The link's target without its fragment.
    var url: String
    var click: ObservedClick?
    /// The identifier of the listener's reports about the click.
    var report: ReportKey?
    /// Whether the listener has sent its last report.
    var isFinal = false
    var phase = Phase.clicked
    /// The page that navigates: the page of the link, or a window.
    var landingPage: String?
    /// Whether the response has an error status and an empty body.
    var isEmptyResponse = false
    /// Whether the link's own action requested a new window.
    var opensWindow = false

    enum Phase: Hashable {
      case clicked
      /// The link's own action requested a navigation of the page.
      case requested
      /// The link's own action requested a window.
      case window
      /// The window exists.
      case opened
      case started(loader: String)
      /// The navigation ended without a document, because of a download or another navigation, whose event may follow.
      case aborted
      case landed(url: String)
      case failed(DroppedClick)
    }

    var isUnderway: Bool {
      switch phase {
      case .opened, .started: true
      default: false
      }
    }

    /// Whether the click is still to be reported. A landed click may wait for the listener's last report.
    var isLanding: Bool {
      if case .landed = phase { return click != nil }
      return click != nil && isUnderway
    }

    var isOver: Bool {
      switch phase {
      case .landed, .failed: true
      default: false
      }
    }

    /// Whether a link in a frame opens a window, which WebKit does not measure. The target may also be the name of an open
    /// window.
    var leavesFrame: Bool { opensWindow && click?.isInFrame == true }
  }

  struct ReportKey: Hashable {
    let context: ContextKey
    let number: Int64
  }

  static let journeyLimit = 256

  mutating func bindingCalled(_ params: JSON, _ session: String) {
    guard params["name"]?.string == listener.binding, let seen = params["payload"]?.string.flatMap(PageListener.Click.init)
    else { return }
    guard let page = self.page(of: session), let pageURL = seen.pageURL.map(bounded) ?? firstPartyURL(of: page) else {
      return seen.isFinal ? drop(.unknownPage, seen.href) : ()
    }
    let frame = params["executionContextId"]?.integer.flatMap { contexts[ContextKey(session: session, number: $0)] }
    let isInFrame = frame.map { $0 != page } ?? (targets[session]?.kind == "iframe")
    let click = ObservedClick(
      pageURL: pageURL, href: seen.href, sourceID: seen.sourceID, destination: seen.destination, nonce: seen.nonce,
      target: seen.target, isInFrame: isInFrame, frameURL: self.url(ofFrame: frame), hasGesture: seen.hasGesture,
      seenAt: time)
    if let code = seen.code { return drop(code, click) }
    let key = ReportKey(
      context: ContextKey(session: session, number: params["executionContextId"]?.integer ?? 0), number: seen.number)
    if seen.isFirst {
      for journey in journeys where journey.page == page && journey.phase == .clicked && journey.isFinal {
        fail(journey.number, .noNavigation)
      }
      insert(page, withoutFragment(seen.href), click, key)
    }
    guard let index = journeys.lastIndex(where: { $0.report == key }) else { return }
    update(index, seen, click)
  }

  private mutating func update(_ index: Int, _ seen: PageListener.Click, _ click: ObservedClick) {
    let known = journeys[index]
    guard seen.sourceID != nil || seen.destination != nil else {
      // Another listener may restore the attributes.
      journeys[index].click = nil
      return seen.isFinal ? remove(known.number) : ()
    }
    if known.phase == .clicked { journeys[index].url = withoutFragment(seen.href) }
    journeys[index].click = click
    // The page may have landed in the meantime.
    journeys[index].click?.pageURL = known.click?.pageURL ?? click.pageURL
    guard seen.isFinal else { return }
    journeys[index].isFinal = true
    if seen.isPrevented { return fail(known.number, .defaultPrevented) }
    if click.isInFrame {
      switch (seen.target ?? "").lowercased() {
      case "", "_self": return fail(known.number, .navigatesAFrame)
      case "_blank": return fail(known.number, .newWindowFromAFrame)
      default: break
      }
    }
    conclude(known.number)
    if known.phase != .clicked { reportAppStoreLink(known.number) }
  }

  /// Handles the start of a link's own action, which has the reason `anchorClick`. A navigation by a script has another
  /// reason.
  mutating func navigationRequested(_ params: JSON, _ session: String) {
    guard params["reason"]?.string == "anchorClick", let frame = params["frameId"]?.string, let page = self.page(of: session),
      let url = params["url"]?.string.map(withoutFragment)
    else { return }
    let number = journey(from: page, to: url)
    let disposition = params["disposition"]?.string ?? "currentTab"
    if disposition == "download" { return fail(number, .download) }
    if disposition != "currentTab" { return awaitWindow(number) }
    // A named window that is already open is the main frame of another page.
    guard frame == page || frames[frame]?.isTop == true else { return fail(number, .navigatesAFrame) }
    update(number) { journey in
      guard journey.phase == .clicked else { return }
      journey.phase = .requested
      journey.landingPage = frame
    }
    reportAppStoreLink(number)
    // The second click of a double click requests a navigation that has already begun.
    if let started = pages[frame]?.started, started.url == url,
      !journeys.contains(where: { $0.phase == .started(loader: started.loader) })
    {
      begin(frame, started)
    }
  }

  mutating func windowOpened(_ params: JSON, _ session: String) {
    guard let page = self.page(of: session), let url = params["url"]?.string.map(withoutFragment) else { return }
    let number = journey(from: page, to: url)
    awaitWindow(number)
    reportAppStoreLink(number)
  }

  /// Reports a link to the App Store. WebKit hands a web ad over before it navigates. Another link to an app is reported only
  /// with click attributes.
  private mutating func reportAppStoreLink(_ number: Int) {
    guard let journey = journeys.first(where: { $0.number == number }), journey.isFinal, let click = journey.click,
      click.isWebAd || click.leadsToAnApp && (click.sourceID ?? "").isEmpty
    else { return }
    actions.append(.click(click))
    remove(number)
  }

  /// Handles a link's request for a window, which may already exist.
  private mutating func awaitWindow(_ number: Int) {
    update(number) { ($0.phase, $0.opensWindow) = (.window, true) }
    conclude(number)
    guard let journey = journeys.firstIndex(where: { $0.number == number }),
      let index = newWindows.firstIndex(where: {
        isWindow($0, of: journeys[journey]) && time - $0.attachedAt < Self.windowPatience
      })
    else { return }
    open(newWindows.remove(at: index), journey)
  }

  /// Assigns a window to the click that waits for it.
  mutating func adopt(_ window: NewWindow) {
    let candidates = journeys.indices.filter { journeys[$0].phase == .window && isWindow(window, of: journeys[$0]) }
    guard let index = candidates.first(where: { journeys[$0].click != nil }) ?? candidates.last else {
      newWindows = newWindows.suffix(Self.newWindowLimit - 1) + [window]
      return
    }
    open(window, index)
  }

  /// Returns whether a window can belong to a click. A window has the frame of its opener even with `noopener`. A tab in the
  /// background has neither, and is matched by its context and its order.
  private func isWindow(_ window: NewWindow, of journey: Journey) -> Bool {
    window.opener.map { $0 == journey.page } ?? (window.context == pages[journey.page]?.context)
  }

  private mutating func open(_ window: NewWindow, _ index: Int) {
    journeys[index].phase = .opened
    journeys[index].landingPage = window.page
    // A tab in the background may have navigated before its attachment.
    guard let url = pages[window.page]?.url, !url.isEmpty, url != "about:blank" else { return }
    if url.hasPrefix("chrome-error:") {
      fail(journeys[index].number, .landingFailed)
    } else {
      land(journeys[index].number, url)
    }
  }

  mutating func navigationStarted(_ params: JSON) {
    guard let frame = params["frameId"]?.string, frames[frame]?.isTop == true, let loader = params["loaderId"]?.string,
      let url = params["url"]?.string.map(withoutFragment)
    else { return }
    let isSameDocument = (params["navigationType"]?.string ?? "").lowercased().contains("samedocument")
    if isSameDocument {
      let number = journeys.last { $0.landingPage == frame && $0.phase == .requested && $0.url == url }?.number
      if let number { fail(number, .noNavigation) }
      return
    }
    let started = Started(loader: loader, url: url)
    pages.update(frame) { $0.started = started }
    begin(frame, started)
  }

  /// Notes the start of a navigation, which supersedes the page's earlier navigations.
  private mutating func begin(_ page: String, _ started: Started) {
    for journey in journeys where journey.landingPage == page {
      switch journey.phase {
      case .started(let loader) where loader != started.loader: fail(journey.number, .superseded)
      case .aborted: fail(journey.number, .superseded)
      default: break
      }
    }
    let index = journeys.lastIndex {
      $0.landingPage == page && ($0.phase == .requested || $0.phase == .opened) && $0.url == started.url
    }
    if let index { journeys[index].phase = .started(loader: started.loader) }
  }

  /// Handles the commit of a document in a page's main frame.
  ///
  /// - Parameter isListed: Whether the document existed when the page was attached.
  mutating func committed(_ frame: JSON, page: String, url: String, isListed: Bool) {
    let isError = frame["unreachableUrl"]?.string != nil || url.hasPrefix("chrome-error:")
    let loader = frame["loaderId"]?.string ?? ""
    pages.update(page) { if $0.started?.loader == loader { $0.started = nil } }
    for journey in journeys where journey.landingPage == page {
      switch journey.phase {
      case .started(let begun) where begun != loader: if !isListed { fail(journey.number, .superseded) }
      case .opened where url.isEmpty || url == "about:blank": break
      case .started where isError && journey.isEmptyResponse: land(journey.number, frame["unreachableUrl"]?.string ?? url)
      case .started, .opened: if isError { fail(journey.number, .landingFailed) } else { land(journey.number, url) }
      default: break
      }
    }
  }

  /// Handles a failed navigation. An aborted navigation commits nothing, and other failures commit an error page. Chromium
  /// also commits an error page for an error status with an empty body, but WebKit commits the response.
  mutating func navigationFailed(_ params: JSON) {
    guard let loader = params["requestId"]?.string, let error = params["errorText"]?.string else { return }
    for index in journeys.indices where journeys[index].phase == .started(loader: loader) {
      if error == "net::ERR_ABORTED" { journeys[index].phase = .aborted }
      journeys[index].isEmptyResponse = error == "net::ERR_HTTP_RESPONSE_CODE_FAILURE"
    }
    flushLanded()
  }

  mutating func downloadBegan(_ params: JSON) {
    guard let frame = params["frameId"]?.string else { return }
    let url = params["url"]?.string.map(withoutFragment)
    let journey = journeys.last { journey in
      !journey.isOver
        && (journey.landingPage == frame || journey.page == frame && journey.phase == .clicked && journey.url == url)
    }
    if let journey { fail(journey.number, .download) }
  }

  /// Returns the click of a link's action, or a new journey without a click.
  private mutating func journey(from page: String, to url: String) -> Int {
    let isOpen = { (journey: Journey) in journey.phase == .clicked || journey.phase == .window }
    let isKnown = { (journey: Journey) in
      journey.page == page && isOpen(journey) && (journey.url == url || isPoint(url, of: journey.url))
    }
    guard let index = journeys.lastIndex(where: isKnown) ?? journeyToNamedWindow(page, url) else { return insert(page, url) }
    journeys[index].url = url
    return journeys[index].number
  }

  /// Returns the click on another page's link whose target is an open window. The session of that window sends the event
  /// about the link's action.
  private func journeyToNamedWindow(_ window: String, _ url: String) -> Int? {
    journeys.lastIndex { journey in
      journey.phase == .clicked && journey.url == url
        && journey.click?.target.map { !$0.hasPrefix("_") && !$0.isEmpty } ?? false
        && pages[journey.page]?.context == pages[window]?.context
    }
  }

  @discardableResult private mutating func insert(
    _ page: String, _ url: String, _ click: ObservedClick? = nil, _ report: ReportKey? = nil
  ) -> Int {
    if journeys.count >= Self.journeyLimit {
      let index = journeys.firstIndex { $0.click == nil } ?? 0
      if let click = journeys.remove(at: index).click { drop(.tooManyClicks, click) }
    }
    lastJourney += 1
    journeys.append(Journey(number: lastJourney, page: page, url: url, click: click, report: report))
    return lastJourney
  }

  private mutating func update(_ number: Int, _ change: (inout Journey) -> Void) {
    if let index = journeys.firstIndex(where: { $0.number == number }) { change(&journeys[index]) }
  }

  private mutating func land(_ number: Int, _ url: String) {
    guard url.hasPrefix("https:") || url.hasPrefix("http:") else { return fail(number, .landingNotHTTP) }
    update(number) { $0.phase = .landed(url: url) }
    conclude(number)
  }

  mutating func fail(_ number: Int, _ code: DroppedClick) {
    update(number) { $0.phase = .failed(code) }
    conclude(number)
  }

  /// Ends a journey without waiting for further events.
  mutating func end(_ journey: Journey, _ code: DroppedClick = .noNavigation) {
    switch journey.phase {
    case .landed:
      update(journey.number) { $0.isFinal = true }
      conclude(journey.number)
    case .aborted: fail(journey.number, .navigationAborted)
    default: fail(journey.number, code)
    }
  }

  /// Ends the journeys from and to a closed page. A window that is underway does not need its opener.
  mutating func endJourneys(of page: String, _ code: DroppedClick) {
    newWindows.removeAll { $0.page == page }
    for journey in journeys where journey.landingPage == page || journey.page == page && !journey.isUnderway {
      end(journey, code)
    }
  }

  /// Reports a click when its journey is over.
  private mutating func conclude(_ number: Int) {
    guard let journey = journeys.first(where: { $0.number == number }), journey.isOver || journey.isFinal && journey.leavesFrame
    else { return }
    guard var click = journey.click else { return remove(number) }
    switch journey.phase {
    case .failed(let code): drop(code, click)
    case _ where journey.leavesFrame && journey.isFinal: drop(.newWindowFromAFrame, click)
    case .landed(let url):
      // The last report tells whether a listener opened a window with the link's URL and prevented the navigation.
      guard journey.isFinal || journey.landingPage == journey.page else { return }
      click.landingURL = url
      // The service knows the target names that always leave a frame. A name that led to the page has the same effect.
      click.isInFrame = click.isInFrame && ["_top", "_parent"].contains(click.target?.lowercased())
      actions.append(.click(click))
    default: break
    }
    remove(number)
  }

  private mutating func remove(_ number: Int) {
    journeys.removeAll { $0.number == number }
    flushLanded()
  }

  mutating func drop(_ code: DroppedClick, _ url: String) { actions.append(.drop(ObservedDrop(code, url))) }

  private mutating func drop(_ code: DroppedClick, _ click: ObservedClick) { actions.append(.drop(ObservedDrop(code, click))) }
}

extension ObservedClick {
  private static let appPrefix = "https://apps.apple.com/app/id"

  fileprivate var leadsToAnApp: Bool { href.hasPrefix(Self.appPrefix) }

  /// Whether the link has the URL and the nonce of a web ad (reference, section 2.2).
  fileprivate var isWebAd: Bool {
    let number = href.dropFirst(Self.appPrefix.count)
    return leadsToAnApp && number.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt64(number) != nil
      && nonce.map(Nonce.isValid) ?? false
  }
}

/// Returns whether a URL is a link's URL with the coordinates of a click, which an image with `ismap` appends.
private func isPoint(_ url: String, of link: String) -> Bool {
  guard url.hasPrefix(link + "?") else { return false }
  let numbers = url.dropFirst(link.count + 1).split(separator: ",", omittingEmptySubsequences: false)
  return numbers.count == 2 && numbers.allSatisfy { Int($0) != nil }
}
