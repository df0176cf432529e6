package import PCMCore
import PCMStore

/// A call that changes a browser or its device, as the value of its request.
///
/// ```swift
/// let launch = try LaunchInput(json: Array(#"{"bundleIdentifier":"com.example.game"}"#.utf8))
/// let answer = try await launch.perform(in: browser, on: nil, for: nil)
/// assert(answer.status == 201)
/// ```
package protocol Operation: OperationInput {
  /// Whether the operation takes microseconds, without its waits.
  static var isShort: Bool { get }

  /// Performs the operation and returns its answer. The compiler specializes this for each operation.
  ///
  /// - Parameters:
  ///   - subject: The values of the path's ``OperationInput/parameters``, such as the name of an impression; nil without them.
  ///   - key: The idempotency key; nil without one.
  func perform(in browser: Browser, on subject: String?, for key: RequestKey?) async throws -> PostAnswer
}

extension Operation {
  package static var isShort: Bool { false }
}

/// An operation decided in a single transaction. Requests may follow it.
///
/// ```swift
/// extension ReopenInput: DecidedOperation {
///   package func decision(on _: String?, in browser: Browser) throws(BrowserError) -> Decision<LaunchOutcome> {
///     Decision { writer, device in
///       let logged = try writer.append(AppLaunched(bundleIdentifier: bundleIdentifier), at: device.now)
///       return LaunchOutcome(bundleIdentifier: bundleIdentifier, isFirst: false, sequence: logged.sequence, at: logged.at)
///     }
///   }
/// }
/// ```
package protocol DecidedOperation: Operation {
  associatedtype Outcome: OperationOutcome

  /// The status of an answer.
  static var status: Int { get }

  /// Checks the input, without its user information, and returns the decision about it.
  ///
  /// - Parameter subject: The values of the path's parameters; nil for the whole browser.
  func decision(on subject: String?, in browser: Browser) throws(BrowserError) -> Decision<Outcome>
}

extension DecidedOperation {
  package static var status: Int { 201 }

  package func perform(in browser: Browser, on subject: String?, for key: RequestKey?) async throws -> PostAnswer {
    let request = KeyedRequest(key) { Self.answer($0, of: browser) }
    let outcome = try await browser.perform(self, on: subject, for: request)
    return request?.answer(to: outcome) ?? Self.answer(outcome, of: browser)
  }

  /// Returns the answer to the request and its repetitions.
  private static func answer(_ outcome: Outcome, of browser: Browser) -> PostAnswer {
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
///
/// ```swift
/// let decision = try LaunchInput().decision(on: nil, in: browser)
/// var state = decisionState
/// if case .ended(let outcome) = try decision.transaction(writer, &state) { print(outcome.json.text) }
/// ```
package struct Decision<Outcome: OperationOutcome> {
  /// Whether the transaction may move a timer.
  let isTimed: Bool
  /// Applies the rules in a transaction, with the time and the random numbers of its state.
  let transaction: @Sendable (any BrowserWriter, inout DecisionState) throws -> FirstStage<Outcome>
}

extension Decision {
  /// The decision about an operation of the device, which one transaction makes.
  init(_ transaction: @escaping @Sendable (any BrowserWriter, DeviceContext) throws -> Outcome) {
    self.init(isTimed: true) { .ended(try transaction($0, $1.deviceContext)) }
  }

  /// Returns the decision about an operation on ads, installs, or conversions, which one transaction makes.
  static func onDevice(
    _ transaction: @escaping @Sendable (inout StoredDevice, DeviceContext) throws -> Outcome
  ) -> Decision {
    Decision(isTimed: true) { writer, state in .ended(try state.onDevice(writer, transaction)) }
  }
}

/// The result of an operation's first transaction.
enum FirstStage<Outcome: OperationOutcome>: Sendable {
  case ended(Outcome)
  /// Requests follow. The outcome is nil when it depends on a response.
  case waiting(Outcome?, @Sendable (Browser, KeyedRequest<Outcome>?) async throws -> Outcome)

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

extension Browser {
  /// Performs an operation: checks it, decides, and commits the decision in a transaction with the journal's entry and the kept
  /// answer. Requests follow the commit.
  ///
  /// - Parameters:
  ///   - subject: The values of the path's parameters, such as the name of an impression.
  ///   - request: The request with its key; nil without one.
  ///   - isPart: Whether the operation is a part of another call, which is in the journal as a whole.
  package func perform<Input: DecidedOperation>(
    _ input: Input, on subject: String? = nil, for request: KeyedRequest<Input.Outcome>? = nil, isPart: Bool = false
  ) async throws -> Input.Outcome {
    let input = input.withoutUserInformation
    let mode = try await lock.enter(.sharing)
    defer { lock.leave(mode) }
    let call = isPart ? nil : journaling.call(Input.name, input.action(on: subject))
    let decision = try input.decision(on: subject, in: self)
    // Not by a key path: one of a generic type is built with each call.
    let committed = try await submit(call, isTimed: decision.isTimed, progress: { $0.progress }) { writer, state in
      try request?.requireNew(in: writer)
      let committed = try decision.transaction(writer, &state)
      switch committed {
      case .ended(let outcome), .waiting(let outcome?, _): try request?.finish(outcome, in: writer)
      case .waiting(nil, _): try request?.begin(in: writer)
      }
      return committed
    }.answer()
    switch committed {
    case .ended(let outcome): return outcome
    case .waiting(_, let rest): return try await rest(self, request)
    }
  }
}
