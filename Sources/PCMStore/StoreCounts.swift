package import PCMCore

/// The numbers of browsers in a store and of their waiting reports.
package struct StoreCounts: Hashable, Sendable {
  package var browsers = 0
  /// The reports that wait for their first attempt or a retry.
  package var scheduled = 0
  /// The waiting reports that are due on their browser's clock.
  package var overdue = 0

  package init(browsers: Int = 0, scheduled: Int = 0, overdue: Int = 0) {
    (self.browsers, self.scheduled, self.overdue) = (browsers, scheduled, overdue)
  }
}

extension Store {
  /// Counts by reading one browser after the other.
  package func counts(at wallNow: Instant) async throws -> StoreCounts {
    var counts = StoreCounts()
    for browser in try await browsers() {
      do {
        let (scheduled, overdue) = try await read(browser.id) { rows in
          let now = browser.clockMode == .real ? wallNow : try rows.state().now
          let dues = try rows.reports(in: .scheduled, after: 0, limit: .max).compactMap(\.message.nextAttemptAt)
          return (dues.count, dues.count { $0 <= now })
        }
        counts.browsers += 1
        counts.scheduled += scheduled
        counts.overdue += overdue
      } catch StoreError.unknownBrowser {
        // It was deleted in the meantime.
        continue
      }
    }
    return counts
  }
}
