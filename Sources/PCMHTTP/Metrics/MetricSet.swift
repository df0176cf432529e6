import PCMCore
package import PCMStore

/// The metrics of one service. Nothing is global, so two services in one process, as in tests, have separate metrics.
package final class MetricSet: Sendable {
  let events = Counters<EventLabels>(
    "pcm_events_total", "Events in the logs of all browsers, by kind.", known: EventKind.allCases.map(EventLabels.init))
  let reasons = Counters<ReasonLabels>(
    "pcm_event_reasons_total", "Reasons of events, by the kind of the event and the code of the reason.")
  let attempts = Counters<AttemptLabels>(
    "pcm_delivery_attempts_total", "Attempts to deliver a report, by result: delivered, or a reason code.",
    known: [AttemptLabels(result: AttemptLabels.delivered)])
  let deliveryTimes = Histograms<DeliveryLabels>(
    "pcm_delivery_seconds", "Duration of attempts to deliver a report, from the start to the end of the response.",
    bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60], known: DeliveryLabels.all)
  let storeTimes = Histograms<StoreLabels>(
    "pcm_store_seconds", "Duration of transactions, including the wait for the disk and for other writes in the same commit.",
    bounds: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5])
  package let requests = Counters<RequestLabels>(
    "pcm_http_requests_total", "Answered requests, by route, method, and status class.")
  package let closedConnections = Counters<ClosedConnectionLabels>(
    "pcm_http_refusals_total", "Connections closed before a request was answered or its response was read, by reason.",
    known: ClosedConnectionLabels.allCases)
  package let connections = Gauge("pcm_http_connections", "Open connections to the service.")
  package let bodyBytes = Gauge("pcm_http_body_bytes", "Bytes of large request bodies that are being received or processed.")

  package init() {}

  /// Measures transactions, and counts the events of the committed ones.
  ///
  /// - Parameter uptime: A monotonic clock.
  package func storeMeter(uptime: @escaping @Sendable () -> Duration) -> StoreMeter {
    StoreMeter(
      uptime: uptime, didRead: { self.storeTimes.record(StoreLabels(storage: $0, operation: .read), $1) },
      didWrite: { storage, duration, events in
        self.storeTimes.record(StoreLabels(storage: storage, operation: .write), duration)
        self.count(events)
      })
  }

  private func count(_ events: [any BrowserEvent]) {
    guard !events.isEmpty else { return }
    self.events.add(events.map { EventLabels(kind: $0.kind) })
    let reasons = events.flatMap { event in event.reasons.map { ReasonLabels(kind: event.kind, code: $0.code) } }
    if !reasons.isEmpty { self.reasons.add(reasons) }
  }

  var families: [MetricFamily] {
    [
      events.family, reasons.family, attempts.family, deliveryTimes.family, storeTimes.family, requests.family,
      closedConnections.family, connections.family, bodyBytes.family,
    ]
  }
}

struct EventLabels: MetricLabels {
  static let names = ["kind"]
  let kind: EventKind

  var values: [String] { [kind.rawValue] }
}

struct ReasonLabels: MetricLabels {
  static let names = ["kind", "code"]
  let kind: EventKind
  /// The code of a reason, which the rules determine and no caller does.
  let code: String

  var values: [String] { [kind.rawValue, code] }
}

struct AttemptLabels: MetricLabels {
  static let names = ["result"]
  static let delivered = "delivered"
  let result: String

  var values: [String] { [result] }
}

struct DeliveryLabels: MetricLabels {
  static let names = ["outcome"]
  static let all = [DeliveryLabels(isDelivered: true), DeliveryLabels(isDelivered: false)]
  let isDelivered: Bool

  var values: [String] { [isDelivered ? "delivered" : "failed"] }
}

struct StoreLabels: MetricLabels {
  enum Operation: String {
    case read, write
  }

  static let names = ["storage", "operation"]
  let storage: StorageKind
  let operation: Operation

  var values: [String] { [storage.rawValue, operation.rawValue] }
}

/// The labels of an answered request.
package struct RequestLabels: MetricLabels {
  package static let names = ["route", "method", "status"]
  private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]
  private let route: String
  private let method: String
  private let status: Int

  /// - Parameters:
  ///   - route: The registered route template; other text when no route was found.
  ///   - method: The method of the request. Unknown methods are counted together.
  package init(route: String?, method: String, status: Int) {
    self.route = route.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "other"
    self.method = Self.methods.contains(method) ? method : "other"
    self.status = min(max(status / 100, 1), 5)
  }

  package var values: [String] { [route, method, "\(status)xx"] }
}

/// The reason for which a connection was closed.
package enum ClosedConnectionLabels: String, MetricLabels, CaseIterable {
  case headTooLarge = "head-too-large"
  case bodyTooLarge = "body-too-large"
  case malformed
  case tooManyConnections = "too-many-connections"
  case tooManyBodies = "too-many-bodies"
  case unread

  package static let names = ["reason"]
  package var values: [String] { [rawValue] }
}
