package import PCMCore

/// The one sleeper for all browsers on the real clock: it sleeps until the earliest of their due instants, then hands the
/// browsers over that are due.
package actor RealTime {
  /// The browsers that are not deleted and have announced something, and the log's length at the latest announcement.
  private var known: [ObjectIdentifier: (browser: Browser, version: Int64)] = [:]
  private var queue = DueQueue<ObjectIdentifier>()
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

  /// How many browsers wait for their instants.
  package var count: Int { queue.count }

  /// Runs browsers as they become due, until `stop`; then waits for those that are under way.
  package func run(onFault: @escaping @Sendable (Browser, any Error) -> Void) async {
    await withDiscardingTaskGroup { group in
      for await browser in due {
        group.addTask {
          do {
            try await browser.runDue()
          } catch is CancellationError {
            // The service stops, and nothing was done.
          } catch {
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
    guard !browser.isDeleted, due.version >= known[id]?.version ?? .min else { return }
    known[id] = (browser, due.version)
    queue.set(id, due: due.at)
    wake()
  }

  /// Drops a browser. One that is deleted is not scheduled again, even by an announcement that is on its way.
  package func forget(_ browser: Browser) {
    known[ObjectIdentifier(browser)] = nil
    queue.remove(ObjectIdentifier(browser))
    wake()
  }

  private func `repeat`(_ browser: Browser, at instant: Instant) {
    guard let known = known[ObjectIdentifier(browser)] else { return }
    schedule(browser, Due(at: instant, version: known.version))
  }

  private func wake() {
    let now = wallClock()
    while let first = queue.first {
      guard first.due <= now else { return sleepUntil(first.due) }
      queue.remove(first.key)
      if let browser = known[first.key]?.browser { hand.yield(browser) }
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
