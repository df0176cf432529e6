import PCMCore
import PCMStore

extension Browsers {
  /// The time between two looks at the browsers whose logs are followed.
  private static let period = Interval.seconds(1)

  /// Resumes the tasks that wait for a log when another process has extended or deleted it, until the task is canceled.
  ///
  /// A shared store reports changes at once, but a report may be lost. The browsers with such tasks are therefore also looked at each
  /// second, with one read for all of them.
  package func followChanges() async {
    await withDiscardingTaskGroup { group in
      for (storage, store) in stores where store.isShared {
        group.addTask {
          for await changed in store.changes { self.note(changed, in: storage) }
        }
        group.addTask {
          repeat {
            // The scheduler reports a store that fails.
            try? await self.lookAtFollowed(in: storage, store)
          } while (try? await self.environment.sleep(self.environment.wallClock() + Self.period)) != nil
        }
      }
    }
  }

  private func note(_ changed: Set<BrowserID>, in storage: StorageKind) {
    for browser in all where browser.storage == storage && changed.contains(browser.record.id) { browser.logSignal.note() }
  }

  /// Resumes the tasks that wait for logs that have grown.
  private func lookAtFollowed(in storage: StorageKind, _ store: any Store) async throws {
    let followed = all.filter { $0.storage == storage && $0.logSignal.isFollowed }
    guard !followed.isEmpty else { return }
    let ends = try await store.nextSequences(of: Set(followed.map(\.record.id)))
    for browser in followed {
      if let end = ends[browser.record.id] { browser.logSignal.note(nextSequence: end) } else { forget(browser) }
    }
  }
}
