internal import HeapModule
package import PCMCore

/// The one sleeper for all browsers on the real clock: it sleeps until the earliest of their due instants, then hands the
/// browsers over that are due.
package actor RealTime {
  private struct Entry: Comparable {
    let due: Instant
    let browser: Browser

    static func < (left: Entry, right: Entry) -> Bool { left.due < right.due }
    static func == (left: Entry, right: Entry) -> Bool { left.due == right.due && left.browser === right.browser }
  }

  /// Entries that a later announcement has overtaken stay until they come up, and are passed over then.
  private var entries = Heap<Entry>()
  private var latest: [ObjectIdentifier: Due] = [:]
  private var sleeper: (until: Instant, task: Task<Void, Never>)?
  private let wallClock: @Sendable () -> Instant
  private let sleep: @Sendable (Instant) async throws -> Void
  private let due: AsyncStream<Browser>
  private let hand: AsyncStream<Browser>.Continuation

  /// - Parameters:
  ///   - wallClock: the machine's time.
  ///   - sleep: returns at an instant of it, or throws when its task is cancelled.
  package init(wallClock: @escaping @Sendable () -> Instant, sleep: @escaping @Sendable (Instant) async throws -> Void) {
    self.wallClock = wallClock
    self.sleep = sleep
    (due, hand) = AsyncStream.makeStream()
  }

  /// Runs browsers as they become due, until `stop`; then waits for those that are under way.
  package func run(onFault: @escaping @Sendable (Browser, any Error) -> Void) async {
    await withDiscardingTaskGroup { group in
      for await browser in due {
        group.addTask {
          do { try await browser.runDue() } catch {
            onFault(browser, error)
            // What failed is still due: once more in a minute.
            await self.repeat(browser, at: self.wallClock() + .minutes(1))
          }
        }
      }
    }
  }

  package func stop() {
    sleeper?.task.cancel()
    hand.finish()
  }

  /// Takes note of when a browser is due next, unless something newer is known.
  package func schedule(_ browser: Browser, _ due: Due) {
    let id = ObjectIdentifier(browser)
    if let known = latest[id], known.version > due.version { return }
    latest[id] = due
    if let instant = due.at { entries.insert(Entry(due: instant, browser: browser)) }
    wake()
  }

  /// A browser that is gone is never due.
  package func forget(_ browser: Browser) {
    latest[ObjectIdentifier(browser)] = nil
  }

  private func `repeat`(_ browser: Browser, at instant: Instant) {
    guard let known = latest[ObjectIdentifier(browser)] else { return }
    schedule(browser, Due(at: instant, version: known.version))
  }

  private func wake() {
    let now = wallClock()
    while let first = entries.min {
      guard latest[ObjectIdentifier(first.browser)]?.at == first.due else {
        _ = entries.popMin()
        continue
      }
      guard first.due <= now else { return sleepUntil(first.due) }
      _ = entries.popMin()
      hand.yield(first.browser)
    }
    sleeper?.task.cancel()
    sleeper = nil
  }

  private func sleepUntil(_ instant: Instant) {
    guard sleeper?.until != instant else { return }
    sleeper?.task.cancel()
    let sleep = sleep
    let task = Task {
      do { try await sleep(instant) } catch { return }
      self.slept(until: instant)
    }
    sleeper = (instant, task)
  }

  private func slept(until instant: Instant) {
    if sleeper?.until == instant { sleeper = nil }
    wake()
  }
}
