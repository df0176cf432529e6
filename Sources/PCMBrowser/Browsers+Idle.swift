package import PCMCore
import PCMStore

extension Browsers {
  /// Removes the browsers that were not used for their idle timeouts, again and again, until the task is canceled. Setting the
  /// machine's clock makes no browser idle.
  ///
  /// Over a shared store, each round also announces uses to the other instances, and a browser is removed two rounds later: a use since the
  /// other instance's last round is not known before.
  ///
  /// - Parameters:
  ///   - period: The machine's time between two rounds.
  ///   - onFault: Called when a browser cannot be removed. The next round tries again.
  package func removeIdleBrowsers(
    every period: Interval, onFault: @escaping @Sendable (Browser, any Error) -> Void
  ) async {
    while true {
      let expected = environment.wallClock() + period
      guard (try? await environment.sleep(expected)) != nil else { return }
      let now = environment.wallClock()
      if !ClockJump.tolerance.contains(now - expected) {
        for browser in all { browser.moveLastUse(by: now - expected, at: now) }
      }
      for store in allStores where store.isShared {
        // The scheduler reports a store that fails.
        try? await recordUses(in: store, onFault: onFault)
      }
      for browser in all {
        let instant = browser.store.isShared ? now - period - period : now
        guard browser.isIdle(at: instant) else { continue }
        do { try await removeIfIdle(browser, at: instant) } catch { onFault(browser, error) }
      }
    }
  }
}

private enum ClockJump {
  /// The difference between two rounds that is not due to a clock that was set.
  static let tolerance: ClosedRange<Interval> = Interval.minutes(-1)...Interval.minutes(1)
}

/// The names of the browsers that were removed last because they were idle, for the explanation of a 404.
struct IdleNames: Sendable {
  private var names: Set<BrowserName> = []
  private var order: [BrowserName] = []

  static let maximumCount = 1_000

  func contains(_ name: BrowserName) -> Bool { names.contains(name) }

  mutating func insert(_ name: BrowserName) {
    guard names.insert(name).inserted else { return }
    order.append(name)
    if order.count > Self.maximumCount { names.remove(order.removeFirst()) }
  }

  mutating func remove(_ name: BrowserName) {
    if names.remove(name) != nil { order.removeAll { $0 == name } }
  }
}
