package import PCMCore
import PCMStore

/// A call that changes a browser or its device, as the value of its request.
package protocol Operation: OperationInput {
  associatedtype Outcome: OperationOutcome

  /// The URL of the click's destination, or of the event's page: an explanation of its site mentions a rejected call. Nil
  /// without one.
  var destination: String? { get }

  /// Whether the operation takes microseconds, besides its waits.
  static var isShort: Bool { get }

  /// The status of an answer.
  static var status: Int { get }

  /// Checks the input, without its user information, and returns the decision about it.
  ///
  /// - Parameter subject: The value of the path's last parameter; nil for the whole browser.
  func decision(on subject: String?, in browser: Browser) throws(BrowserError) -> Decision<Outcome>

  // The compiler specializes this for each operation.
  func perform(in browser: Browser, on subject: String?, for request: KeyedRequest<Outcome>?) async throws -> Outcome
}

extension Operation {
  package var destination: String? { nil }
  package static var isShort: Bool { false }
  package static var status: Int { 201 }

  /// Returns the answer, which a repetition of the request receives, too.
  package static func answer(_ outcome: Outcome, of browser: Browser) -> PostAnswer {
    PostAnswer(
      json: outcome.json, status: status, location: outcome.location.map { "\(BrowserName(browser.record.name).path)/\($0)" })
  }
}

/// The outcome of an operation.
package protocol OperationOutcome: Sendable {
  /// The answer to the call.
  var json: JSON { get }
  /// The path of the created resource within the browser; nil when none can be read.
  var location: String? { get }
  /// The outcome for the journal.
  var progress: CallProgress { get }
}

extension OperationOutcome {
  package var location: String? { nil }
  package var progress: CallProgress { CallProgress() }
}

/// The decision about an operation.
package struct Decision<Outcome: OperationOutcome> {
  /// Whether the transaction may move a timer.
  let isTimed: Bool
  /// Reads the clock and draws random numbers, under the lock of the browser's state, and returns the transaction.
  let transaction: (inout RuntimeState) -> @Sendable (any BrowserWriter) throws -> Committed<Outcome>
}

extension Decision {
  /// The decision about an operation of the device, which one transaction makes.
  init(_ transaction: @escaping @Sendable (any BrowserWriter, DeviceContext) throws -> Outcome) {
    self.init(isTimed: true) { live in
      let context = live.deviceContext(at: live.now)
      return { .ended(try transaction($0, context)) }
    }
  }
}

/// The result of an operation's first transaction.
enum Committed<Outcome: OperationOutcome>: Sendable {
  case ended(Outcome)
  /// Requests follow. The outcome is nil when it depends on a response.
  case waiting(Outcome?, @Sendable (Browser, PendingCall?, KeyedRequest<Outcome>?) async throws -> Outcome)

  fileprivate var progress: CallProgress {
    switch self {
    case .ended(let outcome): return outcome.progress
    case .waiting(let outcome, _):
      var progress = outcome?.progress ?? CallProgress()
      progress.isUnderWay = true
      return progress
    }
  }
}

extension Operation {
  /// Performs the operation: checks it, decides, and commits the decision in a transaction with the journal's entry and the kept
  /// answer. Requests follow the commit.
  ///
  /// - Parameters:
  ///   - subject: The value of the path's last parameter, such as the name of an impression.
  ///   - request: The request with its key; nil without one.
  package func perform(
    in browser: Browser, on subject: String?, for request: KeyedRequest<Outcome>?
  ) async throws -> Outcome {
    let input = withoutUserInformation
    let mode = try await browser.lock.enter(.sharing)
    defer { browser.lock.leave(mode) }
    let decision = try browser.checked(Self.path, destination: input.destination) { () throws(BrowserError) in
      try input.decision(on: subject, in: browser)
    }
    return try await browser.commit(decision, browser.journaling.call(Self.name, input.action(on: subject)), for: request)
  }
}

extension Browser {
  /// Performs an operation without a key.
  package func perform<Input: Operation>(_ input: Input, on subject: String? = nil) async throws -> Input.Outcome {
    try await input.perform(in: self, on: subject, for: nil)
  }

  /// Commits a decision, and performs what follows.
  ///
  /// - Parameter call: The call for the journal; nil for a part of another call.
  func commit<Outcome>(
    _ decision: Decision<Outcome>, _ call: PendingCall?, for request: KeyedRequest<Outcome>?
  ) async throws -> Outcome {
    let write = withState { live in
      let transaction = decision.transaction(&live)
      // Not by a key path: one of a generic type is built with each call.
      return submit(call, isTimed: decision.isTimed, progress: { $0.progress }) { writer in
        let committed = try transaction(writer)
        switch committed {
        case .ended(let outcome), .waiting(let outcome?, _): try request?.finish(outcome, in: writer)
        case .waiting(nil, _): try request?.begin(in: writer)
        }
        return committed
      }
    }
    switch try await write.answer() {
    case .ended(let outcome): return outcome
    case .waiting(_, let rest): return try await journaling.collecting(for: call) { try await rest(self, call, request) }
    }
  }
}
