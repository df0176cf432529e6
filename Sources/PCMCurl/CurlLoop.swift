import CCurl
import Foundation
import NIOConcurrencyHelpers
import PCMNetwork

/// The loop on one of the transport's threads: it takes transfers from the inbox, performs them with libcurl, and resumes their
/// callers.
///
/// `@unchecked Sendable`: other threads only access the locked inbox and, under its lock, `MultiHandle.wake`. All other state is
/// accessed only by `run` and its callees, on the multi handle's thread, and each access passes the multi handle's check.
final class CurlLoop: @unchecked Sendable {
  private let inbox = NIOLockedValueBox(Inbox())
  private let multi: MultiHandle
  private let limit: Int
  /// Transfers that wait for capacity, oldest first from `nextWaiting` on.
  private var waiting: [Transfer] = []
  private var nextWaiting = 0
  private var underWay: [UnsafeMutableRawPointer: Transfer] = [:]
  private var idleHandles: [EasyHandle] = []
  /// The entries of the latest route.
  private var entries: RouteEntries?

  init(maximumInFlight: Int) throws {
    limit = maximumInFlight
    multi = try MultiHandle(maximumConnections: maximumInFlight)
  }

  /// Runs the loop on a new thread.
  func start() throws(CurlError) {
    let context = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        context.map { Unmanaged<CurlLoop>.fromOpaque($0).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw CurlError(call: "pthread_create", text: String(cString: strerror(code)))
    }
    pthread_detach(thread)
  }

  // MARK: From any thread

  /// Returns false when the loop is closed. It then does not resume the continuation.
  func submit(_ transfer: Transfer, resuming continuation: CheckedContinuation<Exchange, Never>) -> Bool {
    leave { inbox in
      transfer.whenAnswered(resume: continuation)
      inbox.arrivals.append(transfer)
    }
  }

  func cancel(_ transfer: Transfer) {
    _ = leave { $0.cancellations.append(transfer) }
  }

  func requestEnd() {
    _ = leave { $0.isClosing = true }
  }

  /// Waits until the loop has ended.
  func end() async {
    requestEnd()
    await withCheckedContinuation { continuation in
      let isFinished = inbox.withLockedValue { inbox in
        if !inbox.isFinished { inbox.closers.append(continuation) }
        return inbox.isFinished
      }
      if isFinished { continuation.resume() }
    }
  }

  /// Returns false when the loop is closed. Under the lock, so that a loop that has ended is not woken.
  private func leave(_ change: (inout Inbox) -> Void) -> Bool {
    inbox.withLockedValue { inbox in
      guard !inbox.isClosing else { return false }
      change(&inbox)
      if inbox.needsWake() { multi.wake() }
      return true
    }
  }

  // MARK: On the loop thread

  /// Runs until the loop is closed, on a dedicated thread with all signals blocked: other threads handle signals, and a write to
  /// a closed connection returns an error instead of raising `SIGPIPE`, which libcurl leaves to the caller when `NOSIGNAL` is set.
  private func run() {
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    multi.confine()
    while turn() {}
    finish(TransportFailure(.transportClosed, "the transport was closed"))
  }

  /// Performs one round. Returns false when the loop must end.
  private func turn() -> Bool {
    let burst = inbox.withLockedValue { $0.take() }
    receive(burst)
    guard !burst.isClosing else { return false }
    beginWaiting()
    do throws(CurlError) {
      try multi.perform()
    } catch {
      // libcurl does not say which transfers are affected. Later transfers are not.
      endTransfers(error.failure)
    }
    // Free capacity is used before the thread sleeps, because a new transfer makes `poll` return immediately.
    if answerFinished() { beginWaiting() }
    multi.poll()
    return true
  }

  private func receive(_ burst: Inbox.Burst) {
    let canceled = TransportFailure(.transportClosed, "the send was canceled")
    for transfer in burst.arrivals {
      if case .givenUp = transfer.state {
        transfer.answer(canceled)
      } else {
        transfer.state = .waiting
        waiting.append(transfer)
      }
    }
    for transfer in burst.cancellations {
      switch transfer.state {
      case .expected: transfer.state = .givenUp
      case .waiting: transfer.answer(canceled)
      case .underWay(let handle): transfer.answer(take(handle) { $0.exchange(failure: canceled) })
      case .givenUp, .answered: break
      }
    }
  }

  private func beginWaiting() {
    while underWay.count < limit, nextWaiting < waiting.count {
      let transfer = waiting[nextWaiting]
      nextWaiting += 1
      if case .waiting = transfer.state { begin(transfer) }
    }
    if nextWaiting == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      nextWaiting = 0
    } else if nextWaiting > 1_024 {
      waiting.removeFirst(nextWaiting)
      nextWaiting = 0
    }
  }

  private func begin(_ transfer: Transfer) {
    do throws(CurlError) {
      let handle = if let idle = idleHandles.popLast() { idle } else { try EasyHandle() }
      let entries = try entries(of: transfer.route)
      transfer.state = .underWay(handle)
      underWay[handle.pointer] = transfer
      do throws(CurlError) {
        try handle.prepare(transfer, entries)
        try multi.add(handle)
      } catch {
        transfer.answer(take(handle) { _ in Exchange(failure: error.failure, insecure: transfer.route.insecure) })
      }
    } catch {
      transfer.answer(error.failure)
    }
  }

  private func entries(of route: NetworkRoute) throws(CurlError) -> RouteEntries {
    if let entries, entries.belong(to: route) { return entries }
    let entries = try RouteEntries(route)
    self.entries = entries
    return entries
  }

  /// Ends a handle's transfer, which may be in progress, and prepares the handle for reuse.
  private func take(_ handle: EasyHandle, _ read: (EasyHandle) -> Exchange) -> Exchange {
    multi.remove(handle)
    let exchange = read(handle)
    let transfer = underWay.removeValue(forKey: handle.pointer)
    if handle.isInspecting { transfer?.facts = handle.facts }
    handle.finish()
    if handle.isReusable { idleHandles.append(handle) }
    return exchange
  }

  /// Returns whether any transfers were finished. All of them are removed first and resumed together, so that the tasks
  /// submit their next transfers in one burst.
  private func answerFinished() -> Bool {
    var finished: [(transfer: Transfer, exchange: Exchange)] = []
    while let (pointer, result) = multi.nextFinished() {
      guard let transfer = underWay[pointer], case .underWay(let handle) = transfer.state else { continue }
      finished.append((transfer, take(handle) { $0.exchange(result) }))
    }
    for (transfer, exchange) in finished { transfer.answer(exchange) }
    return !finished.isEmpty
  }

  private func endTransfers(_ failure: TransportFailure) {
    for transfer in underWay.values {
      if case .underWay(let handle) = transfer.state { transfer.answer(take(handle) { $0.exchange(failure: failure) }) }
    }
  }

  /// Resumes all remaining callers, closes all connections, and resumes the tasks that wait for the end.
  private func finish(_ failure: TransportFailure) {
    endTransfers(failure)
    for transfer in waiting[nextWaiting...] {
      if case .waiting = transfer.state { transfer.answer(failure) }
    }
    waiting.removeAll()
    idleHandles.removeAll()
    entries = nil
    multi.close()
    let closers = inbox.withLockedValue { inbox in
      inbox.isFinished = true
      return inbox.closers
    }
    for closer in closers { closer.resume() }
  }
}
