package import PCMCore
package import PCMStore

/// The content of `/metrics`: metrics of the service, its stores, and the process.
package struct Metrics: Sendable {
  package let metricSet: MetricSet
  private let counts: [StorageKind: JoinedCall<StoreCounts>]
  /// The version of the service.
  package let version: String
  private let startedAt: Instant

  package init(
    metricSet: MetricSet, stores: [StorageKind: any Store], version: String, startedAt: Instant,
    wallClock: @escaping @Sendable () -> Instant
  ) {
    self.metricSet = metricSet
    counts = stores.mapValues { store in JoinedCall { try await store.counts(at: wallClock()) } }
    self.version = version
    self.startedAt = startedAt
  }

  /// Metrics for a service without `/metrics`.
  package static let none = Metrics(
    metricSet: MetricSet(), stores: [:], version: "", startedAt: .earliest, wallClock: { .earliest })

  /// Returns a scrape in the exposition format.
  ///
  /// - Parameters:
  ///   - executor: Runs the work of the scrape; nil for the usual executor.
  ///   - pause: Returns when the scrape has waited for the counts of a store for long enough.
  func text(on executor: (any TaskExecutor)?, within pause: @escaping @Sendable () async throws -> Void) async -> String {
    var counts: [StorageKind: StoreCounts] = [:]
    // A store that cannot be read in time has no gauges.
    for (storage, count) in self.counts { counts[storage] = try? await count.outcome(on: executor, within: pause)?.get() }
    return (metricSet.all + gauges(counts) + process).map(\.text).joined()
  }

  private func gauges(_ counts: [StorageKind: StoreCounts]) -> [Metric] {
    func gauge(_ name: String, _ help: String, _ number: KeyPath<StoreCounts, Int>) -> Metric {
      let values = counts.map { ([$0.key.rawValue], Double($0.value[keyPath: number])) }
      return Metric(name, help, .gauge, labels: ["storage"], values: Dictionary(uniqueKeysWithValues: values))
    }
    return [
      gauge("pcm_browsers", "Browsers in the store, by storage.", \.browsers),
      gauge("pcm_reports_scheduled", "Reports in the store that wait for their first attempt or a retry.", \.scheduled),
      gauge("pcm_reports_overdue", "Waiting reports in the store that are due on their browser's clock.", \.overdue),
    ]
  }

  private var process: [Metric] {
    [
      Metric(
        "pcm_build_info", "The version of the service; the value is always 1.", .gauge, labels: ["version"],
        values: [[version]: 1]),
      Metric(
        "process_start_time_seconds", "Start time of the service in seconds since 1970.", .gauge,
        values: [[]: Double(startedAt.milliseconds) / 1_000]),
    ]
  }
}
