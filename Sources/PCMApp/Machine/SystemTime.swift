import PCMCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The machine's clock. Nothing else in the program reads it.
enum SystemTime {
  static var now: Instant {
    Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)))
  }

  /// A clock that nobody sets, from now on.
  static func uptime() -> @Sendable () -> Duration {
    let start = ContinuousClock.now
    return { start.duration(to: .now) }
  }

  /// Sleeps in pieces of at most a minute, so that a machine that was suspended, or whose clock was set, is at most so
  /// late.
  static func sleep(until instant: Instant) async throws {
    while true {
      let remaining = instant - now
      guard remaining.milliseconds > 0 else { return }
      try await Task.sleep(for: .milliseconds(min(remaining.milliseconds, Interval.minutes(1).milliseconds)))
    }
  }
}

extension SystemTime {
  /// Sleeps for as long as a fault was ordered to take.
  static func sleep(for interval: Interval) async throws {
    try await Task.sleep(for: .milliseconds(interval.milliseconds))
  }
}

/// The machine's chance, for seeds, and for nonces, which nobody may guess: every other draw comes from a seed.
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
