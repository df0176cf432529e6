import NIOConcurrencyHelpers
package import PCMCore

/// The one sleeper for all browsers on the real clock: it sleeps until the earliest of their due instants, then hands the
/// browsers over that are due.
///
/// A lock and not an actor: each attributed triggering event announces when its browser is due, and none should wait for
/// a thread to do so.
package final class RealTime: Sendable {
  private struct Line {
    /// The browsers that are not deleted and have announced something, and the log's length at the latest announcement.
    var known: [ObjectIdentifier: (browser: Browser, version: Int64)] = [:]
    var queue = DueQueue<ObjectIdentifier>()
    var sleeper: (until: Instant, task: Task<Void, Never>)?
  }

  private let line = NIOLockedValueBox(Line())
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
  package var count: Int { line.withLockedValue { $0.queue.count } }

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
            self.repeat(browser, at: self.wallClock() + .minutes(1))
          }
        }
      }
    }
  }

  package func stop() {
    line.withLockedValue { $0.sleeper }?.task.cancel()
    hand.finish()
  }

  /// Takes note of when a browser is due next, unless something newer is known.
  package func schedule(_ browser: Browser, _ due: Due) {
    let id = ObjectIdentifier(browser)
    line.withLockedValue { line in
      guard !browser.isDeleted, due.version >= line.known[id]?.version ?? .min else { return }
      line.known[id] = (browser, due.version)
      line.queue.set(id, due: due.at)
      wake(&line)
    }
  }

  /// Drops a browser. One that is deleted is not scheduled again, even by an announcement that is on its way.
  package func forget(_ browser: Browser) {
    let id = ObjectIdentifier(browser)
    line.withLockedValue { line in
      line.known[id] = nil
      line.queue.remove(id)
      wake(&line)
    }
  }

  private func `repeat`(_ browser: Browser, at instant: Instant) {
    guard let version = line.withLockedValue({ $0.known[ObjectIdentifier(browser)]?.version }) else { return }
    schedule(browser, Due(at: instant, version: version))
  }

  private func wake(_ line: inout Line) {
    let now = wallClock()
    while let first = line.queue.first {
      guard first.due <= now else { return sleepUntil(first.due, &line) }
      line.queue.remove(first.key)
      if let browser = line.known[first.key]?.browser { hand.yield(browser) }
    }
    line.sleeper?.task.cancel()
    line.sleeper = nil
  }

  private func sleepUntil(_ instant: Instant, _ line: inout Line) {
    guard line.sleeper?.until != instant else { return }
    line.sleeper?.task.cancel()
    let task = Task { [sleep] in
      do { try await sleep(instant) } catch { return }
      self.slept(until: instant)
    }
    line.sleeper = (instant, task)
  }

  private func slept(until instant: Instant) {
    line.withLockedValue { line in
      if line.sleeper?.until == instant { line.sleeper = nil }
      wake(&line)
    }
  }
}
