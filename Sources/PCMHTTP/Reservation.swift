import NIOConcurrencyHelpers

/// A share of something limited, which is free again when it is released, or when the last reference to the object is gone.
final class Reservation: Sendable {
  private let onRelease: NIOLockedValueBox<(@Sendable () -> Void)?>

  /// - Parameter onRelease: Makes the share free. It is called once.
  init(onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = NIOLockedValueBox(onRelease)
  }

  deinit { release() }

  func release() {
    let free = onRelease.withLockedValue { onRelease in
      defer { onRelease = nil }
      return onRelease
    }
    free?()
  }
}
