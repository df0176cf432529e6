import PCMCore
import PCMCurl
import PCMDelivery
import TLSSupport
import Testing

@Suite("Where nothing is sent", .timeLimit(.minutes(5)))
struct AddressGuardTests {
  @Test(
    "A private address is refused however it is written",
    arguments: [
      "127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f000001", "127.1", "0177.0.0.1", "[::ffff:127.0.0.1]",
      "169.254.169.254", "10.0.0.1", "192.168.1.1", "100.64.0.1", "0.0.0.0", "[fe80::1]", "[fd00::1]",
    ])
  func refused(_ host: String) async throws {
    try await Stage.run(names: ["localhost"]) { stage in
      let exchange = await stage.transport.send(stage.report(host: host), route: stage.route())
      #expect(exchange.failure?.code == .addressRefused)
      #expect(exchange.failure?.detail.contains(" address") == true)
      #expect(exchange.httpStatus == nil)
      #expect(await stage.server.requests.isEmpty)
    }
  }

  @Test("The refusal names the address")
  func refusalText() async throws {
    try await Stage.run { stage in
      let exchange = await stage.transport.send(stage.report(host: "127.1"), route: stage.route())
      #expect(exchange.failure == TransportFailure(.addressRefused, "127.0.0.1 is a loopback address"))
    }
  }

  @Test("It is allowed by the option, and by an entry of either list that applies to the request")
  func allowed() async throws {
    try await Stage.run(names: ["localhost"]) { stage in
      let port = stage.server.port
      let changes: [(inout NetworkRoute) -> Void] = [
        { $0.allowPrivateNetworks = true },
        { $0.resolve = ["localhost:\(port):127.0.0.1"] },
        { $0.resolve = ["*:\(port):127.0.0.1"] },
        { $0.resolve = ["+LOCALHOST:\(port):127.0.0.1"] },
        { $0.connectTo = ["localhost:\(port):127.0.0.1:\(port)"] },
        { $0.connectTo = ["::127.0.0.1:\(port)"] },
        { $0.connectTo = ["Localhost::127.0.0.1:\(port)"] },
      ]
      for (index, change) in changes.enumerated() {
        let exchange = await stage.transport.send(stage.report(host: "localhost"), route: stage.route(change))
        #expect(exchange.failure == nil, "change \(index)")
        #expect(exchange.httpStatus == 200, "change \(index)")
      }
    }
  }

  @Test("An entry for another host or port allows nothing")
  func notAllowed() async throws {
    try await Stage.run(names: ["localhost"]) { stage in
      let port = stage.server.port
      let changes: [(inout NetworkRoute) -> Void] = [
        { $0.resolve = ["localhost:443:127.0.0.1"] },
        { $0.resolve = ["other.example:\(port):127.0.0.1"] },
        { $0.resolve = ["*:443:127.0.0.1"] },
        { $0.resolve = ["-localhost:\(port)"] },
        { $0.connectTo = ["localhost:443:127.0.0.1:\(port)"] },
        { $0.connectTo = ["other.example::127.0.0.1:\(port)"] },
        { $0.connectTo = ["*:\(port):127.0.0.1:\(port)"] },
      ]
      for (index, change) in changes.enumerated() {
        let exchange = await stage.transport.send(stage.report(host: "localhost"), route: stage.route(change))
        #expect(exchange.failure?.code == .addressRefused, "change \(index)")
      }
      #expect(await stage.server.requests.isEmpty)
    }
  }

  @Test("A connection that was opened where it was allowed is no way round", arguments: RecordingServer.Version.allCases)
  func noWayRound(_ version: RecordingServer.Version) async throws {
    try await Stage.run(version, names: ["localhost"]) { stage in
      let open = stage.route {
        $0.freshConnections = false
        $0.allowPrivateNetworks = true
      }
      #expect(await stage.transport.send(stage.report(host: "localhost"), route: open).httpStatus == 200)
      let closed = stage.route { $0.freshConnections = false }
      let exchange = await stage.transport.send(stage.report(host: "localhost"), route: closed)
      #expect(exchange.failure?.code == .addressRefused)
    }
  }
}
