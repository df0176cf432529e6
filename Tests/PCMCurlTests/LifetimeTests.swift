import PCMCore
import PCMCurl
import PCMNetwork
import TLSSupport
import Testing

@Suite("Start and close", .timeLimit(.minutes(5)))
struct LifetimeTests {
  @Test("Each of a thousand simultaneous sends receives its response", arguments: RecordingServer.Version.allCases)
  func thousand(_ version: RecordingServer.Version) async throws {
    let echo: Stage.Answer = { Reply(body: $0.body) }
    try await Stage.run(version, answer: echo) { stage in
      let route = stage.route { $0.freshConnections = false }
      await withDiscardingTaskGroup { group in
        for number in 1...1_000 {
          group.addTask {
            let body = Array("report \(number)".utf8)
            let exchange = await stage.transport.send(stage.report(body: body), route: route)
            #expect(exchange.failure == nil)
            #expect(exchange.body == body)
          }
        }
      }
      #expect(await stage.server.requests.count == 1_000)
    }
  }

  @Test("300 sends on fresh connections, more than the limit")
  func manyFresh() async throws {
    try await Stage.run { stage in
      await withDiscardingTaskGroup { group in
        for _ in 1...300 { group.addTask { #expect(await stage.send().failure == nil) } }
      }
      #expect(Set(await stage.server.requests.map(\.connection)).count == 300)
    }
  }

  @Test("A canceled task returns, and others continue", arguments: RecordingServer.Version.allCases)
  func cancellation(_ version: RecordingServer.Version) async throws {
    let answer: Stage.Answer = { $0.body == [1] ? Reply(.never) : Reply() }
    try await Stage.run(version, answer: answer) { stage in
      let route = stage.route { $0.freshConnections = false }
      let task = Task { await stage.transport.send(stage.report(body: [1]), route: route) }
      _ = await stage.server.requests(count: 1)
      task.cancel()
      #expect(await task.value.failure == TransportFailure(.transportClosed, "the send was canceled"))
      #expect(await stage.transport.send(stage.report(), route: route).httpStatus == 200)
    }
  }

  @Test("A task that is canceled before it sends returns in any order of events")
  func earlyCancellation() async throws {
    try await Stage.run { stage in
      let exchanges = await withTaskGroup { group in
        for _ in 1...100 { group.addTask { await stage.send() } }
        group.cancelAll()
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(exchanges.count == 100)
      #expect(exchanges.allSatisfy { $0.failure?.code == .transportClosed || $0.httpStatus == 200 })
    }
  }

  @Test("A canceled send in the queue returns")
  func canceledInLine() async throws {
    try await Stage.run(reply: Reply(.never)) { stage in
      let narrow = try CurlTransport(maximumInFlight: 1)
      let first = Task { await narrow.send(stage.report(), route: stage.route()) }
      _ = await stage.server.requests(count: 1)
      let second = Task { await narrow.send(stage.report(), route: stage.route()) }
      second.cancel()
      let waited = await second.value
      #expect(waited.failure?.code == .transportClosed)
      #expect(waited.timings == nil)
      await narrow.close()
      #expect(await first.value.failure?.code == .transportClosed)
      #expect(await stage.server.requests.count == 1)
    }
  }

  @Test("Closing ends active, queued, and later sends")
  func close() async throws {
    try await Stage.run(reply: Reply(.never)) { stage in
      let narrow = try CurlTransport(maximumInFlight: 2)
      await withTaskGroup { group in
        for _ in 1...5 { group.addTask { await narrow.send(stage.report(), route: stage.route()) } }
        _ = await stage.server.requests(count: 2)
        await narrow.close()
        for await exchange in group { #expect(exchange.failure?.code == .transportClosed) }
      }
      #expect(await narrow.send(stage.report(), route: stage.route()).failure?.code == .transportClosed)
      await narrow.close()
    }
  }

  @Test("Closing twice at the same time is safe")
  func closeTwice() async throws {
    let transport = try CurlTransport()
    async let first: Void = transport.close()
    async let second: Void = transport.close()
    _ = await (first, second)
  }

  @Test("A released transport closes")
  func dropped() throws {
    for _ in 1...20 { _ = try CurlTransport() }
  }

  @Test("Idle connections are closed with the transport")
  func connectionsClosed() async throws {
    try await Stage.run(.http2) { stage in
      let transport = try CurlTransport()
      let route = stage.route { $0.freshConnections = false }
      #expect(await transport.send(stage.report(), route: route).httpStatus == 200)
      await transport.close()
      // The next transport cannot find the connection.
      #expect(await stage.transport.send(stage.report(), route: route).httpStatus == 200)
      #expect(await stage.server.requests.map(\.connection) == [1, 2])
    }
  }
}
