import PCMCore

/// Loads and redirects to the trigger path.
extension PageObserver {
  /// Notes the start of a load. Only the network domain reports the first party at the start, and the URL that redirects.
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
        if params["redirectHasExtraInfo"] == .bool(true) { load.headCount += 1 }
        if load.isEnded(byRedirectTo: url) { load.isMixed = true }
      }
      reportMisspelled(id)
      return decide(id)
    }
    // The request is for the target of a redirect that is refused.
    if redirectingURL == nil, let known = loads[id], known.url != url { return }
    let frame = params["frameId"]?.string
    let page = frame.flatMap { frames[$0]?.page } ?? self.page(of: session)
    let kind = params["type"]?.string ?? "Other"
    let isNavigation = kind == "Document" && params["loaderId"]?.string == id
    // A shared worker acts for the origin of its script.
    let firstPartyURL = self.firstPartyURL(of: page) ?? targets[session]?.url
    loads.insert(
      Load(
        firstURL: url, url: url, redirectingURL: redirectingURL, kind: kind, frame: frame, page: page,
        firstPartyURL: firstPartyURL, isTopNavigation: isNavigation && frame != nil && frame == page,
        document: params["loaderId"]?.string ?? "",
        isLookalike: redirectingURL == nil && IgnoredTrigger.isResembled(by: path(of: url))), for: id)
    // Another process sends the event about a response's head, which can overtake the event about its request.
    for location in earlyLocations.remove(id) ?? [] { note(location, for: id) }
    unansweredLoads.insert(id)
    if unansweredLoads.count > Self.loadLimit { endLoads { _ in false } }
    decide(id)
  }

  /// Ends the wait for responses to matching loads, and to loads that left the table.
  mutating func endLoads(_ isOver: (Load) -> Bool) {
    unansweredLoads = unansweredLoads.filter { id in loads[id].map { !isOver($0) } ?? false }
  }

  /// Handles a response's head. It is the only event about the redirects of pings, and of loads whose page was left, and the
  /// only event with the scheme before Chromium's upgrade.
  mutating func responseArrived(_ params: JSON) {
    guard let id = params["requestId"]?.string, let status = params["statusCode"]?.integer else { return }
    // The response to a shared worker's script may have no other event.
    if status < 300, let load = loads[id], load.kind == "Script", load.document.isEmpty { unansweredLoads.remove(id) }
    guard (300..<400).contains(status), let location = header("location", of: params) else { return }
    // HSTS redirects an http URL to https without a response.
    let isInternal = header("non-authoritative-reason", of: params) != nil
    guard let load = loads[id] else {
      earlyLocations.insert((earlyLocations[id] ?? []).suffix(20) + [location], for: id)
      return
    }
    note(isInternal ? load.locations.last ?? location : location, for: id)
    reportRefused(id)
    decide(id)
  }

  private mutating func note(_ location: String, for id: String) {
    // Chromium follows at most 20 redirects.
    loads.update(id) { load in
      if load.isEnded(byRedirectTo: location) { load.isMixed = true }
      if load.locations.count < 32 { load.locations.append(location) }
    }
  }

  /// Returns whether data belongs to a document, a script, or a style sheet, which can cause further loads.
  func isPartOfDocument(_ params: JSON) -> Bool {
    let kind = params["requestId"]?.string.flatMap { loads[$0]?.kind }
    return kind.map { ["Document", "Script", "Stylesheet"].contains($0) } ?? false
  }

  private func header(_ name: String, of part: JSON?) -> String? {
    part?["headers"]?.members.first { $0.name.lowercased() == name }?.value.string.map(bounded)
  }

  /// Handles a request that waited for the event about its load.
  private mutating func decide(_ load: String) {
    if let params = undecided.removeValue(forKey: load) { requestPaused(params) }
  }

  /// Handles the response to a load, or its end. The response is sufficient, because a load whose body is not read never
  /// ends.
  mutating func requestEnded(_ params: JSON) {
    guard let id = params["requestId"]?.string else { return }
    unansweredLoads.remove(id)
    reportDirect(id)
  }

  mutating func loadFailed(_ params: JSON) {
    if let id = params["requestId"]?.string {
      let refusal = Self.refusal(params)
      loads.update(id) { $0.refusal = $0.refusal ?? refusal }
      reportRefused(id)
    }
    requestEnded(params)
  }

  private static func refusal(_ params: JSON) -> Refusal? {
    switch (params["blockedReason"]?.string, params["errorText"]?.string) {
    case ("csp", _), (nil, "net::ERR_BLOCKED_BY_CSP"): .policy
    case ("mixed-content", _): .mixedContent
    // A policy or mixed content ends a preload or a frame.
    case (nil, "net::ERR_ABORTED"): .unknown
    default: params["corsErrorStatus"] == nil ? nil : .cors
    }
  }

  /// Handles a request to the trigger path, which is paused. The browser's fetch domain reports exactly the redirects that
  /// Chromium follows, for every target, and after the page is gone.
  ///
  /// - Parameter isComplete: Whether no further event about the load is expected, as for pings and for the loads of a closed
  ///   page.
  mutating func requestPaused(_ params: JSON, isComplete: Bool = false) {
    guard let request = params["requestId"]?.string else { return }
    let frame = params["frameId"]?.string
    let url = bounded(params["request"]?["url"]?.string ?? "")
    // The query of a redirector may contain a trigger URL.
    guard path(of: url).contains(TriggerURL.pathPrefix) else { return actions.append(.resume(request: request)) }
    let fragment = params["request"]?["urlFragment"]?.string ?? ""
    let network = params["networkId"]?.string
    let load = network.flatMap { loads[$0] }
    // Only the network domain reports a redirect that a service worker made.
    let isRedirect = params["redirectedRequestId"] != nil || (load?.redirectingURL != nil && load?.url == url)
    let isOurs = context == nil || load != nil || frame.map { frames[$0] != nil } ?? false
    if isOurs, !isComplete, let network, load?.knows(url) != true, undecided[network] == nil,
      undecided.count < Self.journeyLimit
    {
      undecided[network] = params
      actions.append(.wake(request: request))
      return
    }
    guard isRedirect, isOurs, !isRefused(load, url) else {
      actions.append(.resume(request: request))
      return
    }
    let kind = params["resourceType"]?.string
    var page = frame.flatMap { frames[$0]?.page } ?? load?.page
    if load == nil, !["Document", "Ping", "Fetch", "XHR"].contains(kind) { page = emptyWindow(of: page) ?? page }
    guard
      var trigger = self.trigger(
        url, load, page: page, isTopFrame: frame.flatMap { frames[$0]?.isTop } ?? false,
        referrer: header("referer", of: params["request"]), kind: kind)
    else {
      drop(.unknownPage, url)
      actions.append(.resume(request: request))
      return
    }
    trigger.triggerURL = load?.insecureTrigger.map(bounded) ?? bounded(url + fragment)
    trigger.frameURL = self.url(ofFrame: frame ?? load?.frame)
    if let network { loads.update(network) { $0.isReported = true } }
    report(trigger, page: page, request: request)
  }

  /// Returns whether WebKit does not follow the redirects of a load so far, or the load's event was already reported.
  private func isRefused(_ load: Load?, _ url: String) -> Bool {
    guard let load else { return false }
    return load.isMixed || load.isUpgraded(to: url) || refusedLoads[load.key(load.firstURL)] != nil
  }

  /// Reports a triggering event, or defers it until a click lands on its page.
  private mutating func report(_ trigger: ObservedTrigger, page: String?, request: String? = nil) {
    guard let page, !isKnown(page) || isLanding(on: page), deferred.count < Self.journeyLimit else {
      actions.append(.trigger(trigger, request: request))
      return
    }
    deferred.append(DeferredTrigger(trigger: trigger, request: request, page: page))
    if let request { actions.append(.wake(request: request)) }
  }

  /// Reports a trigger URL, or a similar URL, without a paused request.
  private mutating func report(_ id: String, _ url: String, from redirectingURL: String?, _ way: ReachedBy = .redirect) {
    guard let load = loads[id], !load.isReported else { return }
    loads.update(id) { $0.isReported = true }
    let known = load.firstPartyURL?.isEmpty == false ? load.firstPartyURL : firstPartyURL(of: load.page)
    // A new window has no URL before its first navigation.
    let isFirstParty = load.isTopNavigation && (way == .redirect || known?.isEmpty == true)
    var trigger = ObservedTrigger(
      firstPartyURL: (isFirstParty ? url : known) ?? url, redirectingURL: redirectingURL, triggerURL: bounded(url),
      load: load.kind)
    trigger.frameURL = self.url(ofFrame: load.frame)
    trigger.reachedBy = way
    report(trigger, page: load.page)
  }

  /// Reports a trigger URL that Chromium refused to load. WebKit registers an event before a policy blocks its URL, except
  /// for requests by scripts. It also reads an http URL before it blocks it, and does not require CORS for fonts.
  private mutating func reportRefused(_ id: String) {
    guard let load = loads[id], let refusal = load.refusal, let location = load.locations.last, undecided[id] == nil else {
      return
    }
    let hop = load.hop
    let url = target(of: location, from: hop)
    guard path(of: url).hasPrefix(TriggerURL.pathPrefix) else { return }
    let isCounted =
      switch refusal {
      case .policy, .unknown: !["Fetch", "XHR", "Ping", "EventSource"].contains(load.kind)
      case .mixedContent: load.insecureTrigger != nil
      case .cors: load.kind == "Font" || load.insecureTrigger != nil
      }
    guard isCounted, !load.isMixed else { return }
    if ["Image", "Script", "Stylesheet"].contains(load.kind) {
      guard refusedLoads[load.key(load.firstURL)] == nil else { return }
      refusedLoads.insert(true, for: load.key(load.firstURL))
    }
    report(id, url, from: hop)
  }

  /// Reports a redirect to a path that resembles the trigger path.
  private mutating func reportMisspelled(_ id: String) {
    guard let load = loads[id] else { return }
    let path = path(of: load.url)
    guard !path.hasPrefix(TriggerURL.pathPrefix), IgnoredTrigger.isResembled(by: path) else { return }
    report(id, load.url, from: load.redirectingURL)
  }

  /// Reports a load that began with a trigger URL or a similar URL, unless it was redirected to a trigger URL.
  private mutating func reportDirect(_ id: String) {
    guard let load = loads[id], load.isLookalike else { return }
    let request = load.kind == "Document" ? load.frame.flatMap { frames[$0]?.request } : nil
    let ways: [String: ReachedBy] = [
      "metaTagRefresh": .metaRefresh, "httpHeaderRefresh": .refreshField, "scriptInitiated": .script,
    ]
    let way = request.flatMap { $0.url == load.firstURL ? ways[$0.reason] : nil }
    // The path of a page can resemble the trigger path.
    guard way != nil || !load.isTopNavigation || path(of: load.firstURL).hasPrefix(TriggerURL.pathPrefix) else { return }
    report(id, load.firstURL, from: nil, way ?? .request)
  }

  /// Notes the reason a frame navigates.
  mutating func noteRequest(_ params: JSON) {
    guard let frame = params["frameId"]?.string, let reason = params["reason"]?.string,
      let url = params["url"]?.string.map({ bounded(withoutFragment($0)) })
    else { return }
    frames.update(frame) { $0.request = (url, reason) }
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
    // A tab in the background navigates before its attachment. The first party of a navigation is its own URL.
    if isTopFrame, kind == "Document" {
      return ObservedTrigger(firstPartyURL: url, redirectingURL: nil, triggerURL: url, load: "Document", isInferred: true)
    }
    // A load that is unknown to the network domain began when its page was left, so it belongs to the previous document.
    let known = page.flatMap { pages[$0] }
    let documents = [known?.previousURL, self.firstPartyURL(of: page)].compactMap { $0 }.filter { $0.hasPrefix("http") }
    // An empty window and a blob have no site, and their loads may begin before their attachment.
    if documents.isEmpty, let known {
      return ObservedTrigger(
        firstPartyURL: known.url, redirectingURL: nil, triggerURL: url, load: kind ?? "Other", isInferred: true)
    }
    let matching = documents.first { origin(of: $0) == referrer.map(origin) }
    guard let firstPartyURL = matching ?? documents.first ?? referrer else { return nil }
    return ObservedTrigger(
      firstPartyURL: firstPartyURL, redirectingURL: nil, triggerURL: url, load: kind ?? "Other", isInferred: true)
  }

  /// Returns the empty window that a page opened.
  ///
  /// A script can add elements to the window before DevTools attaches to it. Chromium then reports the loads of these elements with the
  /// frame of the opening page, and does not report their start.
  private func emptyWindow(of page: String?) -> String? {
    let isEmpty = { (window: Page) in window.opener == page && ["", "about:blank"].contains(window.url) }
    return page.flatMap { _ in targets.values.first { pages[$0.id].map(isEmpty) ?? false }?.id }
  }

  func isKnown(_ page: String) -> Bool { pages[page]?.url.isEmpty != true }

  /// Returns whether a click that lands on a page is still to be reported.
  private func isLanding(on page: String) -> Bool { journeys.contains { $0.landingPage == page && $0.isLanding } }

  /// Reports the deferred triggering events whose click or page URL is now known.
  mutating func flushLanded() {
    let waiting = Set(deferred.map(\.page).filter { !isKnown($0) || isLanding(on: $0) })
    flush { !waiting.contains($0.page) }
  }

  /// Reports the deferred triggering events that match a predicate.
  mutating func flush(_ isReady: (DeferredTrigger) -> Bool) {
    let ready = deferred.filter(isReady)
    guard !ready.isEmpty else { return }
    deferred.removeAll(where: isReady)
    for entry in ready {
      var trigger = entry.trigger
      if trigger.firstPartyURL.isEmpty, let url = firstPartyURL(of: entry.page) {
        trigger.firstPartyURL = url.isEmpty ? "about:blank" : url
      }
      actions.append(.trigger(trigger, request: entry.request))
    }
  }
}

extension PageObserver.Load {
  /// Returns whether all events about a redirect to a URL have arrived.
  fileprivate func knows(_ url: String) -> Bool { self.url == url && locations.count >= headCount }

  /// The trigger URL with http to which the last response redirected; nil for other URLs. Chromium upgrades it.
  fileprivate var insecureTrigger: String? {
    locations.last.flatMap { location in
      location.prefix(5).lowercased() == "http:" && path(of: location).hasPrefix(TriggerURL.pathPrefix) ? location : nil
    }
  }

  /// Returns whether WebKit ends a load that is redirected to a URL. An https page loads only images over http, because
  /// WebKit upgrades them to https, except on loopback and at IP addresses. Chromium allows loopback.
  fileprivate func isEnded(byRedirectTo url: String) -> Bool {
    guard !isTopNavigation, firstPartyURL?.hasPrefix("https:") == true, url.prefix(5).lowercased() == "http:",
      !path(of: url).hasPrefix(TriggerURL.pathPrefix)
    else { return false }
    return kind != "Image" || !MixedContent.isUpgraded(host: host(of: url))
  }

  /// Returns the key in the table of refused loads.
  fileprivate func key(_ url: String) -> String { document + " " + url }

  /// Returns whether HSTS upgraded the request for a reported trigger URL with http.
  fileprivate func isUpgraded(to url: String) -> Bool {
    insecureTrigger != nil && redirectingURL.map { $0.hasPrefix("http:") && "https" + $0.dropFirst(4) == url } == true
  }

  /// The URL of the last response that redirected.
  fileprivate var hop: String {
    guard locations.count <= headCount else { return followed(locations.dropLast()) }
    return redirectingURL ?? url
  }

  /// Returns the URL that redirected to a trigger URL.
  fileprivate func redirectingURL(to trigger: String) -> String? {
    guard url != trigger else { return redirectingURL }
    return followed(
      locations.prefix { location in !location.prefix { !"?#".contains($0) }.contains(TriggerURL.pathPrefix) })
  }

  /// Returns the URL after redirects that DevTools does not report as events.
  private func followed(_ locations: some Collection<String>) -> String {
    locations.dropFirst(redirectCount).reduce(url) { target(of: $1, from: $0) }
  }
}
