import PCMCore
import PCMCurl
import PCMNetwork
import TLSSupport
import Testing

@Suite("Shared connections", .timeLimit(.minutes(5)))
struct SharingTests {
  @Test("With fresh connections, each send opens one", arguments: RecordingServer.Version.allCases)
  func fresh(_ version: RecordingServer.Version) async throws {
    try await Stage.run(version) { stage in
      for _ in 1...3 { _ = await stage.send() }
      #expect(await stage.server.requests(count: 3).map(\.connection) == [1, 2, 3])
    }
  }

  @Test("Without fresh connections, one connection serves all sends", arguments: RecordingServer.Version.allCases)
  func reused(_ version: RecordingServer.Version) async throws {
    try await Stage.run(version) { stage in
      for _ in 1...3 { _ = await stage.send { $0.freshConnections = false } }
      #expect(await stage.server.requests(count: 3).map(\.connection) == [1, 1, 1])
    }
  }

  @Test("A TLS session is resumed with reuse and never with fresh connections", arguments: [true, false])
  func sessions(_ fresh: Bool) async throws {
    try await Stage.run(reply: Reply(body: [1], .closeAfter)) { stage in
      for _ in 1...3 { _ = await stage.send { $0.freshConnections = fresh } }
      let requests = await stage.server.requests(count: 3)
      #expect(requests.map(\.connection) == [1, 2, 3])
      #expect(requests.map(\.offersResumption) == [false, !fresh, !fresh])
    }
  }

  @Test("Simultaneous HTTP/2 sends share a connection if allowed")
  func multiplexed() async throws {
    try await Stage.run(.http2) { stage in
      await withDiscardingTaskGroup { group in
        for _ in 1...20 {
          group.addTask { #expect(await stage.send { $0.freshConnections = false }.failure == nil) }
        }
      }
      #expect(Set(await stage.server.requests(count: 20).map(\.connection)) == [1])
    }
  }
}
