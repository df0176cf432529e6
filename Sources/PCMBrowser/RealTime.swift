import NIOConcurrencyHelpers
package import PCMCore
import PCMStore

/// The scheduler for all browsers on the real clock. It sleeps until the earliest due instant and then runs the browsers
/// that are due.
///
/// It reads the machine's clock at least once a minute while something is due, so that it follows a clock that is set.
///
/// It uses a lock, not an actor: each attributed triggering event announces its browser's due time, and should not wait for
/// a thread to do so.
package final class RealTime: Sendable {
  private struct Line {
    /// The browsers with an announcement that are not deleted, each with the log's length at the latest announcement.
    var known: [ObjectIdentifier: (browser: Browser, version: Int64)] = [:]
    var queue = DueQueue<ObjectIdentifier>()
    var sleeper: (until: Instant, task: Task<Void, Never>)?
  }

  private let line: NIOLockedValueBox<Line>
  private let wallClock: @Sendable () -> Instant
  private let sleep: @Sendable (Instant) async throws -> Void
  private let due: AsyncStream<Browser>
  private let dueContinuation: AsyncStream<Browser>.Continuation

  /// - Parameters:
  ///   - wallClock: Returns the machine's time.
  ///   - sleep: Returns at an instant of the machine's time, or throws when its task is canceled.
  package init(wallClock: @escaping @Sendable () -> Instant, sleep: @escaping @Sendable (Instant) async throws -> Void) {
    self.wallClock = wallClock
    self.sleep = sleep
    line = NIOLockedValueBox(Line())
    (due, dueContinuation) = AsyncStream.makeStream()
  }

  /// The number of browsers that wait for their due instants.
  package var count: Int { line.withLockedValue { $0.queue.count } }

  /// Runs browsers as they become due, until `stop`. Then waits for those that are running.
  package func run(onFault: @escaping @Sendable (Browser, any Error) -> Void) async {
    await withDiscardingTaskGroup { group in
      for await browser in due {
        group.addTask {
          do {
            try await browser.runDue()
          } catch is CancellationError {
            // The service is stopping, and nothing was done.
          } catch StoreError.unknownBrowser {
            // Another process deleted the browser, or this one does in the meantime.
            self.forget(browser)
          } catch {
            onFault(browser, error)
            // The failed work is still due: retry in a minute.
            self.repeat(browser, at: self.wallClock() + .minutes(1))
          }
        }
      }
    }
  }

  package func stop() {
    line.withLockedValue { $0.sleeper }?.task.cancel()
    dueContinuation.finish()
  }

  /// Schedules a browser's next due time, unless a newer announcement exists.
  package func schedule(_ browser: Browser, _ due: Due) {
    let id = ObjectIdentifier(browser)
    line.withLockedValue { line in
      guard !browser.isDeleted, due.version >= line.known[id]?.version ?? .min else { return }
      line.known[id] = (browser, due.version)
      line.queue.set(id, due: due.at)
      wake(&line)
    }
  }

  /// Removes a deleted browser. A concurrent announcement does not schedule it again.
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
      guard first.due <= now else { return sleepUntil(min(first.due, now + WallSleep.period), &line) }
      line.queue.remove(first.key)
      if let browser = line.known[first.key]?.browser { dueContinuation.yield(browser) }
    }
    line.sleeper?.task.cancel()
    line.sleeper = nil
  }

  private func sleepUntil(_ instant: Instant, _ line: inout Line) {
    // An earlier wake-up does no harm, and a new one for each announcement would cost a task each.
    if let sleeper = line.sleeper, sleeper.until <= instant { return }
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
