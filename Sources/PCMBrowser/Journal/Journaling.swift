import NIOConcurrencyHelpers
import PCMCore
import PCMStore

/// Whether a browser keeps a journal: the calls that changed it, with their inputs, for a scenario.
final class Journaling: Sendable {
  private let isOpen: NIOLockedValueBox<Bool>

  /// A scenario's limits. A journal that exceeds them could not be replayed.
  static let limits = JournalLimits(maximumCount: 1_000, maximumBytes: 262_144)

  init(isOpen: Bool) {
    self.isOpen = NIOLockedValueBox(isOpen)
  }

  /// Returns the name and the value of a call, as in a scenario's step, with the value as text; nil when no journal is kept. After
  /// its end, a call costs nothing.
  func call(_ name: String, _ value: @autoclosure () throws -> JSON) rethrows -> JSON.Member? {
    guard isOpen.withLockedValue({ $0 }) else { return nil }
    return JSON.Member(name, .verbatim(try value().text))
  }

  /// Stops after the end of the journal was committed.
  func stop() { isOpen.withLockedValue { $0 = false } }
}
