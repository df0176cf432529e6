import BrowserSupport
import NIOConcurrencyHelpers
import Testing

@testable import PCMBrowser

/// Operations that share the lock of a browser, and calls that have it alone.
@Suite(.timeLimit(.minutes(10))) struct OperationLockTests {
  private struct Failure: Error {}

  private let lock = OperationLock()
  private let log = NIOLockedValueBox<[String]>([])

  private var entries: [String] { log.withLockedValue { $0 } }

  /// A call that has the lock until `end` opens.
  private struct Holder {
    let end = Gate()
    let task: Task<Void, any Error>

    init(of lock: OperationLock, isExclusive: Bool) async {
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      task = Task { [end] in
        let body: () async -> Void = {
          begin.yield()
          await end.wait()
        }
        if isExclusive { try await lock.excluding(body) } else { try await lock.sharing(body) }
      }
      for await _ in begun { break }
    }

    func finish() async throws {
      end.open()
      try await task.value
    }
  }

  /// Starts a call that waits and logs its name. Returns when it waits.
  private func startWaiting(_ name: String, isExclusive: Bool = false) async -> Task<Void, any Error> {
    let count = lock.waitingCount
    let call = Task { [lock, log] in
      let body = { log.withLockedValue { $0.append(name) } }
      if isExclusive { try await lock.excluding(body) } else { try await lock.sharing(body) }
    }
    while lock.waitingCount == count { await Task.yield() }
    return call
  }

  @Test("Operations share the lock")
  func sharing() async throws {
    let first = await Holder(of: lock, isExclusive: false)
    let second = await Holder(of: lock, isExclusive: false)
    try await second.finish()
    try await first.finish()
  }

  @Test("A move waits for the operations that are under way, and the operations after it wait for the move")
  func move() async throws {
    let operations = [await Holder(of: lock, isExclusive: false), await Holder(of: lock, isExclusive: false)]
    let move = await startWaiting("move", isExclusive: true)
    let later = await startWaiting("operation")
    try await operations[0].finish()
    #expect(entries.isEmpty)
    try await operations[1].finish()
    try await move.value
    try await later.value
    #expect(entries == ["move", "operation"])
  }

  @Test("Calls that wait have the lock in the order of their arrival, and operations that are neighbors share it")
  func order() async throws {
    let first = await Holder(of: lock, isExclusive: true)
    var calls: [Task<Void, any Error>] = []
    for number in 1...3 {
      calls.append(await startWaiting("move \(number)", isExclusive: true))
      calls.append(await startWaiting("operation \(number)"))
    }
    try await first.finish()
    for call in calls { try await call.value }
    #expect(entries == (1...3).flatMap { ["move \($0)", "operation \($0)"] })
  }

  @Test("A call that is canceled while it waits does nothing, and the calls after it follow", arguments: [false, true])
  func cancellation(_ isExclusive: Bool) async throws {
    let first = await Holder(of: lock, isExclusive: false)
    let canceled = await startWaiting("canceled", isExclusive: true)
    let later = isExclusive ? nil : await startWaiting("operation")
    canceled.cancel()
    await #expect(throws: CancellationError.self) { try await canceled.value }
    // The operation follows at once, because the first one shares the lock.
    try await later?.value
    try await first.finish()
    try await lock.excluding {}
    #expect(entries == (isExclusive ? [] : ["operation"]))
  }

  @Test("A call that is canceled before it would wait does nothing")
  func canceledBefore() async throws {
    let (first, mayBegin) = (await Holder(of: lock, isExclusive: true), Gate())
    let operation = Task { [lock, log] in
      await mayBegin.wait()
      try await lock.sharing { log.withLockedValue { $0.append("operation") } }
    }
    operation.cancel()
    mayBegin.open()
    await #expect(throws: CancellationError.self) { try await operation.value }
    try await first.finish()
    #expect(entries.isEmpty)
  }

  @Test("A call that is canceled while it has the lock completes, and a body that throws gives it back")
  func endOfBody() async throws {
    let first = await Holder(of: lock, isExclusive: true)
    first.task.cancel()
    try await first.finish()
    await #expect(throws: Failure.self) { try await lock.excluding { throw Failure() } }
    await #expect(throws: Failure.self) { try await lock.sharing { throw Failure() } }
    try await lock.excluding {}
  }

  @Test("The parts of a call that has the lock alone do not wait for it, and neither do their tasks")
  func parts() async throws {
    try await lock.excluding {
      try await lock.sharing {}
      try await lock.excluding {}
      try await Task { [lock] in try await lock.sharing {} }.value
      let other = Task.detached { [lock, log] in
        try await lock.sharing { log.withLockedValue { $0.append("operation") } }
      }
      while lock.waitingCount == 0 { await Task.yield() }
      #expect(entries.isEmpty)
      other.cancel()
      await #expect(throws: CancellationError.self) { try await other.value }
    }
  }

  @Test("Calls with the same name have its lock one after the other, and other names do not wait")
  func names() async throws {
    let (locks, end) = (NamedLocks(), Gate())
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let first = Task { [log] in
      try await locks.withLock("a") {
        begin.yield()
        await end.wait()
        log.withLockedValue { $0.append("first") }
      }
    }
    for await _ in begun { break }
    let second = Task { [log] in try await locks.withLock("a") { log.withLockedValue { $0.append("second") } } }
    try await locks.withLock("b") { log.withLockedValue { $0.append("other") } }
    end.open()
    try await first.value
    try await second.value
    #expect(entries == ["other", "first", "second"])
  }
}
