import PCMCore
package import PCMStore

/// The metrics of one service. Nothing is global, so two services in one process, as in tests, have separate metrics.
package final class MetricSet: Sendable {
  let events = Counters(
    "pcm_events_total", "Events that this service appended to the logs, by kind.", labels: ["kind"],
    known: EventKind.allCases.map { [$0.rawValue] })
  /// The rules determine the codes, and no caller does.
  let reasons = Counters(
    "pcm_event_reasons_total", "Reasons of events, by the kind of the event and the code of the reason.",
    labels: ["kind", "code"])
  let attempts = Counters(
    "pcm_delivery_attempts_total", "Attempts to deliver a report, by result: delivered, or a reason code.", labels: ["result"],
    known: [["delivered"]])
  let droppedAttempts = Counters(
    "pcm_attempts_fenced_total", "Results of attempts that were dropped, because another instance had taken over the browser.",
    labels: [], known: [[]])
  let deliveryTimes = Histograms(
    "pcm_delivery_seconds", "Duration of attempts to deliver a report, from the start to the end of the response.",
    labels: ["outcome"], bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    known: [["delivered"], ["failed"]])
  let storeTimes = Histograms(
    "pcm_store_seconds", "Duration of transactions, including the wait for the disk and for other writes in the same commit.",
    labels: ["storage", "operation"],
    bounds: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5])
  private let requests = Counters(
    "pcm_http_requests_total", "Answered requests, by route, method, and status class.", labels: ["route", "method", "status"])
  private let closedConnections = Counters(
    "pcm_http_refusals_total", "Connections closed before a request was answered or its response was read, by reason.",
    labels: ["reason"], known: ClosedConnection.allCases.map { [$0.rawValue] })
  package let connections = Gauge("pcm_http_connections", "Open connections to the service.")
  package let bodyBytes = Gauge("pcm_http_body_bytes", "Bytes of large request bodies that are being received or processed.")

  package init() {}

  /// Measures transactions, and counts the events of the committed ones.
  ///
  /// - Parameter uptime: A monotonic clock.
  package func storeMeter(uptime: @escaping @Sendable () -> Duration) -> StoreMeter {
    StoreMeter(
      uptime: uptime, didRead: { self.storeTimes.record($1, $0.rawValue, "read") },
      didWrite: { storage, duration, events in
        self.storeTimes.record(duration, storage.rawValue, "write")
        self.count(events)
      },
      didDropAttempt: { self.droppedAttempts.add() })
  }

  private func count(_ events: [any BrowserEvent]) {
    guard !events.isEmpty else { return }
    self.events.add(events.map { [$0.kind.rawValue] })
    let reasons = events.flatMap { event in event.reasons.map { [event.kind.rawValue, $0.code] } }
    if !reasons.isEmpty { self.reasons.add(reasons) }
  }

  private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]

  private static let statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx"]

  /// Counts an answered request.
  ///
  /// - Parameters:
  ///   - route: The registered route template; other text when no route was found.
  ///   - method: The method of the request. Unknown methods are counted together.
  func countRequest(route: String?, method: String, status: Int) {
    let route = route.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "other"
    requests.add(route, Self.methods.contains(method) ? method : "other", Self.statusClasses[min(max(status / 100, 1), 5) - 1])
  }

  func countClosed(_ reason: ClosedConnection) { closedConnections.add(reason.rawValue) }

  var families: [MetricFamily] {
    [
      events.family, reasons.family, attempts.family, droppedAttempts.family, deliveryTimes.family, storeTimes.family,
      requests.family,
      closedConnections.family, connections.family, bodyBytes.family,
    ]
  }
}

/// The reason for which a connection was closed.
enum ClosedConnection: String, CaseIterable {
  case headTooLarge = "head-too-large"
  case bodyTooLarge = "body-too-large"
  case malformed
  case tooManyConnections = "too-many-connections"
  case tooManyBodies = "too-many-bodies"
  case unread
}
