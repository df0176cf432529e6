import NIOConcurrencyHelpers
package import PCMCore
package import PCMDelivery
package import PCMStore

/// A store that counts committed events and measures the duration of transactions.
package final class MeteredStore: Store {
  private let store: any Store
  private let storage: StorageKind
  private let metricSet: MetricSet
  private let uptime: @Sendable () -> Duration
  private let waiting = NIOLockedValueBox(WaitingReports())

  /// - Parameter uptime: A monotonic clock.
  package init(
    _ store: any Store, named storage: StorageKind, metricSet: MetricSet, uptime: @escaping @Sendable () -> Duration
  ) {
    self.store = store
    self.storage = storage
    self.metricSet = metricSet
    self.uptime = uptime
  }

  package func browsers() async throws -> [BrowserRecord] {
    let records = try await store.browsers()
    waiting.withLockedValue { waiting in
      for record in records { waiting.find(record) }
    }
    return records
  }

  package func unreadableBrowsers() async throws -> [UnreadableBrowser] { try await store.unreadableBrowsers() }

  package func create(_ browser: NewBrowser, keeping creation: KeptCreation?) async throws -> BrowserRecord {
    let record = try await store.create(browser, keeping: creation)
    waiting.withLockedValue { $0.add(record, at: browser.state.now) }
    return record
  }

  package func keptCreation(_ key: String) async throws -> KeptRequest? { try await store.keptCreation(key) }

  package func fork(_ browser: BrowserID, as copy: BrowserCopy) async throws -> BrowserRecord {
    let record = try await store.fork(browser, as: copy)
    // Its waiting reports are read like those of a browser from before the start.
    waiting.withLockedValue { $0.find(record) }
    return record
  }

  package func delete(_ browser: BrowserID) async throws {
    try await store.delete(browser)
    waiting.withLockedValue { $0.remove(browser) }
  }

  package func submit<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> {
    let start = uptime()
    let write = store.submit(browser) { rows in
      // A separate writer for each run of the body, so that a run that is rolled back does not count.
      let writer = MeteredWriter(rows)
      let answer = try body(writer)
      return (answer, try writer.transactionCounts())
    }
    return write.map { [self] answer, counts in
      metricSet.storeTimes.record(StoreLabels(storage: storage, operation: .write), uptime() - start)
      metricSet.count(counts.events)
      if counts.now != nil || !counts.changes.isEmpty { waiting.withLockedValue { $0.apply(counts, of: browser) } }
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

  package func checkWritable() async throws { try await store.checkWritable() }

  package func close() async throws { try await store.close() }

  /// Returns the numbers of browsers and of waiting reports. The first call after a start, or after the machine's clock was set
  /// back, reads the waiting reports of all existing browsers, and the first call after due times were moved, those of the
  /// browser. Other calls take constant time for each browser, and time for each report that became due.
  func totals(at wallNow: Instant) async -> WaitingReports.Totals {
    for browser in waiting.withLockedValue({ $0.takeUnread(at: wallNow) }) {
      do {
        let reading = try await store.read(browser) { try WaitingReports.Reading(of: $0) }
        waiting.withLockedValue { $0.finishReading(browser, reading) }
      } catch StoreError.unreadable(_) {
        waiting.withLockedValue { $0.setUnreadable(browser) }
      } catch {
        // A deleted browser has no waiting reports. Any other is read again by the next call.
        waiting.withLockedValue { $0.finishReading(browser, nil) }
      }
    }
    return waiting.withLockedValue { $0.totals(at: wallNow) }
  }
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

  package func transport(of browser: String) -> any Transport {
    MeteredTransport(transport.transport(of: browser), metricSet: metricSet, uptime: uptime)
  }

  /// Requests to simulated sites are not counted as deliveries.
  package func observing(_ other: any Transport, of browser: String) -> any Transport {
    transport.observing(other, of: browser)
  }

  package func transportOfMove() -> any Transport {
    MeteredTransport(transport.transportOfMove(), metricSet: metricSet, uptime: uptime)
  }

  private func count(_ exchange: Exchange, took duration: Duration) {
    let reason = exchange.undelivered?.code
    metricSet.attempts.add(AttemptLabels(result: reason.map(ReasonCodes.bounded) ?? AttemptLabels.delivered))
    metricSet.deliveryTimes.record(DeliveryLabels(isDelivered: reason == nil), duration)
  }
}
