import PCMCore
import PCMDevice
import PCMNetwork
import PCMStore

/// The work after a transaction of sending.
struct SendingStep: Sendable {
  enum Action: Sendable {
    case send(any DeliverableMessage)
    case fetchKeys(Report)
    /// A request of a measurement SDK leaves.
    case sendSDKRequest(SDKRequest)
    /// Nothing is sent. The browser is due next at a time.
    case announce(Due)
    /// Another instance has taken over the browser, and the result of the attempt is dropped.
    case drop(Due)
  }

  let action: Action
  /// The state of the transaction that the request needs.
  let context: RequestContext
  /// The claim after the transaction.
  var claim = Claim()

  var isDropped: Bool { if case .drop = action { true } else { false } }
}

extension BrowserWriter {
  /// Applies an event to a message, and returns the next step.
  func step(
    _ event: OutgoingMessage.Event, of due: some DeliverableMessage, _ context: RequestContext,
    decision: RecordedDecision? = nil
  ) throws -> SendingStep {
    var message = due
    switch try apply(event, to: &message, at: context.now, decision: decision) {
    case .announce: return SendingStep(action: .announce(try self.nextScheduledWork()), context: context)
    case .send: return SendingStep(action: .send(message), context: context)
    case .fetchKeys:
      return SendingStep(action: (message as? Report).map { .fetchKeys($0) } ?? .send(message), context: context)
    }
  }
}

/// The start of an attempt, or changes of the device that are due: one round of the timer, one retry of a report, one attempt of a
/// postback, or the ends of the conversion windows of some apps, and the views of some ads that count.
struct DueWork: Sendable {
  private let measurement: MeasurementSettings
  private let draws: ReportTimer.Draws
  private let context: RequestContext
  private var now: Instant { context.now }

  /// The number of apps whose windows end, and of ads whose views count, in one transaction. Apps that were installed together
  /// share its commit.
  static let mostChanges = 16

  /// Begins the work that is due at the time of the decision.
  static func begin(in writer: any BrowserWriter, _ decision: inout DecisionState) throws -> SendingStep {
    let context = decision.context
    var row = try writer.state()
    row.now = context.now
    row.claim.fence += 1
    try writer.save(row)
    let changed = try writer.rows(DeviceRow.Query.earliest(limit: mostChanges)).filter { row in
      row.changesAt.map { $0 <= context.now } ?? false
    }
    if let first = changed.first(where: { [.tracking, .sdkRequest].contains($0.key.kind) }) {
      // It draws no numbers. The reports then have the same times with and without tracking.
      let action = try writer.step(ofTracking: first, decision.deviceContext)
      return SendingStep(action: action, context: context)
    }
    let draws = decision.streams.gaps()
    guard changed.isEmpty else {
      try decision.onDevice(writer) { try $0.pass(changed, $1) }
      return SendingStep(action: .announce(try writer.nextScheduledWork()), context: context)
    }
    return try DueWork(measurement: decision.settings.measurement, draws: draws, context: context).send(in: writer)
  }

  /// Begins the attempt to send a postback or a report.
  private func send(in writer: any BrowserWriter) throws -> SendingStep {
    var state = try writer.state()
    if let postback = try duePostback(before: state, in: writer) { return try writer.step(.due, of: postback, context) }
    var evaluation = RuleEvaluation(of: RuleBook.sending)
    var (report, decision): (Report?, RecordedDecision?)
    let round = try state.reportTimer.wake(measurement, at: now, draws: draws, &evaluation) {
      let earliest = try writer.earliestAttributions(limit: 2)
      return (earliest.first, earliest.dropFirst().first)
    }
    switch round {
    case .paused: report = nil
    case .fired(let half): (report, decision) = (try half.flatMap { try leave($0, in: writer) }, RecordedDecision(evaluation))
    // The timer does not decide about retries, so no decision is logged.
    case .notFiring: report = try dueRetry(in: writer)
    }
    try writer.save(state)
    guard let report else { return SendingStep(action: .announce(try writer.nextScheduledWork()), context: context) }
    return try writer.step(.due, of: report, context, decision: decision)
  }

  /// Returns a postback that is due, unless a report is due earlier. Postbacks do not depend on the settings of measurement.
  private func duePostback(before state: BrowserState, in writer: any BrowserWriter) throws -> Postback? {
    guard let postback = try writer.rows(Postback.Query.earliest(limit: 1)).first, let next = postback.message.nextAttemptAt,
      next <= now
    else { return nil }
    guard measurement.measurementEnabled else { return postback }
    let report = [state.timer, try writer.rows(Report.Query.earliest(limit: 1)).first?.retryAt].compactMap { $0 }.min()
    return report.map { $0 <= next } ?? false ? nil : postback
  }

  /// Marks a half as sent, and returns its report.
  private func leave(_ half: ReportTimer.DueHalf, in writer: any BrowserWriter) throws -> Report? {
    guard let report = try writer.row(Report.self, half.report) else { return nil }
    try writer.save(half.attributionAfterSending, in: report.session)
    return report
  }

  private func dueRetry(in writer: any BrowserWriter) throws -> Report? {
    guard let report = try writer.rows(Report.Query.earliest(limit: 1)).first, let retryAt = report.retryAt, retryAt <= now
    else { return nil }
    return report
  }
}

/// The end of an attempt, with its result, and the start of the next one if it belongs to the same move of the clock: one commit
/// instead of two.
struct AttemptEnd: Sendable {
  let attempt: Attempt
  /// The move of the clock that may begin the next attempt, and that excludes other decisions; nil for none.
  let move: Advance?
  /// The machine's time.
  let wallNow: Instant

  func save<Message: DeliverableMessage>(
    _ sent: Message, in writer: any BrowserWriter, _ state: inout DecisionState
  ) throws -> SendingStep {
    let jitter = state.streams.unit(.backoff)
    if let message = try writer.row(Message.self, sent.rowKey) { try finish(message, jitter: jitter, in: writer, state) }
    let due = try writer.nextScheduledWork()
    guard let move, let instant = due.at, instant <= move.end,
      move.mayContinue(wallNow: wallNow, nextSequence: due.version)
    else { return SendingStep(action: .announce(due), context: state.context) }
    state.move(to: instant)
    return try DueWork.begin(in: writer, &state)
  }

  private func finish(
    _ sent: some DeliverableMessage, jitter: Double, in writer: any BrowserWriter, _ state: DecisionState
  ) throws {
    var message = sent
    var evaluation = RuleEvaluation(of: message.deliveryRules)
    let result = message.result(of: attempt.exchange, &evaluation)
    let policy = message.policy(state.settings.deliveryPolicy.retries)
    _ = try writer.apply(
      .exchangeFinished(result, policy: policy, jitter: jitter), to: &message, at: state.now, attempt: attempt,
      decision: RecordedDecision(evaluation))
  }
}

/// The recovery of messages that were in flight when the process stopped.
struct SendingRecovery: Sendable {
  /// The result of each interrupted attempt.
  let attempt: Attempt
  /// The policy of reports.
  let policy: RetryPolicy
  let clockMode: ClockMode

  static func isNeeded(in reader: any BrowserReader, _ clockMode: ClockMode) throws -> Bool {
    if try !reader.reports(in: .sending, after: 0, limit: 1).isEmpty { return true }
    if try !reader.postbacks(in: .sending, after: 0, limit: 1).isEmpty { return true }
    guard clockMode == .real else { return false }
    return try reader.state().timer != nil || !reader.earliestAttributions(limit: 1).isEmpty
  }

  func run(in writer: any BrowserWriter) throws {
    for report in try writer.reports(in: .sending, after: 0, limit: .max) { try recover(report, in: writer) }
    for postback in try writer.postbacks(in: .sending, after: 0, limit: .max) { try recover(postback, in: writer) }
    // A replay does not stop the process while a report is sent.
    guard clockMode == .real else { return try writer.endJournal(.interrupted) }
    var state = try writer.state()
    state.reportTimer.start(at: attempt.at)
    try writer.save(state)
  }

  private func recover(_ sent: some DeliverableMessage, in writer: any BrowserWriter) throws {
    var message = sent
    var evaluation = RuleEvaluation(of: message.deliveryRules)
    let result = message.result(of: attempt.exchange, &evaluation)
    _ = try writer.apply(
      .crashed(result, policy: message.policy(policy)), to: &message, at: attempt.at, attempt: attempt,
      decision: RecordedDecision(evaluation))
  }
}

extension BrowserState {
  var reportTimer: ReportTimer {
    get { ReportTimer(firesAt: timer) }
    set { timer = newValue.firesAt }
  }
}
