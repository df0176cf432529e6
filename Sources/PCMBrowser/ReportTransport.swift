import NIOConcurrencyHelpers
import PCMDelivery

/// A transport for reports, postbacks, and the keys that reports need, with their own capacity.
///
/// An endpoint that does not respond takes only its share, so it delays no report to others. A report that waits is not lost,
/// and its timeout does not run.
struct ReportTransport: Transport {
  let transport: any Transport
  let capacity: ReportCapacity

  func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    await capacity.withPlace(for: String(request.authority)) { await transport.send(request, route: route) }
  }

  func transportOfMove() -> any Transport { ReportTransport(transport: transport.transportOfMove(), capacity: capacity) }
}

/// The capacity for the reports of all browsers. A browser sends one at a time.
final class ReportCapacity: Sendable {
  /// The number of requests at a time.
  static let total = 128
  /// The number of those to one host and port.
  static let perTarget = 32

  private let queue = NIOLockedValueBox(
    FairQueue<CheckedContinuation<Void, Never>>(capacity: total, share: perTarget))

  /// The number of requests that wait.
  var waitingCount: Int { queue.withLockedValue { $0.waitingCount } }

  /// Runs a request once there is a place. Reports are not canceled, and neither is their wait.
  func withPlace<Value>(for target: String, _ request: () async -> Value) async -> Value {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      if queue.withLockedValue({ $0.enter(continuation, to: target) }) { continuation.resume() }
    }
    defer { queue.withLockedValue { $0.leave(target) }?.resume() }
    return await request()
  }
}
