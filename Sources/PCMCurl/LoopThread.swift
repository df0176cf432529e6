import Foundation
import NIOConcurrencyHelpers

/// A dedicated thread for one function. It ends when the function returns, and is joined or detached once.
final class LoopThread: Sendable {
  private let thread: NIOLockedValueBox<pthread_t?>

  /// Starts the thread. It only keeps the captures of `body` alive.
  init(_ body: @escaping @Sendable () -> Void) throws(CurlError) {
    let start = Unmanaged.passRetained(Start(body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let status = pthread_create(&thread, nil, runLoopThread, start.toOpaque())
    guard status == 0 else {
      start.release()
      throw CurlError(call: "pthread_create", text: String(cString: strerror(status)))
    }
    self.thread = NIOLockedValueBox(thread)
  }

  deinit { letGo() }

  /// Joins the thread. Call this when the end of the thread is near.
  func join() {
    if let thread = take() { pthread_join(thread, nil) }
  }

  /// Detaches the thread.
  func letGo() {
    if let thread = take() { pthread_detach(thread) }
  }

  private func take() -> pthread_t? {
    thread.withLockedValue { thread in
      defer { thread = nil }
      return thread
    }
  }

  fileprivate final class Start: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}

#if canImport(Darwin)
  private func runLoopThread(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? { run(context) }
#else
  private func runLoopThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? { context.flatMap(run) }
#endif

/// Runs the body with all signals blocked. The program's other threads handle signals, and a write to a closed connection
/// returns an error instead of raising `SIGPIPE`, which libcurl leaves to the caller when `NOSIGNAL` is set.
private func run(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  let start = Unmanaged<LoopThread.Start>.fromOpaque(context).takeRetainedValue()
  var signals = sigset_t()
  sigfillset(&signals)
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  start.body()
  return nil
}
