import PCMCore
import PCMCurl
import PCMNetwork
import TLSSupport

/// A recording server with a certificate for `report.example`, and a transport to send to it.
struct Stage {
  static let path = "/.well-known/private-click-measurement/report-attribution/"

  let authority: TestAuthority
  let server: RecordingServer
  let transport: CurlTransport

  /// A server's answer to a request.
  typealias Answer = @Sendable (RecordedRequest) async -> Reply

  /// Runs a test with a server that answers every request alike.
  static func run<Value>(
    _ version: RecordingServer.Version = .http1, names: [String] = ["report.example"], at moment: RecordingServer.Moment = .end,
    reply: Reply = Reply(), test: (Stage) async throws -> Value
  ) async throws -> Value {
    let answer: Answer = { _ in reply }
    return try await run(version, names: names, at: moment, answer: answer, test: test)
  }

  /// Runs a test between set-up and tear-down, which both wait for their effects.
  static func run<Value>(
    _ version: RecordingServer.Version = .http1, names: [String] = ["report.example"], at moment: RecordingServer.Moment = .end,
    answer: @escaping Answer, test: (Stage) async throws -> Value
  ) async throws -> Value {
    let authority = try TestAuthority()
    let identity = try authority.issue(names: names + ["127.0.0.1"])
    let server = try await RecordingServer.start(identity, version: version, moment: moment, answer: answer)
    let stage = Stage(authority: authority, server: server, transport: try CurlTransport())
    let outcome: Result<Value, any Error>
    do {
      outcome = .success(try await test(stage))
    } catch {
      outcome = .failure(error)
    }
    await stage.transport.close()
    await server.stop()
    return try outcome.get()
  }

  /// To the server, by a `resolve` entry. With timeouts that no machine is slow enough to reach: a test that is about
  /// timeouts sets its own.
  func route(_ change: (inout NetworkRoute) -> Void = { _ in }) -> NetworkRoute {
    var route = NetworkRoute(
      resolve: ["report.example:\(server.port):127.0.0.1"], caFile: authority.certificateFile,
      connectTimeout: .minutes(10), totalTimeout: .minutes(10))
    change(&route)
    return route
  }

  /// A report to a host at the server's port.
  func report(host: String = "report.example", body: [UInt8] = Array("{}".utf8)) -> OutgoingRequest {
    OutgoingRequest(
      method: .post, url: "https://\(host):\(server.port)\(Stage.path)",
      headers: [.init("Content-Type", "application/json"), .init("Cache-Control", "max-age=0")], body: body)
  }

  func send(_ change: (inout NetworkRoute) -> Void = { _ in }) async -> Exchange {
    await transport.send(report(), route: route(change))
  }
}
