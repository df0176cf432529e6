import Foundation

/// Wakes a thread before the end of its pause, which a monotonic clock measures: on Linux, a semaphore waits by the machine's clock,
/// and so as much longer as that is set back.
///
/// It is a pipe, whose ends close with the last reference.
final class WakeUp: Sendable {
  private let reader: Int32
  private let writer: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw PostgresError(.unreachable, "pipe: \(String(cString: strerror(errno)))") }
    (reader, writer) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
  }

  deinit {
    close(reader)
    close(writer)
  }

  /// Ends the current pause, or the next one.
  func signal() {
    var byte: UInt8 = 0
    // A full pipe also wakes the thread.
    _ = write(writer, &byte, 1)
  }

  /// Pauses the thread until the next signal, and at most for a time.
  func wait(milliseconds: Int32) {
    var descriptor = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, milliseconds) > 0 else { return }
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(reader, &bytes, bytes.count) > 0 {}
  }
}
