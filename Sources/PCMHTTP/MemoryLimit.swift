import NIOConcurrencyHelpers

/// Limits the memory of the process. While it is exceeded, calls that could add data receive 503, and calls that read or
/// remove data continue.
///
/// Everything that callers can make the service keep is in memory or on the disk, so this limit and the size of the database
/// bound the browsers of a service together, however their data is divided.
package final class MemoryLimit: Sendable {
  private let maximum: Int
  private let residentBytes: @Sendable () -> Int
  /// The number of brief calls until the next reading; 0 while the limit is exceeded.
  private let remaining = NIOLockedValueBox(0)

  /// A reading takes as long as a tenth of a click. 64 clicks with the longest URLs take about a megabyte.
  static let briefCallsPerReading = 64
  /// The interval of `MemoryTrimming` in the service. Until then, removed data still counts.
  private static let pause = Duration.seconds(15)

  /// - Parameters:
  ///   - maximum: The maximum resident memory in bytes.
  ///   - residentBytes: Returns the resident memory of the process.
  package init(_ maximum: Int, residentBytes: @escaping @Sendable () -> Int) {
    self.maximum = maximum
    self.residentBytes = residentBytes
  }

  /// - Parameter isBrief: Whether the call adds little. Not every such call reads the memory.
  /// - Throws: `Problem` when the limit is exceeded.
  func check(isBrief: Bool) throws {
    let isDue = remaining.withLockedValue { remaining in
      remaining -= 1
      guard remaining < 0 || !isBrief else { return false }
      remaining = Self.briefCallsPerReading - 1
      return true
    }
    guard isDue else { return }
    let resident = residentBytes()
    guard resident > maximum else { return }
    remaining.withLockedValue { $0 = 0 }
    throw Problem.memoryFull(
      "the service uses \(resident) bytes of memory, more than the \(maximum) of --max-memory; delete ephemeral browsers or "
        + "their data, or start the service with a larger --max-memory", retryAfter: Self.pause)
  }
}
