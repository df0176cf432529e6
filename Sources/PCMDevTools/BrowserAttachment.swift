package import PCMCore

/// The attachment of an observed browser: connects DevTools, the observer, and the service.
///
/// Calls go to the service one after the other in the order of observation. A request to the trigger path is held until the
/// service has decided, because WebKit registers a trigger before it loads.
package actor BrowserAttachment {
  /// Calls the API with a method, a path, and a body.
  package typealias ServiceCall = @Sendable (String, String, [UInt8]) async throws -> (status: Int, body: [UInt8])

  package struct Settings: Sendable {
    package let address: DevToolsAddress
    /// The name of the browser that receives the calls.
    package let browser: String
    /// The browser context to observe; nil for all.
    package let context: String?
    /// The maximum time that a request to the trigger path is held.
    package let hold: Duration
    /// Whether the service's browser has a real clock, on which a click has the time of the user's action.
    package let isOnRealClock: Bool

    package init(
      address: DevToolsAddress, browser: String, context: String? = nil,
      hold: Duration = .milliseconds(AttachmentInput.standardHold.milliseconds), isOnRealClock: Bool = false
    ) {
      self.address = address
      self.browser = browser
      self.context = context
      self.hold = hold
      self.isOnRealClock = isOnRealClock
    }
  }

  /// Time and randomness.
  package struct Environment: Sendable {
    let uptime: @Sendable () -> Duration
    let pause: @Sendable (Duration) async throws -> Void
    let draw: @Sendable (Int) -> [UInt8]
    /// The machine's time.
    let now: @Sendable () -> Instant

    package init(
      uptime: @escaping @Sendable () -> Duration, now: @escaping @Sendable () -> Instant,
      pause: @escaping @Sendable (Duration) async throws -> Void, draw: @escaping @Sendable (Int) -> [UInt8]
    ) {
      self.uptime = uptime
      self.now = now
      self.pause = pause
      self.draw = draw
    }
  }

  package enum State: Hashable, Sendable {
    case connecting
    case attached(product: String)
    case ended(DevToolsError)
  }

  /// A notice about the attachment, or about an observed click or redirect.
  package enum Notice: Hashable, Sendable {
    case attached(product: String)
    /// The service responded; the status is 0 when it could not be called.
    case called(Outcome)
    case dropped(ObservedDrop)
  }

  /// A click or a triggering event with the service's answer.
  package struct Outcome: Hashable, Sendable {
    package let kind: Kind
    /// The link, or the trigger URL.
    package let url: String
    package let request: JSON
    /// 0 when the service could not be called.
    package let status: Int
    package let response: JSON?

    package enum Kind: String, Hashable, Sendable {
      case click = "link-click"
      case trigger = "triggering-event"
    }
  }

  package struct Counts: Hashable, Sendable {
    package var clicks = 0
    package var triggeringEvents = 0
    package var dropped = 0
    package var failedCalls = 0
  }

  /// The notices since the last settlement.
  package struct Settlement: Hashable, Sendable {
    package var isSettled = false
    package var state = State.connecting
    package var notices: [Notice] = []
    package var pending = PageObserver.Pending()
  }

  /// The time without a new event after which a page is quiet.
  package static let quietTime = Duration.milliseconds(100)
  /// The maximum delay of the start by a page that does not respond.
  static let startPatience = Duration.seconds(5)
  /// The maximum delay of the end by calls in the queue.
  static let endPatience = Duration.seconds(2)
  static let callLimit = 4_096
  static let noticeLimit = 10_000

  private struct Call {
    let kind: Kind
    /// The link, or the trigger URL; empty for a note.
    let url: String
    /// The held request; nil if there is none.
    var request: String?

    enum Kind {
      case click(ObservedClick)
      case trigger(ObservedTrigger)
      case note(JSON)
    }
  }

  package private(set) var state = State.connecting
  package private(set) var counts = Counts()
  /// Whether the connection was established.
  package private(set) var wasAttached = false
  let settings: Settings
  private let environment: Environment
  private let service: ServiceCall
  private let notify: @Sendable (Notice) -> Void
  private let budget: MessageBudget
  private var observer: PageObserver
  private var connection: DevToolsConnection?
  private var purposes: [Int64: PageObserver.Purpose] = [:]
  private let calls: AsyncStream<Call>
  private let queue: AsyncStream<Call>.Continuation
  private var queuedCalls = 0
  /// The timers that continue a held request, or release it to the queue.
  private var timers: [String: Task<Void, Never>] = [:]
  private var held: Set<String> = []
  private var notices: [Notice] = []
  /// The number of completed calls.
  private var callCount = 0
  /// The error that ends the attachment: a failed command, or the deletion of the service's browser.
  private var failure: DevToolsError?
  /// The waiting callers of ``started()``.
  private var starting: [CheckedContinuation<Void, Never>] = []
  private var start = Start.connecting

  private enum Start {
    case connecting
    /// The browser lists its open pages.
    case listing
    /// The open pages receive the listener.
    case preparing
    case over
  }

  /// - Parameters:
  ///   - service: Calls the API. Each call is performed once.
  ///   - budget: The memory that the connection shares with others.
  ///   - notify: Receives each outcome as it happens.
  package init(
    _ settings: Settings, environment: Environment, budget: MessageBudget = MessageBudget(), service: @escaping ServiceCall,
    notify: @escaping @Sendable (Notice) -> Void = { _ in }
  ) {
    self.budget = budget
    self.settings = settings
    self.environment = environment
    self.service = service
    self.notify = notify
    let token = environment.draw(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    observer = PageObserver(context: settings.context, listener: PageListener(token: token))
    (calls, queue) = AsyncStream.makeStream(of: Call.self)
  }

  /// Observes the browser until it closes the connection or the task is canceled. Chromium continues the held requests when
  /// its client disconnects.
  ///
  /// - Returns: The reason the observation ended.
  @discardableResult package func run() async -> DevToolsError {
    let performing = Task { await performCalls() }
    let reason = await observe()
    perform(observer.end())
    if wasAttached, reason.code != .stopped { enqueue(.note(PageEventInput(.lost, text: reason.description).json)) }
    state = .ended(reason)
    connection = nil
    announceStart()
    for timer in timers.values { timer.cancel() }
    (timers, held, purposes) = ([:], [], [:])
    queue.finish()
    // Observed clicks and redirects are reported even if the task is canceled, within ``endPatience``.
    let pause = environment.pause
    let limit = Task {
      try? await pause(Self.endPatience)
      performing.cancel()
    }
    await performing.value
    limit.cancel()
    return reason
  }

  /// Waits until the open pages are observed. A page that does not respond delays the start by at most five seconds.
  ///
  /// - Returns: The product, such as `Chrome/156.0.0.0`.
  package func started() async throws(DevToolsError) -> String {
    if start != .over { await withCheckedContinuation { starting.append($0) } }
    switch state {
    case .attached(let product): return product
    case .ended(let reason): throw reason
    case .connecting: throw DevToolsError(.stopped, "the attachment was stopped")
    }
  }

  /// Continues the start after the answers to all round trips.
  private func continueStart() {
    guard !isAwaitingRoundTrip else { return }
    switch start {
    case .listing:
      start = .preparing
      perform(observer.roundTrip())
      continueStart()
    case .preparing: announceStart()
    case .connecting, .over: break
    }
  }

  private func announceStart() {
    start = .over
    for waiter in starting { waiter.resume() }
    starting = []
  }

  /// Waits until every page has answered, nothing is pending, and no event has arrived for ``quietTime``.
  ///
  /// - Parameter limit: The maximum wait.
  package func settle(within limit: Duration) async -> Settlement {
    let end = environment.uptime() + limit
    var isSettled = false
    // An answer proves only that the events before its command were received. Another page may answer after a later event.
    var activityAtRoundTrip: Int?
    while !isSettled, connection != nil {
      if !isAwaitingRoundTrip {
        activityAtRoundTrip = activity
        perform(observer.roundTrip())
      }
      let rest = end - environment.uptime()
      guard rest > .zero, (try? await environment.pause(min(rest, Self.quietTime))) != nil else { break }
      guard activity == activityAtRoundTrip, !isAwaitingRoundTrip else { continue }
      perform(observer.dropIdleClicks(at: environment.uptime()))
      isSettled = pending == PageObserver.Pending() && queuedCalls == 0
    }
    // If the caller is canceled, the next call returns the notices.
    defer { if !Task.isCancelled { notices = [] } }
    return Settlement(isSettled: isSettled, state: state, notices: notices, pending: pending)
  }

  /// The number of relevant events and completed calls.
  private var activity: Int { observer.activity + callCount }

  private var isAwaitingRoundTrip: Bool { purposes.values.contains(where: \.isRoundTrip) }

  /// The operations that a settlement waits for.
  package var pending: PageObserver.Pending {
    var pending = observer.pending
    // Requests that wait in the observer are held as well.
    pending.heldRequests = held.count
    return pending
  }

  private func observe() async -> DevToolsError {
    do throws(DevToolsError) {
      try await DevToolsConnection.run(to: settings.address, drawing: environment.draw, budget: budget) { connection in
        await self.begin(connection)
        try await connection.receive { message in try await self.receive(message) }
      }
      return DevToolsError(.stopped, "the attachment was stopped")
    } catch {
      return failure ?? error
    }
  }

  private func begin(_ connection: DevToolsConnection) {
    self.connection = connection
    (state, wasAttached) = (.attached(product: connection.product), true)
    notify(.attached(product: connection.product))
    let place = settings.context.map { "the context \($0.asShown(upTo: 100)) of " } ?? ""
    enqueue(.note(PageEventInput(.attached, text: "\(place)\(connection.product) at \(settings.address.url) is observed").json))
    start = .listing
    perform(observer.start())
    let pause = environment.pause
    timers["start"] = Task { [weak self] in
      guard (try? await pause(Self.startPatience)) != nil, !Task.isCancelled else { return }
      await self?.announceStart()
    }
  }

  private func receive(_ message: DevToolsMessage) throws {
    switch message {
    case .event(let event):
      if let session = event.silentSession { purposes = purposes.filter { $0.value.session != session } }
      perform(observer.receive(event, at: environment.uptime()))
    case .answer(let id, let result):
      if let purpose = purposes.removeValue(forKey: id) {
        if let result { perform(observer.receive(result, for: purpose)) }
        if start != .over { continueStart() }
      }
    }
    if let failure { throw failure }
  }

  private func perform(_ actions: [PageObserver.Action]) {
    for action in actions {
      switch action {
      case .send(let command): send(command)
      case .ask(let command, let purpose): if let id = send(command) { purposes[id] = purpose }
      case .click(let click):
        counts.clicks += 1
        enqueue(.click(click), click.href)
      case .trigger(let trigger, let request):
        counts.triggeringEvents += 1
        if let request { hold(request, for: settings.hold) { await $0.resume(request) } }
        enqueue(.trigger(trigger), trigger.triggerURL, request)
      case .resume(let request):
        held.insert(request)
        resume(request)
      case .drop(let drop):
        note(drop)
        enqueue(.note(drop.body))
      case .wake(let request):
        hold(request, for: PageObserver.landingPatience) { await $0.release(request) }
      }
    }
  }

  @discardableResult private func send(_ command: DevToolsCommand) -> Int64? {
    do {
      return try connection?.send(command)
    } catch {
      failure = error
      return nil
    }
  }

  private func hold(_ request: String, for time: Duration, then end: @escaping @Sendable (BrowserAttachment) async -> Void) {
    held.insert(request)
    timers[request]?.cancel()
    let pause = environment.pause
    timers[request] = Task { [weak self] in
      guard (try? await pause(time)) != nil, !Task.isCancelled, let self else { return }
      await end(self)
    }
  }

  private func release(_ request: String) {
    held.remove(request)
    timers[request] = nil
    perform(observer.release(request))
  }

  private func resume(_ request: String) {
    timers.removeValue(forKey: request)?.cancel()
    guard held.remove(request) != nil else { return }
    send(DevToolsCommand("Fetch.continueRequest", ["requestId": .string(request)]))
  }

  /// - Parameter request: The request that is held until the call ends.
  private func enqueue(_ kind: Call.Kind, _ url: String = "", _ request: String? = nil) {
    guard queuedCalls < Self.callLimit else {
      if let request { resume(request) }
      return note(ObservedDrop(.tooManyCalls, url))
    }
    queuedCalls += 1
    queue.yield(Call(kind: kind, url: url, request: request))
  }

  private func performCalls() async {
    for await call in calls {
      let (path, body, kind): (String, JSON, Outcome.Kind?) =
        switch call.kind {
        case .click(let click): (LinkClickInput.path(in: settings.browser), click.body(at: time(of: click)), .click)
        case .trigger(let trigger): (TriggeringEventInput.path(in: settings.browser), trigger.body, .trigger)
        case .note(let body): (PageEventInput.path(in: settings.browser), body, nil)
        }
      let response = try? await service("POST", path, body.bytes)
      if let request = call.request { resume(request) }
      queuedCalls -= 1
      callCount += 1
      let status = response?.status ?? 0
      if !(200..<300).contains(status) { counts.failedCalls += 1 }
      if status == 404, failure == nil { end(DevToolsError(.stopped, "the service's browser \(settings.browser) was deleted")) }
      guard let kind else { continue }
      let json = response.flatMap { JSON(parsing: $0.body, keepingNumbers: true) }
      note(.called(Outcome(kind: kind, url: call.url, request: body, status: status, response: json)))
    }
  }

  /// The time of a click on a real clock. The service rejects older times than the maximum age.
  private func time(of click: ObservedClick) -> Instant? {
    guard settings.isOnRealClock else { return nil }
    let age = Int64((environment.uptime() - click.seenAt) / .milliseconds(1))
    return environment.now() - min(Interval(milliseconds: max(0, age)), LinkClickInput.maximumAge - .seconds(1))
  }

  private func end(_ error: DevToolsError) {
    failure = error
    connection?.close()
  }

  private func note(_ drop: ObservedDrop) {
    counts.dropped += 1
    note(.dropped(drop))
  }

  private func note(_ notice: Notice) {
    if notices.count >= Self.noticeLimit { notices.removeFirst(Self.noticeLimit / 10) }
    notices.append(notice)
    notify(notice)
  }
}

extension DevToolsEvent {
  /// The session of a target that is gone or whose process has ended. Its commands may remain without an answer.
  fileprivate var silentSession: String? {
    switch method {
    case "Target.detachedFromTarget": params["sessionId"]?.string
    case "Inspector.targetCrashed": session
    default: nil
    }
  }
}
