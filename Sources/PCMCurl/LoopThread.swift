import NIOConcurrencyHelpers

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// One thread of its own for one function. It ends when the function returns and is then joined or let go, once.
final class LoopThread: Sendable {
  private let thread: NIOLockedValueBox<pthread_t?>

  /// `body` holds whatever it needs; the thread keeps nothing else alive.
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

  /// Waits for the thread's end. For callers who know that it is near.
  func join() {
    if let thread = take() { pthread_join(thread, nil) }
  }

  /// Lets the thread end by itself.
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

/// With all signals blocked: they are for the program's own threads, and a write to a connection that the other side
/// has closed answers with an error instead of `SIGPIPE`, which libcurl leaves to its user when `NOSIGNAL` is set.
private func run(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  let start = Unmanaged<LoopThread.Start>.fromOpaque(context).takeRetainedValue()
  var signals = sigset_t()
  sigfillset(&signals)
  pthread_sigmask(SIG_BLOCK, &signals, nil)
  start.body()
  return nil
}
