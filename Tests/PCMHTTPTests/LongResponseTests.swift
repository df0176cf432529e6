import BrowserSupport
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import PCMBrowser
import PCMStore
import Testing

@testable import PCMHTTP

/// Calls with long responses, of which a few are prepared at a time.
@Suite(.timeLimit(.minutes(10))) struct LongResponseTests {
  private static let list = get("/v1/browsers/default/events")

  private static func get(_ path: String) -> String {
    "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
  }

  private static func limits(prepared: Int, waiting: Int) -> ServerLimits {
    var limits = ServerLimits.patient
    (limits.preparedResponses, limits.waitingResponses) = (prepared, waiting)
    return limits
  }

  /// Responses whose preparation ends when a gate opens.
  private struct Stage {
    let responses: LongResponses
    let gate = Gate()
    /// The calls whose work has begun.
    let begun = NIOLockedValueBox<[Int]>([])

    init(prepared: Int, waiting: Int) {
      responses = LongResponses(LongResponseTests.limits(prepared: prepared, waiting: waiting))
    }

    func prepare(_ number: Int) async throws {
      let context = APIContext(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      _ = try await responses.prepare(in: context) {
        begun.withLockedValue { $0.append(number) }
        await gate.wait()
        return Response(status: .ok)
      }
    }

    /// Starts a number of calls, each after the one before it has begun or waits.
    func start(_ count: Int) async -> [Task<Void, any Error>] {
      var calls: [Task<Void, any Error>] = []
      for number in 0..<count {
        calls.append(Task { try await prepare(number) })
        while begun.withLockedValue({ $0.count }) + responses.places.queueLength <= number { await Task.yield() }
      }
      return calls
    }
  }

  @Test("responses are prepared in the order of their calls, and none begins before its turn")
  func order() async throws {
    let stage = Stage(prepared: 1, waiting: 4)
    let calls = await stage.start(5)
    #expect(stage.begun.withLockedValue { $0 } == [0])
    stage.gate.open()
    for call in calls { try await call.value }
    #expect(stage.begun.withLockedValue { $0 } == [0, 1, 2, 3, 4])
  }

  @Test("a call is refused when as many are prepared, and wait, as may")
  func limit() async throws {
    let stage = Stage(prepared: 2, waiting: 3)
    let calls = await stage.start(5)
    #expect(stage.begun.withLockedValue { $0.count } == 2)
    do {
      try await stage.prepare(5)
      Issue.record("the call is refused")
    } catch let problem as Problem {
      #expect(problem.code == "busy" && problem.isRetryable, "\(problem.detail)")
    }
    stage.gate.open()
    for call in calls { try await call.value }
    #expect(stage.begun.withLockedValue { Set($0) } == [0, 1, 2, 3, 4])
  }

  @Test("a call that leaves while it waits gives up its place at once")
  func departure() async throws {
    let stage = Stage(prepared: 1, waiting: 2)
    let calls = await stage.start(3)
    calls[1].cancel()
    await #expect(throws: CancellationError.self) { try await calls[1].value }
    #expect(stage.responses.places.queueLength == 1)
    let next = Task { try await stage.prepare(3) }
    while stage.responses.places.queueLength < 2 { await Task.yield() }
    stage.gate.open()
    for call in [calls[0], calls[2], next] { try await call.value }
    #expect(stage.begun.withLockedValue { $0 } == [0, 2, 3])
  }

  @Test("a response that fails gives its place back")
  func failure() async throws {
    struct Failure: Error {}
    let stage = Stage(prepared: 1, waiting: 0)
    let context = APIContext(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    await #expect(throws: Failure.self) { _ = try await stage.responses.prepare(in: context) { throw Failure() } }
    stage.gate.open()
    try await stage.prepare(0)
  }

  /// A store of which one read waits until a gate opens.
  private struct SlowStore {
    let gate = Gate()
    let holdsNext = NIOLockedValueBox(false)
    let reads = AsyncStream.makeStream(of: Void.self)

    var store: ObservedStore {
      ObservedStore(
        MemoryStore(),
        StoreObserver(beforeRead: { [gate, holdsNext, reads] in
          let isHeld = holdsNext.withLockedValue { holdsNext in
            defer { holdsNext = false }
            return holdsNext
          }
          guard isHeld else { return }
          reads.continuation.yield()
          await gate.wait()
        }))
    }
  }

  /// Performs `body` while a list is prepared, and then reads it.
  private func whileListing(
    _ limits: ServerLimits, _ slow: SlowStore, _ body: @escaping @Sendable (LiveServer) async throws -> Void
  ) async throws {
    try await LiveServer.run(limits, store: slow.store) { server in
      slow.holdsNext.withLockedValue { $0 = true }
      try await server.connect { line in
        try await line.send(Self.list)
        for await _ in slow.reads.stream { break }
        try await body(server)
        slow.gate.open()
        #expect(try await line.rest().hasPrefix("HTTP/1.1 200 "))
      }
    }
  }

  @Test("a list waits for others, one too many is refused, and short calls do not wait")
  func lists() async throws {
    let slow = SlowStore()
    try await whileListing(Self.limits(prepared: 1, waiting: 1), slow) { server in
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<2 { group.addTask { try await server.exchange(Self.list) } }
        let refused = try await group.next() ?? ""
        #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains(#""code":"busy""#), "\(refused)")
        #expect(refused.contains(#""retryable":true"#))
        for path in ["/healthz", "/metrics", "/v1/browsers/default", "/browsers/default"] {
          let answer = try await server.exchange(Self.get(path))
          #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(path): \(answer)")
        }
        slow.gate.open()
        #expect(try await group.next()?.hasPrefix("HTTP/1.1 200 ") == true)
      }
    }
  }

  @Test("a caller that leaves while its list waits gives up its place")
  func departedCaller() async throws {
    let slow = SlowStore()
    try await whileListing(Self.limits(prepared: 1, waiting: 1), slow) { server in
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<2 { group.addTask { try await server.exchange(Self.list) } }
        let refused = try await group.next()
        #expect(refused?.hasPrefix("HTTP/1.1 503 ") == true)
        // The other one waits, and closes its connection.
        group.cancelAll()
      }
      let departed = #"pcm_http_requests_total{route="/v1/browsers/{browser}/events",method="GET",status="4xx"} 1"#
      var metrics = ""
      while !metrics.contains(departed) { metrics = try await server.exchange(Self.get("/metrics")) }
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<2 { group.addTask { try await server.exchange(Self.list) } }
        let refused = try await group.next()
        #expect(refused?.hasPrefix("HTTP/1.1 503 ") == true)
        slow.gate.open()
        let listed = try await group.next()
        #expect(listed?.hasPrefix("HTTP/1.1 200 ") == true, "the place was free")
      }
    }
  }

  @Test("a wait for events or for an expectation takes no place")
  func waits() async throws {
    try await LiveServer.run(Self.limits(prepared: 1, waiting: 0)) { server in
      let expectation = #"{"report":{"triggerData":9},"wait":"PT5M"}"#
      let check = """
        POST /v1/browsers/default/expectations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r
        Content-Length: \(expectation.utf8.count)\r\n\r\n\(expectation)
        """
      try await server.connect { first in
        try await first.send("GET /v1/browsers/default/events?wait=PT5M HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try await server.connect { second in
          try await second.send(check)
          var metrics = ""
          while !metrics.contains("\npcm_http_connections 3\n") { metrics = try await server.exchange(Self.get("/metrics")) }
          for _ in 0..<20 { #expect(try await server.exchange(Self.list).hasPrefix("HTTP/1.1 200 ")) }
        }
      }
    }
  }
}
