import BrowserSupport
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMDelivery
import PCMStore
import Testing

/// One call at a time, and calls that are canceled while they wait.
@Suite struct TurnTests {
  @Test("a call that is canceled before its turn does nothing, and the next one follows")
  func canceledCall() async throws {
    let (mutex, log, gate) = (AsyncMutex(), NIOLockedValueBox<[Int]>([]), Gate())
    let calls = await Self.start(4, mutex, log, gate)
    calls[1].cancel()
    calls[2].cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await calls[1].value }
    await #expect(throws: CancellationError.self) { try await calls[2].value }
    try await calls[3].value
    #expect(log.withLockedValue { $0 } == [0, 3])
  }

  @Test("a call that is canceled during its turn completes")
  func canceledDuringItsTurn() async throws {
    let (mutex, log, gate) = (AsyncMutex(), NIOLockedValueBox<[Int]>([]), Gate())
    let calls = await Self.start(2, mutex, log, gate)
    calls[0].cancel()
    gate.open()
    for call in calls { try await call.value }
    #expect(log.withLockedValue { $0 } == [0, 1])
  }

  @Test("a body that throws gives the turn back")
  func failingBody() async throws {
    struct Failure: Error {}
    let mutex = AsyncMutex()
    await #expect(throws: Failure.self) { try await mutex.withLock { throw Failure() } }
    #expect(try await mutex.withLock { 7 } == 7)
  }

  @Test("a call whose wait is never run leaves the queue, and so does one whose wait ends before it is run")
  func abandonedWait() async throws {
    struct Failure: Error {}
    let (mutex, log, gate) = (AsyncMutex(), NIOLockedValueBox<[Int]>([]), Gate())
    let calls = await Self.start(1, mutex, log, gate)
    let unrun: (@escaping @Sendable () async throws -> Void) async throws -> Void = { _ in throw Failure() }
    let endedEarly: (@escaping @Sendable () async throws -> Void) async throws -> Void = { _ in
      gate.open()
      try await calls[0].value
      throw Failure()
    }
    for waiting in [unrun, endedEarly] {
      await #expect(throws: Failure.self) {
        try await mutex.withLock(waiting: waiting, { log.withLockedValue { $0.append(1) } })
      }
    }
    try await mutex.withLock { log.withLockedValue { $0.append(3) } }
    #expect(log.withLockedValue { $0 } == [0, 3])
  }

  /// Starts calls in order. The first has its turn until the gate opens, the others wait.
  private static func start(
    _ count: Int, _ mutex: AsyncMutex, _ log: NIOLockedValueBox<[Int]>, _ gate: Gate
  ) async -> [Task<Void, any Error>] {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    var calls: [Task<Void, any Error>] = []
    for number in 0..<count {
      calls.append(
        Task {
          try await mutex.withLock {
            begin.yield()
            await gate.wait()
            log.withLockedValue { $0.append(number) }
          }
        })
      if number == 0 { for await _ in begun { break } }
    }
    return calls
  }
}
