package import PCMCore

/// Receives the duration of each transaction of a browser, and the events of each committed one.
package struct StoreMeter: Sendable {
  /// A monotonic clock.
  package let uptime: @Sendable () -> Duration
  package let didRead: @Sendable (StorageKind, Duration) -> Void
  package let didWrite: @Sendable (StorageKind, Duration, [any BrowserEvent]) -> Void

  package init(
    uptime: @escaping @Sendable () -> Duration, didRead: @escaping @Sendable (StorageKind, Duration) -> Void,
    didWrite: @escaping @Sendable (StorageKind, Duration, [any BrowserEvent]) -> Void
  ) {
    (self.uptime, self.didRead, self.didWrite) = (uptime, didRead, didWrite)
  }

  package static let none = StoreMeter(uptime: { .zero }, didRead: { _, _ in }, didWrite: { _, _, _ in })
}
