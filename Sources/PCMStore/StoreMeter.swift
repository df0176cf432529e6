package import PCMCore

/// Receives the duration of each transaction of a browser, the events of each committed one, and late results.
package struct StoreMeter: Sendable {
  /// A monotonic clock.
  package let uptime: @Sendable () -> Duration
  package let didRead: @Sendable (StorageKind, Duration) -> Void
  package let didWrite: @Sendable (StorageKind, Duration, [any BrowserEvent]) -> Void
  /// Called when the result of an attempt is dropped because another instance has taken over its browser.
  package let didDropAttempt: @Sendable () -> Void

  package init(
    uptime: @escaping @Sendable () -> Duration, didRead: @escaping @Sendable (StorageKind, Duration) -> Void,
    didWrite: @escaping @Sendable (StorageKind, Duration, [any BrowserEvent]) -> Void,
    didDropAttempt: @escaping @Sendable () -> Void = {}
  ) {
    (self.uptime, self.didRead, self.didWrite, self.didDropAttempt) = (uptime, didRead, didWrite, didDropAttempt)
  }

  package static let none = StoreMeter(uptime: { .zero }, didRead: { _, _ in }, didWrite: { _, _, _ in })
}
