import PCMCore
import PCMNetwork
import TLSSupport
import Testing

@testable import PCMCurl

@Suite("Floods", .timeLimit(.minutes(5)))
struct FloodTests {
  /// The timeouts of the stage are longer than the test may take, so only the limit can end the exchange.
  @Test("Frames without content end their connection, and other requests continue", arguments: FloodingServer.Frame.allCases)
  func floods(_ frame: FloodingServer.Frame) async throws {
    try await Stage.run(.http2) { stage in
      let flooding = try await FloodingServer.start(try stage.authority.issue(names: ["flood.example"]), sending: frame)
      let floodRoute = stage.route { $0.resolve = ["flood.example:\(flooding.port):127.0.0.1"] }
      let flood = OutgoingRequest(
        method: .get, url: "https://flood.example:\(flooding.port)/", headers: [], body: nil)
      async let flooded = stage.transport.send(flood, route: floodRoute)
      for _ in 1...10 { #expect(await stage.send().httpStatus == 200) }
      let failure = try #require(await flooded.failure)
      // libcurl's HTTP/2 library ends two of the floods by itself.
      #expect(failure.code == .protocolError || failure.code == .connectionLost, "\(failure)")
      if frame == .emptyData || frame == .windowUpdate {
        #expect(failure.detail == "the server sent more than 4587520 bytes, most of them without content")
      }
      await flooding.stop()
    }
  }

  @Test("A flood on a kept connection ends it, and the next request has another one")
  func keptConnection() async throws {
    try await Stage.run { stage in
      let flooding = try await FloodingServer.start(try stage.authority.issue(names: ["flood.example"]), sending: .emptyData)
      let route = stage.route {
        $0.resolve = ["flood.example:\(flooding.port):127.0.0.1"]
        $0.freshConnections = false
      }
      let flood = OutgoingRequest(
        method: .post, url: "https://flood.example:\(flooding.port)/", headers: [], body: [1])
      for _ in 1...2 {
        let failure = try #require(await stage.transport.send(flood, route: route).failure)
        #expect(failure.code == .protocolError, "\(failure)")
      }
      await flooding.stop()
    }
  }

  @Test("A kept connection serves any number of requests", arguments: RecordingServer.Version.allCases)
  func longLife(_ version: RecordingServer.Version) async throws {
    let body = [UInt8](repeating: 7, count: 60_000)
    try await Stage.run(version, reply: Reply(body: body)) { stage in
      for _ in 1...120 {
        let exchange = await stage.send { $0.freshConnections = false }
        #expect(exchange.failure == nil)
        #expect(exchange.body == body)
      }
      #expect(Set(await stage.server.requests.map(\.connection)) == [1])
    }
  }

  @Test(
    "A response in pieces of one byte, each in a separate record, is below the limit",
    arguments: RecordingServer.Version.allCases)
  func smallPieces(_ version: RecordingServer.Version) async throws {
    let body = [UInt8](repeating: 7, count: 20_000)
    try await Stage.run(version, reply: Reply(body: body, .trickle(1))) { stage in
      #expect(await stage.send().body == body)
    }
  }

  @Test("Requests of pages and reports have separate threads, each with its capacity")
  func threads() async throws {
    let answer: Stage.Answer = { $0.method == "GET" ? Reply(.never) : Reply() }
    try await Stage.run(answer: answer) { stage in
      let narrow = try CurlTransport(maximumInFlight: 1)
      let load = OutgoingRequest(method: .get, url: stage.report().url, headers: [], body: nil)
      let page = Task { await narrow.send(load, route: stage.route { $0.isForPage = true }) }
      _ = await stage.server.requests(count: 1)
      #expect(await narrow.send(stage.report(), route: stage.route()).httpStatus == 200)
      await narrow.close()
      #expect(await page.value.failure?.code == .transportClosed)
    }
  }

  @Test("The unused bytes of a response are taken back, and a connection at its end stays there")
  func allowances() {
    let connection = TLSConnection(socket: -1, verifying: nil, allowance: 100)
    connection.receive(90)
    connection.beginRequest(allowance: 100)
    connection.beginRequest(allowance: 100)
    connection.receive(200)
    #expect(!connection.isExhausted)
    connection.endRequest(allowance: 100)
    connection.beginRequest(allowance: 100)
    connection.endRequest(allowance: 100)
    connection.endRequest(allowance: 100)
    connection.beginRequest(allowance: 100)
    connection.receive(100)
    #expect(!connection.isExhausted)
    connection.receive(1)
    connection.endRequest(allowance: 100)
    connection.beginRequest(allowance: 100)
    #expect(connection.isExhausted)
  }
}
