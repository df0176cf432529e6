import NIOConcurrencyHelpers
package import PCMCore
package import PCMStore

/// The scheduler for all browsers on the real clock. It sleeps until the earliest saved due time, and then claims the browsers that
/// are due, and runs them.
///
/// It reads the machine's clock at least once a minute while something is due, so that it follows a clock that is set. Over a shared
/// store, it looks for work each second, because other instances also save due times, and may end.
///
/// It uses a lock, not an actor: each attributed triggering event announces its browser's due time, and should not wait for
/// a thread to do so.
package final class RealTime: Sendable {
  private struct Line {
    var sleeper: (until: Instant, task: Task<Void, Never>)?
    /// The number of claimed browsers that run.
    var runCount = 0
  }

  private let line = NIOLockedValueBox(Line())
  private let wallClock: @Sendable () -> Instant
  private let sleep: @Sendable (Instant) async throws -> Void
  private let rounds: AsyncStream<Void>
  private let nextRound: AsyncStream<Void>.Continuation

  /// The number of browsers that run at a time. Each sends one report at a time, so more claims would wait, while another instance
  /// may have capacity for them.
  private static let capacity = RequestKind.reports.capacity
  /// The number of runs that end between two rounds, so that many browsers are claimed at once.
  private static let batch = capacity / 4
  /// The time between two looks at a shared store.
  private static let sharedPeriod = Interval.seconds(1)
  /// The time between two looks at a store that fails.
  private static let faultPeriod = Interval.seconds(10)

  /// - Parameters:
  ///   - wallClock: Returns the machine's time.
  ///   - sleep: Returns at an instant of the machine's time, or throws when its task is canceled.
  package init(wallClock: @escaping @Sendable () -> Instant, sleep: @escaping @Sendable (Instant) async throws -> Void) {
    self.wallClock = wallClock
    self.sleep = sleep
    (rounds, nextRound) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    nextRound.yield()
  }

  /// Runs browsers as they become due, until `stop`. Then waits for the running browsers.
  ///
  /// - Parameter onFault: Called with an error, and with its browser; nil when it concerns no particular browser.
  package func run(
    _ browsers: Browsers, onFault: @escaping @Sendable (BrowserRecord?, any Error) -> Void
  ) async {
    await withDiscardingTaskGroup { group in
      // The stores whose last claim failed, but may have taken effect. An instance of a shared store has another number then.
      var inDoubt: Set<Int> = []
      for await _ in rounds {
        for (index, store) in browsers.allStores.enumerated() {
          do {
            for record in try await takeOver(from: store) {
              group.addTask { await self.run(record, of: browsers, onFault) { try await $0.recover() } }
            }
            for record in try await inDoubt.contains(index) ? claimed(in: store) : claim(from: store) {
              group.addTask { await self.run(record, of: browsers, onFault) { try await $0.runDueWork() } }
            }
            inDoubt.remove(index)
            if store.isShared { wake(by: wallClock() + Self.sharedPeriod) }
          } catch {
            onFault(nil, error)
            if !store.isShared { inDoubt.insert(index) }
            wake(by: wallClock() + Self.faultPeriod)
          }
        }
      }
      // The browsers that wait for another try.
      group.cancelAll()
    }
  }

  package func stop() {
    line.withLockedValue { $0.sleeper }?.task.cancel()
    nextRound.finish()
  }

  /// Looks for browsers that are due at an instant.
  package func wake(by instant: Instant) {
    line.withLockedValue { line in
      let now = wallClock()
      guard instant > now else {
        _ = nextRound.yield()
        return
      }
      let until = min(instant, now + WallSleep.period)
      // An earlier round does no harm, and a new sleeper for each announcement would cost a task each.
      if let sleeper = line.sleeper, sleeper.until <= until { return }
      line.sleeper?.task.cancel()
      let task = Task { [sleep] in
        do { try await sleep(until) } catch { return }
        self.slept(until: until)
      }
      line.sleeper = (until, task)
    }
  }

  private func slept(until instant: Instant) {
    line.withLockedValue { line in
      if line.sleeper?.until == instant { line.sleeper = nil }
    }
    nextRound.yield()
  }

  /// Claims the browsers of instances that are gone.
  private func takeOver(from store: any Store) async throws -> [BrowserRecord] {
    let abandoned = try await store.claimAbandoned(limit: Self.capacity)
    line.withLockedValue { $0.runCount += abandoned.count }
    return abandoned
  }

  /// Returns the claimed browsers. A running browser runs once more, without an effect.
  private func claimed(in store: any Store) async throws -> [BrowserRecord] {
    let claimed = try await store.claimed()
    line.withLockedValue { $0.runCount += claimed.count }
    wake(by: wallClock())
    return claimed
  }

  /// Claims due browsers, up to the capacity.
  private func claim(from store: any Store) async throws -> [BrowserRecord] {
    guard store.mayAct, let next = try await store.nextDueTime() else { return [] }
    let (now, free) = (wallClock(), line.withLockedValue { Self.capacity - $0.runCount })
    guard next <= now else {
      wake(by: next)
      return []
    }
    // The ends of some runs are followed by a round.
    guard free > 0 else { return [] }
    let claimed = try await store.claimDue(by: now, limit: free)
    line.withLockedValue { $0.runCount += claimed.count }
    // A browser that changes at this moment, or that is damaged, may not be claimed.
    wake(by: claimed.isEmpty ? now + WallSleep.period : now)
    return claimed
  }

  private func run(
    _ record: BrowserRecord, of browsers: Browsers, _ onFault: @Sendable (BrowserRecord?, any Error) -> Void,
    _ work: @Sendable (Browser) async throws -> Void
  ) async {
    var isDone = await attempt(record, of: browsers, onFault, work)
    let runCount = line.withLockedValue { line in
      line.runCount -= 1
      return line.runCount
    }
    if runCount.isMultiple(of: Self.batch) { nextRound.yield() }
    while !isDone {
      // The browser stays claimed, and its work is still due: retry in a minute.
      do { try await sleep(wallClock() + .minutes(1)) } catch { return }
      isDone = await attempt(record, of: browsers, onFault, work)
    }
  }

  /// Returns whether the work is done, or is not to be tried again.
  private func attempt(
    _ record: BrowserRecord, of browsers: Browsers, _ onFault: (BrowserRecord?, any Error) -> Void,
    _ work: (Browser) async throws -> Void
  ) async -> Bool {
    do {
      if let browser = try await browsers.browser(record) { try await work(browser) }
      return true
    } catch is CancellationError {
      // The service is stopping, and nothing was done.
      return true
    } catch StoreError.unknownBrowser {
      // The browser was deleted, by this process or by another process.
      return true
    } catch {
      onFault(record, error)
      // A browser with a damaged row stays claimed, so that the rounds skip it.
      if case StoreError.unreadable = error { return true }
      return false
    }
  }
}
