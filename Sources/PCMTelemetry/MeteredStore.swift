package import PCMCore
package import PCMDelivery
package import PCMStore

/// A store that measures the duration of transactions, and counts their events once they are committed.
package final class MeteredStore: Store {
  private let store: any Store
  private let storage: StorageKind
  private let metricSet: MetricSet
  private let uptime: @Sendable () -> Duration

  /// - Parameter uptime: A monotonic clock.
  package init(
    _ store: any Store, named storage: StorageKind, metricSet: MetricSet, uptime: @escaping @Sendable () -> Duration
  ) {
    self.store = store
    self.storage = storage
    self.metricSet = metricSet
    self.uptime = uptime
  }

  package func browsers() async throws -> [BrowserRecord] { try await store.browsers() }

  package func unreadableBrowsers() async throws -> [UnreadableBrowser] { try await store.unreadableBrowsers() }

  package func create(_ browser: NewBrowser, keeping creation: KeptCreation?) async throws -> BrowserRecord {
    try await store.create(browser, keeping: creation)
  }

  package func keptCreation(_ key: String) async throws -> KeptRequest? { try await store.keptCreation(key) }

  package func fork(_ browser: BrowserID, as copy: BrowserCopy) async throws -> BrowserRecord {
    try await store.fork(browser, as: copy)
  }

  package func delete(_ browser: BrowserID) async throws { try await store.delete(browser) }

  package func submit<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> {
    let start = uptime()
    let write = store.submit(browser) { rows in (try body(rows), rows.appended) }
    return write.map { [self] answer, events in
      metricSet.storeTimes.record(StoreLabels(storage: storage, operation: .write), uptime() - start)
      metricSet.count(events)
      return answer
    }
  }

  package func read<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserReader) throws -> Answer
  ) async throws -> Answer {
    let start = uptime()
    let answer = try await store.read(browser, body)
    metricSet.storeTimes.record(StoreLabels(storage: storage, operation: .read), uptime() - start)
    return answer
  }

  package func counts(at wallNow: Instant) async throws -> StoreCounts { try await store.counts(at: wallNow) }

  package func checkWritable() async throws { try await store.checkWritable() }

  package func close() async throws { try await store.close() }
}

/// A transport that counts attempts to deliver a report and measures their duration.
package struct MeteredTransport: Transport {
  private let transport: any Transport
  private let metricSet: MetricSet
  private let uptime: @Sendable () -> Duration

  /// - Parameter uptime: A monotonic clock.
  package init(_ transport: any Transport, metricSet: MetricSet, uptime: @escaping @Sendable () -> Duration) {
    self.transport = transport
    self.metricSet = metricSet
    self.uptime = uptime
  }

  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    let start = uptime()
    let exchange = await transport.send(request, route: route)
    // Page loads and requests for token keys and signatures are not deliveries.
    if request.body != nil, !BrowserRequest.isSigning(request) { count(exchange, took: uptime() - start) }
    return exchange
  }

  package func transportOfMove() -> any Transport {
    MeteredTransport(transport.transportOfMove(), metricSet: metricSet, uptime: uptime)
  }

  private func count(_ exchange: Exchange, took duration: Duration) {
    let reason = exchange.undelivered?.code
    metricSet.attempts.add(AttemptLabels(result: reason ?? AttemptLabels.delivered))
    metricSet.deliveryTimes.record(DeliveryLabels(isDelivered: reason == nil), duration)
  }
}
