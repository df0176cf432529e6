import Synchronization

/// A value that one thread at a time may touch.
///
/// The lock is the standard library's, which needs no import of a C library on any platform. Its futex calls are
/// invisible to the thread sanitizer, which then reports every locked access as a race; the atomic beside it hands over
/// in a way that the sanitizer understands, and costs two plain moves on x86.
package final class Locked<Value>: Sendable {
  private let mutex: Mutex<Value>
  private let handover = Atomic<Bool>(false)

  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  package func withLock<Answer: Sendable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    try mutex.withLock { value throws(Failure) in
      _ = handover.load(ordering: .acquiring)
      defer { handover.store(true, ordering: .releasing) }
      return try body(&value)
    }
  }
}
