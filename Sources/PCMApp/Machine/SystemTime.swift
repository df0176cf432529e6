import Foundation
import PCMBrowser
import PCMCore

/// The machine's clock. Only this type reads it.
enum SystemTime {
  static var now: Instant {
    Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
  }

  /// A monotonic clock that starts now.
  static func uptime() -> @Sendable () -> Duration {
    let start = ContinuousClock.now
    return { start.duration(to: .now) }
  }

  /// Sleeps until an instant, also when the clock is set in the meantime.
  static func sleep(until instant: Instant) async throws {
    try await WallSleep.until(instant, wallClock: { now }, pause: sleep(for:))
  }
}

extension SystemTime {
  /// Sleeps for a time that is exact to the machine's timers.
  static func sleep(microseconds: Int64) async throws {
    try await Task.sleep(for: .microseconds(microseconds), tolerance: .zero)
  }

  /// Sleeps for the duration of an ordered fault.
  static func sleep(for interval: Interval) async throws {
    try await Task.sleep(for: .milliseconds(interval.milliseconds))
  }
}

/// The machine's randomness, for seeds and unpredictable nonces. All other draws come from a seed.
enum SystemChance {
  static func bytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in generator.next() as UInt8 }
  }

  static func number() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  /// 128 bits in hexadecimal.
  static func seed() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
