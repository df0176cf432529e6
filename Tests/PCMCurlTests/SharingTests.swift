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

  /// Each changes something that decides where a connection goes or whom it trusts.
  static let changes: [(name: String, change: @Sendable (inout NetworkRoute) -> Void)] = [
    ("another resolve list", { $0.resolve.append("other.example:443:127.0.0.1") }),
    ("a connect-to list", { $0.connectTo = ["other.example:443:127.0.0.1:1"] }),
    ("no verification", { $0.insecure = true }),
    ("private networks allowed", { $0.allowPrivateNetworks = true }),
  ]

  @Test("Different routes do not share connections", arguments: changes.indices)
  func routesApart(_ index: Int) async throws {
    try await Stage.run { stage in
      for _ in 1...2 {
        _ = await stage.send { $0.freshConnections = false }
        _ = await stage.send { route in
          route.freshConnections = false
          SharingTests.changes[index].change(&route)
        }
      }
      let connections = await stage.server.requests(count: 4).map(\.connection)
      #expect(connections == [1, 2, 1, 2], "\(SharingTests.changes[index].name)")
    }
  }

  @Test("A resolve entry applies only to its route, with and without reused connections", arguments: [true, false])
  func resolveApart(_ fresh: Bool) async throws {
    try await Stage.run { stage in
      let mine = stage.route { $0.freshConnections = fresh }
      #expect(await stage.transport.send(stage.report(), route: mine).httpStatus == 200)
      // The same name and port, at an address of the loopback network on which nothing listens.
      let theirs = stage.route {
        $0.freshConnections = fresh
        $0.resolve = ["report.example:\(stage.server.port):127.0.0.2"]
      }
      let exchange = await stage.transport.send(stage.report(), route: theirs)
      #expect(exchange.failure?.code == .connectionFailed)
      // And back: the entry of the second has not replaced that of the first.
      #expect(await stage.transport.send(stage.report(), route: mine).httpStatus == 200)
      #expect(await stage.server.requests.count == 2)
    }
  }

  @Test("An entry of another route does not apply: the name is not found")
  func entryGone() async throws {
    try await Stage.run { stage in
      // No name of the domain system has a label of 64 characters, so that nothing is asked for it outside.
      let name = String(repeating: "a", count: 64) + ".example"
      let entry = "\(name):\(stage.server.port):127.0.0.1"
      let insecure = stage.route {
        $0.insecure = true
        $0.resolve = [entry]
      }
      #expect(await stage.transport.send(stage.report(host: name), route: insecure).httpStatus == 200)
      let without = stage.route {
        $0.insecure = true
        $0.resolve = []
      }
      let exchange = await stage.transport.send(stage.report(host: name), route: without)
      #expect(exchange.failure?.code == .nameNotResolved)
    }
  }

  @Test("Successive routes are independent")
  func manyRoutes() async throws {
    try await Stage.run { stage in
      for round in 1...2 {
        for number in 1...30 {
          let exchange = await stage.send { route in
            route.freshConnections = false
            route.resolve.append("other\(number).example:443:127.0.0.1")
          }
          #expect(exchange.httpStatus == 200, "round \(round), route \(number)")
        }
      }
    }
  }
}
