import PCMCore

/// Loads and redirects to the trigger path.
extension PageObserver {
  /// The network domain knows the first party when a load begins, and the URL that redirects.
  mutating func requestStarted(_ params: JSON, _ session: String) {
    guard let id = params["requestId"]?.string, let url = params["request"]?["url"]?.string.map(bounded),
      url.hasPrefix("http:") || url.hasPrefix("https:")
    else { return }
    let redirectingURL = params["redirectResponse"]?["url"]?.string.map(bounded)
    if redirectingURL != nil, loads[id] != nil {
      loads.update(id) { load in
        load.url = url
        load.redirectingURL = redirectingURL
        load.redirectCount += 1
      }
      return decide(id)
    }
    let frame = params["frameId"]?.string
    let page = frame.flatMap { frames[$0]?.page } ?? self.page(of: session)
    let kind = params["type"]?.string ?? "Other"
    let isNavigation = kind == "Document" && params["loaderId"]?.string == id
    // A worker that pages share acts for the origin of its script.
    let firstPartyURL = self.firstPartyURL(of: page) ?? targets[session]?.url
    loads.insert(
      Load(
        url: url, redirectingURL: redirectingURL, kind: kind, frame: frame, page: page, firstPartyURL: firstPartyURL,
        isTopNavigation: isNavigation && frame != nil && frame == page), for: id)
    unansweredLoads.insert(id)
    if unansweredLoads.count > Self.loadLimit { endLoads { _ in false } }
    decide(id)
  }

  /// No response is awaited for these loads, nor for those that left the table.
  mutating func endLoads(_ isOver: (Load) -> Bool) {
    unansweredLoads = unansweredLoads.filter { id in loads[id].map { !isOver($0) } ?? false }
  }

  /// The redirects of pings, and of loads whose page is left, have no other event.
  mutating func responseArrived(_ params: JSON) {
    guard let id = params["requestId"]?.string, let status = params["statusCode"]?.integer, (300..<400).contains(status),
      let location = header("location", of: params)
    else { return }
    // Chromium follows at most 20 redirects.
    loads.update(id) { if $0.locations.count < 32 { $0.locations.append(location) } }
  }

  /// Whether data belongs to what may load more: a document, a script, or a style sheet, and no stream.
  func isPartOfDocument(_ params: JSON) -> Bool {
    let kind = params["requestId"]?.string.flatMap { loads[$0]?.kind }
    return kind.map { ["Document", "Script", "Stylesheet"].contains($0) } ?? false
  }

  private func header(_ name: String, of part: JSON?) -> String? {
    part?["headers"]?.members.first { $0.name.lowercased() == name }?.value.string.map(bounded)
  }

  /// Receives a request again that waited for the event about its load.
  private mutating func decide(_ load: String) {
    if let params = undecided.removeValue(forKey: load) { requestPaused(params) }
  }

  /// A response is enough: the end of a load whose body is not read never comes.
  mutating func requestEnded(_ params: JSON) {
    if let id = params["requestId"]?.string { unansweredLoads.remove(id) }
  }

  /// A request to the trigger path waits. The fetch domain of the browser sees exactly the redirects that are followed, for
  /// every target, and after the page is gone.
  ///
  /// - Parameter isComplete: Whether no event about the load will come. Pings and the loads of a page that is gone have none.
  mutating func requestPaused(_ params: JSON, isComplete: Bool = false) {
    guard let request = params["requestId"]?.string else { return }
    let frame = params["frameId"]?.string
    let url = bounded(params["request"]?["url"]?.string ?? "")
    let fragment = params["request"]?["urlFragment"]?.string ?? ""
    let load = params["networkId"]?.string.flatMap { loads[$0] }
    // A redirect that a service worker made is one for the network domain only.
    let isRedirect = params["redirectedRequestId"] != nil || (load?.redirectingURL != nil && load?.url == url)
    let isOurs = context == nil || load != nil || frame.map { frames[$0] != nil } ?? false
    if isOurs, !isComplete, let network = params["networkId"]?.string, load?.url != url, undecided[network] == nil,
      undecided.count < Self.journeyLimit
    {
      undecided[network] = params
      actions.append(.wake(request: request))
      return
    }
    guard isRedirect, isOurs else {
      actions.append(.resume(request: request))
      return
    }
    let page = frame.flatMap { frames[$0]?.page } ?? load?.page
    guard
      var trigger = self.trigger(
        url, load, page: page, isTopFrame: frame.flatMap { frames[$0]?.isTop } ?? false,
        referrer: header("referer", of: params["request"]), kind: params["resourceType"]?.string)
    else {
      drop(.unknownPage, url)
      actions.append(.resume(request: request))
      return
    }
    trigger.triggerURL = bounded(url + fragment)
    trigger.frameURL = self.url(ofFrame: frame ?? load?.frame)
    guard let page, !isKnown(page) || isLanding(on: page), deferred.count < Self.journeyLimit else {
      actions.append(.trigger(trigger, request: request))
      return
    }
    deferred.append(DeferredTrigger(trigger: trigger, request: request, page: page))
    actions.append(.wake(request: request))
  }

  private func trigger(
    _ url: String, _ load: Load?, page: String?, isTopFrame: Bool, referrer: String?, kind: String?
  ) -> ObservedTrigger? {
    // The requests of a tab in the background begin before its URL is known.
    let firstPartyAtStart = load?.firstPartyURL?.isEmpty == true ? self.firstPartyURL(of: page) : load?.firstPartyURL
    if let load, let firstPartyURL = load.isTopNavigation ? url : firstPartyAtStart {
      return ObservedTrigger(
        firstPartyURL: firstPartyURL, redirectingURL: load.redirectingURL(to: url), triggerURL: url, load: load.kind)
    }
    // A tab in the background navigates before anything can attach to it. The first party of a navigation is its own URL.
    if isTopFrame, kind == "Document" {
      return ObservedTrigger(firstPartyURL: url, redirectingURL: nil, triggerURL: url, load: "Document", isInferred: true)
    }
    // A load that the network domain does not know began as its page was left, so its document is the previous one.
    let known = page.flatMap { pages[$0] }
    let documents = [known?.previousURL, self.firstPartyURL(of: page)].compactMap { $0 }.filter { $0.hasPrefix("http") }
    let matching = documents.first { origin(of: $0) == referrer.map(origin) }
    guard let firstPartyURL = matching ?? documents.first ?? referrer else { return nil }
    return ObservedTrigger(
      firstPartyURL: firstPartyURL, redirectingURL: nil, triggerURL: url, load: kind ?? "Other", isInferred: true)
  }

  private func isKnown(_ page: String) -> Bool { pages[page]?.url.isEmpty != true }

  /// Whether a click that lands on a page is still to be reported.
  private func isLanding(on page: String) -> Bool { journeys.contains { $0.landingPage == page && $0.isLanding } }

  /// Reports the triggering events that waited for a click or for the URL of their page.
  mutating func flushLanded() {
    let waiting = Set(deferred.map(\.page).filter { !isKnown($0) || isLanding(on: $0) })
    flush { !waiting.contains($0.page) }
  }

  /// Reports triggering events that wait.
  mutating func flush(_ isReady: (DeferredTrigger) -> Bool) {
    let ready = deferred.filter(isReady)
    guard !ready.isEmpty else { return }
    deferred.removeAll { entry in ready.contains { $0.request == entry.request } }
    for entry in ready {
      var trigger = entry.trigger
      if trigger.firstPartyURL.isEmpty { trigger.firstPartyURL = self.firstPartyURL(of: entry.page) ?? "" }
      actions.append(.trigger(trigger, request: entry.request))
    }
  }
}

extension PageObserver.Load {
  /// Returns the URL that redirected to a trigger URL. Only its site matters, so the path of a relative location is not resolved.
  fileprivate func redirectingURL(to trigger: String) -> String? {
    guard url != trigger else { return redirectingURL }
    let hops = locations.dropFirst(redirectCount).prefix { location in
      !location.prefix { !"?#".contains($0) }.contains(TriggerURL.pathPrefix)
    }
    return hops.reduce(url) { hop, location in
      if location.hasPrefix("http:") || location.hasPrefix("https:") { return location }
      if location.hasPrefix("//") { return hop.prefix { $0 != "/" } + location }
      return origin(of: hop) + (location.hasPrefix("/") ? location : "/")
    }
  }
}
