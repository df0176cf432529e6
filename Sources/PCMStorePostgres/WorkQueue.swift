internal import DequeModule
import Foundation
import NIOConcurrencyHelpers

/// Work for threads that wait, in the order of its arrival.
///
/// `@unchecked Sendable`: all variables are protected by the lock, whose value is whether a thread has something to do.
final class WorkQueue<Work: Sendable>: @unchecked Sendable {
  private let lock = ConditionLock(value: false)
  private var waiting: Deque<Work> = []
  private var isClosed = false
  private var threadCount = 0
  private var closers: [CheckedContinuation<Void, Never>] = []

  /// Starts a thread, which ends after `close`.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of pieces of work that are taken at once.
  ///   - start: Returns the function that processes the work, on the thread.
  func startThread(upTo limit: Int, _ start: @escaping @Sendable () -> ([Work]) -> Void) {
    lock.lock()
    threadCount += 1
    lock.unlock()
    Thread.startWithoutSignals { [self] in serve(upTo: limit, start) }
  }

  /// Returns whether the work was accepted. It is not when the queue is closed.
  func add(_ work: Work) -> Bool {
    lock.lock()
    defer { lock.unlock(withValue: isClosed || !waiting.isEmpty) }
    if !isClosed { waiting.append(work) }
    return !isClosed
  }

  /// Rejects new work. Returns false when the queue was closed before.
  @discardableResult
  func close() -> Bool {
    lock.lock()
    defer { lock.unlock(withValue: true) }
    defer { isClosed = true }
    return !isClosed
  }

  /// Waits until the threads have done the work that waited when the queue was closed, and have ended.
  func waitForEnd() async {
    await withCheckedContinuation { closer in
      lock.lock()
      let isEnded = threadCount == 0
      if !isEnded { closers.append(closer) }
      lock.unlock()
      if isEnded { closer.resume() }
    }
  }

  private func serve(upTo limit: Int, _ start: () -> ([Work]) -> Void) {
    do {
      // The function is released before the thread counts as ended.
      let process = start()
      while true {
        let work = take(upTo: limit)
        if work.isEmpty { break }
        process(work)
      }
    }
    lock.lock()
    threadCount -= 1
    let ended = threadCount == 0 ? closers : []
    lock.unlock()
    for closer in ended { closer.resume() }
  }

  /// Waits for work. Returns nothing when the queue is closed and empty.
  private func take(upTo limit: Int) -> [Work] {
    lock.lock(whenValue: true)
    defer { lock.unlock(withValue: isClosed || !waiting.isEmpty) }
    let work = Array(waiting.prefix(limit))
    waiting.removeFirst(work.count)
    return work
  }
}

extension Thread {
  /// Starts a thread that handles no signals, which other threads do.
  static func startWithoutSignals(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread {
      var signals = sigset_t()
      sigfillset(&signals)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      body()
    }
    thread.start()
  }
}
