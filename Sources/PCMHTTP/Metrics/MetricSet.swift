import PCMCore
package import PCMStore

/// The metrics of one service. Nothing is global, so two services in one process, as in tests, have separate metrics.
package final class MetricSet: Sendable {
  private let events = Metric(
    "pcm_events_total", "Events that this service appended to the logs, by kind.", labels: ["kind"],
    values: zero(EventKind.allCases.map(\.rawValue)))
  /// The rules determine the codes, and no caller does.
  private let reasons = Metric(
    "pcm_event_reasons_total", "Reasons of events, by the kind of the event and the code of the reason.",
    labels: ["kind", "code"])
  let attempts = Metric(
    "pcm_delivery_attempts_total", "Attempts to deliver a report, by result: delivered, or a reason code.", labels: ["result"],
    values: zero(["delivered"]))
  private let droppedAttempts = Metric(
    "pcm_attempts_fenced_total", "Results of attempts that were dropped, because another instance had taken over the browser.",
    values: [[]: 0])
  let deliveryTimes = LatencyMetric(
    "pcm_delivery_seconds", "Attempts to deliver a report, from the start to the end of the response.", labels: ["outcome"],
    values: zero(["delivered", "failed"]))
  private let storeTimes = LatencyMetric(
    "pcm_store_seconds", "Transactions, including the wait for the disk and for other writes in the same commit.",
    labels: ["storage", "operation"])
  private let requests = Metric(
    "pcm_http_requests_total", "Answered requests, by route, method, and status class.", labels: ["route", "method", "status"])
  private let closedConnections = Metric(
    "pcm_http_refusals_total", "Connections closed before a request was answered or its response was read, by reason.",
    labels: ["reason"], values: zero(ClosedConnection.allCases.map(\.rawValue)))
  let connections = Metric("pcm_http_connections", "Open connections to the service.", .gauge, values: [[]: 0])

  private static func zero(_ labels: [String]) -> [[String]: Double] {
    Dictionary(uniqueKeysWithValues: labels.map { ([$0], 0) })
  }

  package init() {}

  /// Measures transactions, and counts the events of committed transactions.
  ///
  /// - Parameter uptime: A monotonic clock.
  package func storeMeter(uptime: @escaping @Sendable () -> Duration) -> StoreMeter {
    StoreMeter(
      uptime: uptime, didRead: { self.storeTimes.record($1, [$0.rawValue, "read"]) },
      didWrite: { storage, duration, events in
        self.storeTimes.record(duration, [storage.rawValue, "write"])
        self.count(events)
      },
      didDropAttempt: { self.droppedAttempts.add() })
  }

  private func count(_ events: [any BrowserEvent]) {
    for event in events {
      self.events.add(1, [event.kind.rawValue])
      for reason in event.reasons { reasons.add(1, [event.kind.rawValue, reason.code]) }
    }
  }

  private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]

  /// Counts an answered request.
  ///
  /// - Parameters:
  ///   - route: The registered route template; other text when no route was found.
  ///   - method: The method of the request. Unknown methods are counted together.
  func countRequest(route: String?, method: String, status: Int) {
    let route = route.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "other"
    requests.add(1, [route, Self.methods.contains(method) ? method : "other", "\(min(max(status / 100, 1), 5))xx"])
  }

  func countClosed(_ reason: ClosedConnection) { closedConnections.add(1, [reason.rawValue]) }

  var all: [Metric] {
    [
      events, reasons, attempts, droppedAttempts, deliveryTimes.count, deliveryTimes.sum, storeTimes.count, storeTimes.sum,
      requests, closedConnections, connections,
    ]
  }
}

/// The reason for which a connection was closed.
enum ClosedConnection: String, CaseIterable {
  case headTooLarge = "head-too-large"
  case bodyTooLarge = "body-too-large"
  case malformed
  case tooManyConnections = "too-many-connections"
  case unread
}
