import NIOConcurrencyHelpers
package import PCMCore
import PCMStore

/// A use of a browser: a call that is under way, or an open stream. It ends when the last reference is released.
package final class UseToken: Sendable {
  package let browser: Browser

  package init(of browser: Browser) {
    self.browser = browser
    browser.usage.withLockedValue { $0.count += 1 }
  }

  deinit {
    browser.noteUse()
    browser.usage.withLockedValue { $0.count -= 1 }
  }
}

/// The uses of a browser that are under way, and the time of the last one.
struct Usage: Sendable {
  var count = 0
  /// The machine's time. It is not stored: after a restart, the idle time begins anew.
  var lastUse: Instant
  /// Whether there was a use since the start of the service.
  var isUsed = false
  /// The last use that other instances know of.
  var recordedUse: Instant
  /// The number of recorded uses of all instances that this instance knows.
  var knownCount: Int64 = 0
  /// The machine's time at which this instance found a use recorded by another instance.
  var foundUse: Instant

  init(openedAt instant: Instant) { (lastUse, recordedUse, foundUse) = (instant, instant, instant) }
}

extension Browser {
  func noteUse() {
    let now = environment.wallClock()
    usage.withLockedValue { usage in
      usage.lastUse = now
      usage.isUsed = true
    }
  }

  /// The machine's time of the last call since the start of the service. Without one, the time of the creation.
  package var lastUsedAt: Instant { usage.withLockedValue { $0.isUsed ? $0.lastUse : record.createdAt } }

  /// Follows a clock that was set. A use since then has the new time already: after a clock was set back or forward, it is not in
  /// the future.
  func moveLastUse(by interval: Interval, at now: Instant) {
    usage.withLockedValue { usage in
      for time in [\Usage.lastUse, \.recordedUse, \.foundUse] where interval.milliseconds > 0 || usage[keyPath: time] > now {
        usage[keyPath: time] = min(usage[keyPath: time] + interval, now)
      }
    }
  }

  /// Whether the browser was not used for its idle timeout.
  func isIdle(at instant: Instant) -> Bool {
    guard let timeout = upkeep.idleTimeout else { return false }
    return usage.withLockedValue { $0.count == 0 && instant >= max($0.lastUse, $0.foundUse) + timeout }
  }
}
