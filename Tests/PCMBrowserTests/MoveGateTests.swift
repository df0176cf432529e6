import BrowserSupport
import NIOConcurrencyHelpers
import NIOPosix
import Testing

@testable import PCMBrowser

/// Operations that wait for a move of the clock.
@Suite(.timeLimit(.minutes(10))) struct MoveGateTests {
  private struct Failure: Error {}

  private static func recordOperation() { Issue.record("the operation took place") }

  /// A move that lasts until `end` opens.
  private struct LongMove {
    let end = Gate()
    let task: Task<Void, any Error>

    init(of gate: MoveGate) async {
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      task = Task { [end] in
        try await gate.move(timeLimit: untilCanceled) {
          begin.yield()
          await end.wait()
        }
      }
      for await _ in begun { break }
    }
  }

  /// Starts an operation that waits for a move. Returns when it waits.
  private static func startWaiting(
    for gate: MoveGate, isPartOfCall: Bool = false, _ body: @escaping @Sendable () -> Void = {}
  ) async -> Task<Void, any Error> {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let operation = Task {
      let waiting: CallWait = { wait in
        begin.yield()
        try await wait()
      }
      try await gate.operation(waiting: waiting, isPartOfCall: isPartOfCall) { body() }
    }
    for await _ in begun { break }
    return operation
  }

  @Test("A canceled operation leaves during the move and does nothing, and the others follow")
  func canceledOperation() async throws {
    let (waits, log) = (BrowserWaits(), NIOLockedValueBox<Set<Int>>([]))
    let gate = MoveGate(waits)
    let move = await LongMove(of: gate)
    var operations: [Task<Void, any Error>] = []
    for number in 1...3 {
      operations.append(
        await Self.startWaiting(for: gate) { log.withLockedValue { numbers in _ = numbers.insert(number) } })
    }
    #expect(waits.count == 3)
    let canceled = operations.remove(at: 1)
    canceled.cancel()
    await #expect(throws: CancellationError.self) { try await canceled.value }
    #expect(waits.count == 2)
    move.end.open()
    for operation in operations { try await operation.value }
    #expect(log.withLockedValue { $0 } == [1, 3])
    #expect(waits.count == 0)
    try await move.task.value
    try await gate.move(timeLimit: untilCanceled) {}
  }

  @Test("An operation whose task is canceled before it would wait does nothing")
  func canceledBefore() async throws {
    let gate = MoveGate(BrowserWaits())
    let move = await LongMove(of: gate)
    let mayBegin = Gate()
    let operation = Task {
      await mayBegin.wait()
      try await gate.operation { Self.recordOperation() }
    }
    operation.cancel()
    mayBegin.open()
    await #expect(throws: CancellationError.self) { try await operation.value }
    move.end.open()
    try await move.task.value
  }

  @Test("A wait that fails leaves the gate, and the next move begins", arguments: [false, true])
  func failingWait(_ endsAfterMove: Bool) async throws {
    let gate = MoveGate(BrowserWaits())
    let move = await LongMove(of: gate)
    let waiting: CallWait = { _ in
      if endsAfterMove {
        move.end.open()
        try await move.task.value
      }
      throw Failure()
    }
    await #expect(throws: Failure.self) {
      try await gate.operation(waiting: waiting) { Self.recordOperation() }
    }
    move.end.open()
    try await move.task.value
    try await gate.move(timeLimit: untilCanceled) {}
  }

  @Test("Operations that wait begin in the order of their arrival")
  func order() async throws {
    let (waits, log) = (BrowserWaits(), NIOLockedValueBox<[Int]>([]))
    let gate = MoveGate(waits)
    let move = await LongMove(of: gate)
    var operations: [Task<Void, any Error>] = []
    for number in 1...20 {
      operations.append(
        Task(executorPreference: oneThread) {
          try await gate.operation { log.withLockedValue { $0.append(number) } }
        })
      while waits.count < number { await Task.yield() }
    }
    move.end.open()
    for operation in operations { try await operation.value }
    #expect(log.withLockedValue { $0 } == Array(1...20))
    try await move.task.value
  }

  @Test("Operations that wait for a move begin before the next one")
  func nextMove() async throws {
    let (gate, log) = (MoveGate(BrowserWaits()), NIOLockedValueBox<[String]>([]))
    let end = Gate()
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let moves = Task {
      try await gate.move(timeLimit: untilCanceled) {
        begin.yield()
        await end.wait()
      }
      try await gate.move(timeLimit: untilCanceled) { log.withLockedValue { $0.append("move") } }
    }
    for await _ in begun { break }
    let operation = await Self.startWaiting(for: gate) { log.withLockedValue { $0.append("operation") } }
    end.open()
    try await moves.value
    try await operation.value
    #expect(log.withLockedValue { $0 } == ["operation", "move"])
  }

  @Test("Operations beyond the limits of one browser and of all are refused until others have left")
  func limits() async throws {
    let waits = BrowserWaits(perBrowser: 2, total: 3)
    let (gate, other) = (MoveGate(waits), MoveGate(waits))
    let moves = [await LongMove(of: gate), await LongMove(of: other)]
    var operations = [await Self.startWaiting(for: gate), await Self.startWaiting(for: gate)]
    await #expect(throws: waits.browserIsBusy) { try await gate.operation {} }
    operations.append(await Self.startWaiting(for: other))
    await #expect(throws: waits.allAreBusy) { try await other.operation {} }
    // A call that has begun is not refused.
    operations.append(await Self.startWaiting(for: gate, isPartOfCall: true))
    let last = operations.removeFirst()
    last.cancel()
    await #expect(throws: CancellationError.self) { try await last.value }
    operations.append(await Self.startWaiting(for: other))
    for move in moves { move.end.open() }
    for operation in operations { try await operation.value }
    #expect(waits.count == 0)
  }

  @Test("Operations that arrive while one holds the gate wait within the limits, and those under way continue")
  func hold() async throws {
    let (waits, log) = (BrowserWaits(perBrowser: 2, total: 2), NIOLockedValueBox<[String]>([]))
    let gate = MoveGate(waits)
    var operations: [Task<Void, any Error>] = []
    try await gate.operation {
      try await gate.operation {
        await gate.hold {
          operations = [
            await Self.startWaiting(for: gate) { log.withLockedValue { $0.append("operation") } },
            await Self.startWaiting(for: gate) { Self.recordOperation() },
          ]
          await #expect(throws: waits.browserIsBusy) { try await gate.operation {} }
          let canceled = operations.removeLast()
          canceled.cancel()
          await #expect(throws: CancellationError.self) { try await canceled.value }
          log.withLockedValue { $0.append("hold") }
        }
      }
      for operation in operations { try await operation.value }
    }
    #expect(log.withLockedValue { $0 } == ["hold", "operation"])
    try await gate.move(timeLimit: untilCanceled) {}
  }

  @Test("Operations that waited for a hold wait for the move that waited for it, too", arguments: [false, true])
  func holdBeforeMove(_ isAbandoned: Bool) async throws {
    let (gate, log) = (MoveGate(BrowserWaits()), NIOLockedValueBox<[String]>([]))
    let (limit, end) = (Gate(), Gate())
    let (limits, hasLimit) = AsyncStream.makeStream(of: Void.self)
    let (operation, move) = try await gate.operation {
      await gate.hold {
        let move = Task {
          try await gate.move {
            hasLimit.yield()
            await limit.wait()
          } _: {
            log.withLockedValue { $0.append("move") }
            await end.wait()
          }
        }
        for await _ in limits { break }
        let operation = await Self.startWaiting(for: gate) { log.withLockedValue { $0.append("operation") } }
        if isAbandoned {
          limit.open()
          await #expect(throws: BrowserError.self) { try await move.value }
        }
        log.withLockedValue { $0.append("hold") }
        return (operation, move)
      }
    }
    end.open()
    if !isAbandoned { try await move.value }
    try await operation.value
    #expect(log.withLockedValue { $0 } == ["hold"] + (isAbandoned ? [] : ["move"]) + ["operation"])
    limit.open()
  }
}

/// A time limit that a move does not reach.
private let untilCanceled: @Sendable () async throws -> Void = { try await Scene.endlessSleep(Scene.start) }

/// Runs tasks in one thread, in the order in which they are resumed.
private let oneThread: any TaskExecutor = OneThread()

private final class OneThread: TaskExecutor {
  private let threads = NIOThreadPool(numberOfThreads: 1)

  init() { threads.start() }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    threads.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
