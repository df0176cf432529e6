package import PCMCore
import PCMDelivery
import PCMSites

extension Browser {
  /// Makes a page's request and follows its redirects one by one. Each that leads to the trigger path is a triggering
  /// event, which is handled before the request to that path goes out (reference, section 4.1).
  ///
  /// Whatever goes wrong on the way is part of the outcome. User information in a URL is not sent.
  ///
  /// - Throws: `BrowserError` for an impossible input, or what the store throws.
  package func load(_ input: LoadInput) async throws -> LoadOutcome {
    await settleSettings()
    var load = try checked("loads", destination: input.firstPartyURL) { () throws(BrowserError) in
      try input.load(world: world)
    }
    let session = cookies.session(isPrivate: settings.session.privateBrowsing)
    while load.admit(sites: world.sites), let redirect = load.receive(await fetch(load, in: session), sites: world.sites) {
      guard cookies.isOpen(session) else {
        load.abandon()
        break
      }
      let isTrigger = TriggerURL.isTrigger(redirect.to)
      // Pages redirect to many places, so the log takes only those that look like a misspelled trigger path.
      guard isTrigger || TriggerPath.intended(by: redirect.to.path) != nil else { continue }
      let event = TriggeringEventInput(
        firstPartyURL: input.firstPartyURL, redirectFrom: redirect.from.text, redirectTo: redirect.toText, app: input.app)
      let outcome = try await observe(event)
      if isTrigger { load.add(outcome) }
    }
    return load.outcome
  }

  /// One request with the session's cookies. Other loads may change them meanwhile.
  private func fetch(_ load: PageLoad, in session: CookieJars.Session) async -> Exchange {
    let lent = cookies[session].lend(at: cookieClocks)
    let request = BrowserRequest.pageLoad(method: load.method, url: load.url.text, cookies: lent.lines)
    let exchange = await world.transport.send(request, route: world.route.forLoads)
    if let lines = exchange.cookies {
      cookies[session].takeBack(lines, lent: lent, at: cookieClocks) { world.sites.site(ofHost: $0).site }
    }
    return exchange
  }

  private var cookieClocks: CookieClocks { CookieClocks(now: now, wall: world.wallClock()) }
}

extension NetworkRoute {
  /// A page's load never shares a connection with a report: one would tell whose the other is.
  fileprivate var forLoads: NetworkRoute {
    var route = self
    route.freshConnections = true
    return route
  }
}
