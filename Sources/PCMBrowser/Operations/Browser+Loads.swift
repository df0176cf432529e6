package import PCMCore
import PCMNetwork
import PCMStore
import PCMURL

extension LoadInput: Operation {
  package func perform(in browser: Browser, on _: String?, for key: RequestKey?) async throws -> PostAnswer {
    let request = KeyedRequest<LoadOutcome>(key) { PostAnswer(json: $0.json) }
    let outcome = try await browser.load(self, for: request)
    return request?.answer(to: outcome) ?? PostAnswer(json: outcome.json)
  }
}

extension Browser {
  /// Performs a page's request and follows its redirects one by one. Each redirect to the trigger path is a triggering
  /// event, which is handled before the request to that path is sent (reference, section 4.1).
  ///
  /// A load begins after a move of the clock that is under way, and so does each of its events. Between them, the clock may
  /// move, as it does while a page loads.
  ///
  /// When the task is canceled, the request under way ends with an error, and no other follows.
  ///
  /// The outcome includes network errors. User information in a URL is not sent.
  ///
  /// - Parameter request: The request with its key; nil without one.
  /// - Throws: `BrowserError` for invalid input, or an error of the store.
  package func load(_ input: LoadInput, for request: KeyedRequest<LoadOutcome>? = nil) async throws -> LoadOutcome {
    var load = try input.load(environment: environment)
    let session = try await lock.sharing {
      let call = journaling.call(LoadInput.name, input.withoutUserInformation.json)
      guard request != nil || call != nil else { return try await read { [self] in try cookieSession(in: $0) } }
      // The load begins in the store before its first request leaves.
      return try await submit(call, progress: { _ in CallProgress(isUnderWay: true) }) { [self] writer, _ in
        try request?.requireNew(in: writer)
        try request?.begin(in: writer)
        return try cookieSession(in: writer)
      }.answer()
    }
    try await run(&load, input, in: session)
    let outcome = load.outcome
    if let request {
      // A separate task: a canceled load also has an end.
      try await Task {
        try await lock.sharing {
          try await submit { writer, _ in try request.finish(outcome, in: writer) }.answer()
        }
      }.value
    }
    return outcome
  }

  /// Performs the requests of a load, and its events.
  private func run(_ load: inout PageLoad, _ input: LoadInput, in session: CookieJars.Session) async throws {
    while load.admit(sites: environment.sites) {
      let finding = load.receive(try await fetch(load, in: session), sites: environment.sites)
      guard try await cookies().isOpen(session) else { return load.abandon() }
      if let finding, let outcome = try await handle(finding, of: load, input) { load.add(outcome) }
    }
    if let trigger = load.requestedTrigger { load.add(try await note(trigger, on: load.page)) }
    try await rememberQuietLoad(load)
  }

  /// Handles a redirect to the trigger path, and logs redirects that resemble one. Pages redirect to many URLs, so the log contains no
  /// others.
  private func handle(_ finding: PageLoad.Finding, of load: PageLoad, _ input: LoadInput) async throws -> TriggerOutcome? {
    switch finding {
    case .ignored(let trigger): return try await note(trigger, on: load.page)
    case .redirect(let redirect):
      guard IgnoredTrigger.isResembled(by: redirect.to.path) else { return nil }
      var event = TriggeringEventInput(
        firstPartyURL: input.firstPartyURL, redirectFrom: redirect.from.text, redirectTo: redirect.toText,
        bundleIdentifier: input.bundleIdentifier)
      event.ignoredFor = redirect.ignoring
      // A separate task: a caller that disconnects ends the load, but not an event that has begun.
      return try await Task { [event] in try await perform(event, isPart: true) }.value
    }
  }

  /// Logs a redirect that resembles a triggering event, in a separate task: a caller that disconnects ends the load, but not its record.
  private func note(_ trigger: IgnoredTrigger, on page: WebURL) async throws -> TriggerOutcome {
    try await Task { try await ignore(trigger, on: page) }.value
  }

  /// Performs one request with the session's cookies. Other loads may change them in the meantime.
  private func fetch(_ load: PageLoad, in session: CookieJars.Session) async throws -> Exchange {
    let context = try await requestContext()
    let clocks = CookieClocks(now: context.now, wall: environment.wallClock())
    var jars = try await cookies()
    let lent = jars[session].lend(at: clocks)
    let request = BrowserRequest.pageLoad(
      method: load.method, url: load.url.text, referrer: WebURL.referrer(from: load.page, to: load.url), cookies: lent.sent)
    let exchange = await exchange(of: request, context)
    if let cookies = exchange.cookies {
      let clocks = CookieClocks(now: try await currentTime(), wall: environment.wallClock())
      try await changeCookies { [environment] jars in
        jars[session].takeBack(cookies, lent: lent, at: clocks) { environment.sites.site(ofHost: $0).site }
      }
    }
    return exchange
  }
}

extension Browser {
  /// A response of a simulated site moves its script, which a fork copies. A response of a real site may take long.
  private func exchange(of request: OutgoingRequest, _ context: RequestContext) async -> Exchange {
    guard context.network == .simulated else { return await send(request, for: .loads, context) }
    do {
      return try await lock.sharing { await send(request, for: .loads, context) }
    } catch {
      return Exchange(failure: TransportFailure(.transportClosed, "the call was canceled before the request was sent"))
    }
  }
}

extension LoadInput {
  /// The load before its first request.
  func load(environment: BrowserEnvironment) throws(BrowserError) -> PageLoad {
    var checker = InputChecker(environment: environment)
    let page = checker.url(firstPartyURL, ["firstPartyURL"])
    let url = checker.url(url, ["url"])
    let kind = LoadKind(rawValue: kind)
    if kind == nil {
      checker.problems.append(
        InputError(["kind"], "use \(LoadKind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))"))
    }
    let method = [OutgoingRequest.Method.get, .post].first { $0.rawValue == self.method }
    if method == nil { checker.problems.append(InputError(["method"], "use \"GET\" or \"POST\"")) }
    checker.bundleIdentifier(bundleIdentifier, ["bundleIdentifier"])
    try checker.finish()
    return PageLoad(
      url: try checker.required(url), method: try checker.required(method), kind: try checker.required(kind),
      page: try checker.required(page))
  }
}
