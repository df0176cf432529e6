import CCurl
import NIOConcurrencyHelpers
import PCMNetwork

/// The loop on one of the transport's threads: it takes transfers from the inbox, performs them with libcurl, and resumes their
/// callers.
///
/// `@unchecked Sendable`: other threads only access the locked inbox and `MultiHandle.wake`. All other state is accessed
/// only by `run` and its callees, on the multi handle's thread, and each of those paths passes the
/// multi handle's check.
final class CurlLoop: @unchecked Sendable {
  private let inbox = NIOLockedValueBox(Inbox())
  private let multi: MultiHandle
  private let limit: Int
  /// Transfers that wait for capacity, oldest first from `nextWaiting` on.
  private var waiting: [Transfer] = []
  private var nextWaiting = 0
  private var underWay: [UnsafeMutableRawPointer: Transfer] = [:]
  private var idleHandles: [EasyHandle] = []
  private var scopes = RouteScopes()

  init(maximumInFlight: Int) throws {
    limit = maximumInFlight
    multi = try MultiHandle(maximumConnections: maximumInFlight)
  }

  // MARK: From any thread

  /// Returns false when the loop is closed. It then does not resume the continuation.
  func submit(_ transfer: Transfer, resuming continuation: CheckedContinuation<Exchange, Never>) -> Bool {
    leave { inbox in
      guard !inbox.isClosing else { return false }
      transfer.whenAnswered(resume: continuation)
      inbox.arrivals.append(transfer)
      return true
    }
  }

  func cancel(_ transfer: Transfer) {
    _ = leave { inbox in
      guard !inbox.isClosing else { return false }
      inbox.cancellations.append(transfer)
      return true
    }
  }

  func requestEnd() {
    _ = leave { inbox in
      defer { inbox.isClosing = true }
      return !inbox.isClosing
    }
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

  private func leave(_ change: (inout Inbox) -> Bool) -> Bool {
    let (isLeft, mustWake) = inbox.withLockedValue { inbox in
      guard change(&inbox) else { return (false, false) }
      return (true, inbox.needsWake())
    }
    if mustWake { multi.wake() }
    return isLeft
  }

  // MARK: On the loop thread

  func run() {
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
      // libcurl does not say which transfers are affected. Later ones are not.
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
      case .underWay(let handle, _): transfer.answer(take(handle) { $0.exchange(failure: canceled) })
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
      let scope = try scopes.enter(transfer.route)
      transfer.state = .underWay(handle, scope)
      underWay[handle.pointer] = transfer
      do throws(CurlError) {
        try handle.prepare(transfer, scope: scope)
        try multi.add(handle)
      } catch {
        transfer.answer(take(handle) { _ in Exchange(failure: error.failure, insecure: transfer.route.insecure) })
      }
    } catch {
      transfer.answer(error.failure)
    }
  }

  /// Ends a handle's transfer, which may be in progress, and prepares the handle for reuse.
  private func take(_ handle: EasyHandle, _ read: (EasyHandle) -> Exchange) -> Exchange {
    multi.remove(handle)
    let exchange = read(handle)
    let transfer = underWay.removeValue(forKey: handle.pointer)
    if handle.isInspecting { transfer?.facts = handle.facts }
    if let scope = handle.finish() { scopes.leave(scope) }
    if handle.isReusable { idleHandles.append(handle) }
    return exchange
  }

  /// Returns whether any transfers were finished. All of them are removed first and resumed together, so that the tasks
  /// submit their next transfers in one burst.
  private func answerFinished() -> Bool {
    var finished: [(transfer: Transfer, exchange: Exchange)] = []
    while let (pointer, result) = multi.nextFinished() {
      guard let transfer = underWay[pointer], case .underWay(let handle, _) = transfer.state else { continue }
      finished.append((transfer, take(handle) { $0.exchange(result) }))
    }
    for (transfer, exchange) in finished { transfer.answer(exchange) }
    return !finished.isEmpty
  }

  private func endTransfers(_ failure: TransportFailure) {
    for transfer in underWay.values {
      if case .underWay(let handle, _) = transfer.state { transfer.answer(take(handle) { $0.exchange(failure: failure) }) }
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
    scopes.removeAll()
    let closers = inbox.withLockedValue { inbox in
      inbox.isFinished = true
      return inbox.closers
    }
    for closer in closers { closer.resume() }
  }
}
