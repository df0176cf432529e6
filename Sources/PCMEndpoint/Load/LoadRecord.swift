import Histogram
import NIOConcurrencyHelpers
package import PCMCore
package import PCMNetwork

/// The measurements of a load test while it runs.
package final class LoadRecord: Sendable {
  private let state: NIOLockedValueBox<LoadMeasurements>

  package init(_ options: LoadOptions) { state = NIOLockedValueBox(LoadMeasurements(options)) }

  /// A copy of the measurements.
  package var measurements: LoadMeasurements { state.withLockedValue { $0 } }

  /// The numbers of requests that were sent, and that wait for a response.
  package var progress: (sent: Int, waiting: Int, failed: Int) {
    state.withLockedValue { ($0.sent, $0.waiting, $0.failed) }
  }

  /// Notes that a message is sent. Returns false, and counts it as not sent, when too many wait for responses.
  func begin(_ message: LoadMessage, plannedAt: Int64, at now: Int64, limit: Int) -> Bool {
    state.withLockedValue { $0.begin(message, lateness: max(0, now - plannedAt), at: now, limit: limit) }
  }

  func end(_ message: LoadMessage, _ exchange: Exchange, plannedAt: Int64, endedAt: Int64, isCanceled: Bool) {
    state.withLockedValue { state in
      state.waiting -= 1
      guard !isCanceled || exchange.failure?.code != .transportClosed else {
        state.unanswered += 1
        return
      }
      state.add(LoadResult(message: message, exchange: exchange, latency: endedAt - plannedAt), plannedAt: plannedAt)
    }
  }
}

/// The result of a message that was sent.
struct LoadResult {
  let message: LoadMessage
  let exchange: Exchange
  /// From the planned instant to the end of the response, in microseconds.
  let latency: Int64

  /// The reason for which the endpoint did not accept the message; nil if it did.
  var refusal: Reason? {
    message.kind.framework.map { exchange.undeliveredPostback(of: $0) } ?? exchange.undelivered
  }
}

/// The distribution of latencies in microseconds, with three significant digits.
package struct Latencies: Sendable {
  private var histogram = Histogram<UInt32>(highestTrackableValue: 3_600_000_000, numberOfSignificantValueDigits: .three)

  mutating func record(_ latency: Int64) {
    _ = histogram.record(UInt64(min(max(latency, 1), 3_600_000_000)))
  }

  package var count: Int { Int(histogram.totalCount) }
  package var mean: Int64 { count == 0 ? 0 : Int64(histogram.mean) }
  package var maximum: Int64 { count == 0 ? 0 : Int64(histogram.max) }

  /// The smallest latency that a share of the messages, in percent, did not exceed.
  package func percentile(_ percent: Double) -> Int64 { count == 0 ? 0 : Int64(histogram.valueAtPercentile(percent)) }

  /// The number of latencies in a range.
  package func count(in range: ClosedRange<Int64>) -> Int {
    Int(histogram.count(within: UInt64(range.lowerBound)...UInt64(range.upperBound)))
  }
}

/// The measurements of a load test.
package struct LoadMeasurements: Sendable {
  package let options: LoadOptions
  /// Latencies of all messages with a result, from their planned instants.
  package private(set) var latencies = Latencies()
  /// The time by which messages left after their planned instants, in microseconds.
  package private(set) var lateness = Latencies()
  package private(set) var sent = 0
  /// Messages that were not sent because too many waited for responses.
  package private(set) var unsent = 0
  package fileprivate(set) var waiting = 0
  /// Messages without a response at the end of a canceled run.
  package fileprivate(set) var unanswered = 0
  /// The instant of the last departure, in microseconds.
  package private(set) var lastDeparture: Int64 = 0
  package private(set) var counts: [LoadCount: Int] = [:]
  /// Results by status, or by the code of a failure.
  package private(set) var statuses: [String: Int] = [:]
  package private(set) var httpVersions: [String: Int] = [:]
  /// The connections that were opened.
  package private(set) var connections = 0
  /// The causes of failures in the order of their first appearance.
  package private(set) var failures: [LoadFailure] = []
  package private(set) var intervals: [LoadInterval]
  /// The length of an interval in microseconds.
  package let intervalLength: Int64

  private static let maximumIntervals: Int64 = 60
  private static let maximumFailures = 20

  init(_ options: LoadOptions) {
    self.options = options
    let duration = max(options.duration.milliseconds, 1) * 1_000
    let length = max(1_000_000, (duration + Self.maximumIntervals - 1) / Self.maximumIntervals)
    intervals = (0..<(duration + length - 1) / length).map { LoadInterval(start: $0 * length) }
    intervalLength = length
  }

  /// Ordinary and repeated messages that the endpoint did not accept, and messages that were not sent.
  package var failed: Int { unsent + failures.reduce(0) { $0 + $1.count } }

  mutating func begin(_ message: LoadMessage, lateness late: Int64, at now: Int64, limit: Int) -> Bool {
    guard waiting < limit else {
      unsent += 1
      return false
    }
    sent += 1
    waiting += 1
    lastDeparture = now
    lateness.record(late)
    return true
  }

  fileprivate mutating func add(_ result: LoadResult, plannedAt: Int64) {
    let (message, exchange, refusal) = (result.message, result.exchange, result.refusal)
    latencies.record(result.latency)
    counts[LoadCount(kind: message.kind, form: message.form, isAccepted: refusal == nil), default: 0] += 1
    statuses[exchange.failure?.code.rawValue ?? "\(exchange.httpStatus ?? 0)", default: 0] += 1
    if let version = exchange.httpVersion { httpVersions[version, default: 0] += 1 }
    // A kept connection has no handshake.
    if let timings = exchange.timings, max(timings.connect, timings.tls) > 0 { connections += 1 }
    let isFailure = refusal != nil && message.form != .forged
    let index = min(Int(plannedAt / intervalLength), intervals.count - 1)
    intervals[index].add(result.latency, isFailure: isFailure)
    if isFailure, let refusal { note(refusal, of: result) }
  }

  private mutating func note(_ refusal: Reason, of result: LoadResult) {
    if let index = failures.firstIndex(where: { $0.isLike(refusal, result) }) {
      failures[index].count += 1
      return
    }
    if failures.count < Self.maximumFailures { return failures.append(LoadFailure(reason: refusal, first: result)) }
    failures[failures.count - 1].count += 1
  }
}

/// A kind of result.
package struct LoadCount: Hashable, Sendable {
  package let kind: CheckKind
  package let form: LoadMessage.Form
  package let isAccepted: Bool
}

/// A cause of failures, with the first exchange.
package struct LoadFailure: Sendable {
  package let reason: Reason
  package let message: LoadMessage
  package let exchange: Exchange
  package fileprivate(set) var count = 1

  fileprivate init(reason: Reason, first: LoadResult) {
    self.reason = reason
    (message, exchange) = (first.message, first.exchange)
  }

  fileprivate func isLike(_ reason: Reason, _ result: LoadResult) -> Bool {
    self.reason.code == reason.code && exchange.httpStatus == result.exchange.httpStatus
      && (message.kind.framework == nil) == (result.message.kind.framework == nil)
  }
}

/// The messages whose planned instants are in a part of the run.
package struct LoadInterval: Sendable {
  /// In microseconds since the start of the run.
  package let start: Int64
  package private(set) var failed = 0
  package private(set) var latencies = Latencies()

  fileprivate init(start: Int64) { self.start = start }

  fileprivate mutating func add(_ latency: Int64, isFailure: Bool) {
    latencies.record(latency)
    if isFailure { failed += 1 }
  }
}
