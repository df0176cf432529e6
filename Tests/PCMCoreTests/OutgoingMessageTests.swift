import Testing

@testable import PCMCore

/// Each state of a message with each event.
@Suite struct OutgoingMessageTests {
  typealias Actions = OutgoingMessage.Actions
  private typealias Row = (
    state: OutgoingMessage.State, event: MessageEvent, next: OutgoingMessage.State, write: OutgoingMessage.Entry,
    effect: OutgoingMessage.Effect
  )

  private static let retryAt = MessageEvent.now + .minutes(1)
  private static let reason = MessageEvent.reason

  /// The transitions of a message with keys to fetch. An event without a row is ignored.
  private static let withKeys: [Row] =
    [
      (.scheduled, .due, .sending, .keyCheck, .fetchKeys),
      (.sending, .keysReceived, .sending, .departure, .send),
    ] + common
  private static let withoutKeys: [Row] = [(.scheduled, .due, .sending, .departure, .send)] + common

  private static let common: [Row] = [
    (.scheduled, .cleared, .cleared, .withdrawal, .announce),
    (.scheduled, .superseded, .superseded, .withdrawal, .announce),

    (.sending, .accepted, .delivered, .delivered, .announce),
    (.sending, .failed, .scheduled, .retry(at: retryAt, reason), .announce),
    (.sending, .failedLast, .failed, .failed(reason), .announce),
    (.sending, .failedPermanently, .failed, .failed(reason), .announce),
    (.sending, .crashed, .scheduled, .retry(at: retryAt, reason), .announce),
    (.sending, .crashedLast, .failed, .failed(reason), .announce),
    (.sending, .cleared, .cleared, .withdrawal, .announce),

    (.cleared, .accepted, .delivered, .delivered, .announce),
    (.cleared, .failed, .cleared, .failed(reason), .announce),
    (.cleared, .failedLast, .failed, .failed(reason), .announce),
    (.cleared, .failedPermanently, .failed, .failed(reason), .announce),
  ]

  @Test("Each event in each state has the result in the table, or is ignored", arguments: [true, false])
  func table(needsKeys: Bool) {
    let rows = needsKeys ? Self.withKeys : Self.withoutKeys
    var transitions = 0
    for state in OutgoingMessage.State.allCases {
      for event in MessageEvent.allCases {
        let message = MessageEvent.message(state, needsKeys: needsKeys)
        var after = message
        let actions = after.handle(event.value, at: MessageEvent.now)
        guard let row = rows.first(where: { ($0.state, $0.event) == (state, event) }) else {
          #expect(actions == .ignored, "\(state), \(event)")
          #expect(after == message, "\(state), \(event)")
          continue
        }
        transitions += 1
        #expect(actions == Actions(write: row.write, effect: row.effect), "\(state), \(event)")
        #expect(after.state == row.next, "\(state), \(event)")
        #expect(after.attempts == message.attempts + (event.endsAttempt ? 1 : 0), "\(state), \(event)")
        #expect(after.retryAt == (row.next == .scheduled ? Self.retryAt : nil), "\(state), \(event)")
      }
    }
    #expect(transitions == rows.count)
  }

  @Test("An ignored event writes and sends nothing")
  func ignored() {
    #expect(Actions.ignored == Actions(write: nil, effect: .announce))
  }

  @Test("Each request follows a write", arguments: [true, false])
  func writtenFirst(needsKeys: Bool) {
    var effects: Set<OutgoingMessage.Effect> = []
    for state in OutgoingMessage.State.allCases {
      for event in MessageEvent.allCases {
        var message = MessageEvent.message(state, needsKeys: needsKeys)
        let actions = message.handle(event.value, at: MessageEvent.now)
        effects.insert(actions.effect)
        guard actions.effect != .announce else { continue }
        #expect(actions.write != nil && message.state == .sending, "\(state), \(event)")
      }
    }
    #expect(effects == (needsKeys ? [.fetchKeys, .send, .announce] : [.send, .announce]))
  }

  @Test("With the policy at most once, no message is sent twice")
  func atMostOnce() {
    let ends: [OutgoingMessage.Event] = [
      .exchangeFinished(.failed(Self.reason), policy: .atMostOnce, jitter: 0),
      .crashed(.failed(Self.reason), policy: .atMostOnce),
    ]
    for end in ends {
      var message = OutgoingMessage(dueAt: MessageEvent.now)
      #expect(message.handle(.due, at: MessageEvent.now).effect == .send)
      #expect(message.handle(end, at: MessageEvent.now).write == .failed(Self.reason))
      #expect(message.handle(.due, at: MessageEvent.now) == .ignored)
    }
  }

  @Test("With nine tries within nine days, the ninth failed attempt is the last")
  func nineTries() {
    let policy = RetryPolicy(tries: 9, period: .days(9), backoff: .standard)
    var (now, sent) = (MessageEvent.now, 0)
    var message = OutgoingMessage(dueAt: now)
    while message.handle(.due, at: now).effect == .send {
      sent += 1
      _ = message.handle(.exchangeFinished(.failed(Self.reason), policy: policy, jitter: 0), at: now)
      now = message.retryAt ?? now
    }
    #expect(sent == 9)
    #expect(message.state == .failed && message.attempts == 9)
  }

  @Test("A report's attempts determine its backoff, and its keys determine its next step")
  func reports() {
    var report = Report(
      id: 1, attribution: 1, session: .normal,
      key: ClickKey(source: Site("s"), destination: Site("d"), bundleIdentifier: "b"), recipient: .source, url: "", body: "",
      sourceKeyID: "key", dueAt: MessageEvent.now, attempts: [KeptAttempt(text: "{}"), KeptAttempt(text: "{}")])
    #expect(report.message.handle(.due, at: MessageEvent.now) == Actions(write: .keyCheck, effect: .fetchKeys))
    #expect(report.message.handle(.keysReceived, at: MessageEvent.now) == Actions(write: .departure, effect: .send))
    let actions = report.message.handle(
      .exchangeFinished(.failed(Self.reason), policy: .untilAccepted, jitter: 0), at: MessageEvent.now)
    #expect(actions.write == .retry(at: MessageEvent.now + .minutes(4), Self.reason))
    #expect(report.state == .scheduled && report.retryAt == MessageEvent.now + .minutes(4))
  }

  @Test("A report keeps its first attempt and the latest ones, and counts all")
  func keptAttempts() {
    var report = Report(
      id: 1, attribution: 1, session: .normal,
      key: ClickKey(source: Site("s"), destination: Site("d"), bundleIdentifier: "b"), recipient: .source, url: "", body: "",
      dueAt: MessageEvent.now)
    for number in 1...100 {
      _ = report.message.handle(.due, at: MessageEvent.now)
      _ = report.message.handle(
        .exchangeFinished(.failed(Self.reason), policy: .untilAccepted, jitter: 0), at: MessageEvent.now)
      report.record(KeptAttempt(text: "\(number)"))
    }
    #expect(report.attemptCount == 100)
    #expect(report.attempts.map(\.text) == (["1"] + (82...100).map(String.init)))
  }
}
