import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import PCMCore
import PCMCurl
import PCMNetwork
import ServiceSupport

/// The executable as a report endpoint for news.example and shop.example, and a browser's transport to send to it.
struct ReceiveStage {
  static let folder = "/.well-known/private-click-measurement/"

  let process: ServiceProcess
  let files: TemporaryFolder
  let transport: CurlTransport
  /// For requests that no browser makes: PUT and DELETE, and HTTP/1.1.
  let client: HTTPClient

  /// A key from the fixtures.
  static func key(_ name: String) throws -> String { try fixture("tokens/" + name) }

  static func fixture(_ name: String) throws -> String {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures")
    return try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }

  /// Runs a test between set-up and tear-down.
  ///
  /// - Parameters:
  ///   - more: further arguments, for which it may put files into the folder.
  ///   - environment: further variables.
  static func run(
    with more: (TemporaryFolder) throws -> [String] = { _ in [] }, environment: [String: String] = [:],
    _ test: (ReceiveStage) async throws -> Void
  ) async throws {
    let files = try TemporaryFolder()
    try key("signing-key-2048.pem").write(toFile: files.path + "/key.pem", atomically: true, encoding: .utf8)
    let process = try await ServiceProcess(receiving: arguments(files) + more(files), environment: environment)
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .file(files.path + "/ca.pem")
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    configuration.httpVersion = .http1Only
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let stage = ReceiveStage(process: process, files: files, transport: try CurlTransport(), client: client)
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await test(stage)) } catch { outcome = .failure(error) }
    // Before the server goes: it waits some seconds for the goodbye of connections that are still open.
    try await client.shutdown()
    await stage.transport.close()
    process.terminate()
    await process.status()
    try outcome.get()
  }

  static func arguments(_ files: TemporaryFolder) -> [String] {
    [
      "--name", "news.example", "--name", "shop.example", "--ca-out", files.path + "/ca.pem",
      "--key", files.path + "/key.pem", "--key-bits", "2048", "--reports", files.path + "/reports.jsonl",
    ]
  }

  func send(
    _ method: OutgoingRequest.Method, _ path: String, _ body: String? = nil, host: String = "news.example",
    timeout: Interval = .minutes(5)
  ) async -> Exchange {
    var headers: [OutgoingRequest.Header] = []
    if body != nil { headers.append(.init("Content-Type", "application/json")) }
    let request = OutgoingRequest(
      method: method, url: "https://\(host)\(path)", headers: headers, body: body.map { Array($0.utf8) })
    let route = NetworkRoute(
      connectTo: ["::127.0.0.1:\(process.port)"], caFile: files.path + "/ca.pem", connectTimeout: .minutes(5),
      totalTimeout: timeout)
    return await transport.send(request, route: route)
  }

  func report(timeout: Interval = .minutes(5)) async -> Exchange {
    await send(.post, Self.folder + "report-attribution/", Stage.body, timeout: timeout)
  }

  /// A call of the admin surface, over HTTP/1.1.
  func admin(_ method: String, _ path: String, _ body: String = "") async throws -> (status: Int, text: String) {
    try await call(method, "/admin/" + path, body)
  }

  func call(
    _ method: String, _ path: String, _ body: String = "", token: String? = nil
  ) async throws -> (status: Int, text: String) {
    var request = HTTPClientRequest(url: "https://127.0.0.1:\(process.port)\(path)")
    request.method = .RAW(value: method)
    if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
    if !body.isEmpty {
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(ByteBuffer(string: body))
    }
    let response = try await client.execute(request, timeout: .minutes(5))
    let bytes = try await response.body.collect(upTo: 1 << 20)
    return (Int(response.status.code), String(buffer: bytes))
  }

  func order(_ faults: String) async throws {
    let answer = try await admin("PUT", "faults", #"{"faults":[\#(faults)]}"#)
    guard answer.status == 200 else { throw ServiceFailure(what: answer.text) }
  }

  struct ServiceFailure: Error {
    let what: String
  }

  /// The reports that arrived, in order, with their verdicts and the faults that they met.
  func entries() async throws -> [EntryView] { try await list("reports") }

  /// The postbacks that arrived, in order.
  func postbacks() async throws -> [EntryView] { try await list("postbacks") }

  /// Everything that arrived, in order.
  func requests() async throws -> [EntryView] { try await list("requests") }

  private func list(_ what: String) async throws -> [EntryView] {
    let text = try await admin("GET", what + "?limit=100").text
    return try JSONDecoder().decode(PageView<EntryView>.self, from: Data(text.utf8)).items
  }

  struct EntryView: Decodable {
    let number: Int
    let kind: String
    let host: String
    let headers: [HeaderView]
    let body: String
    let verdict: String
    let fault: String?
    let tokens: [String: TokenView?]
    let postback: PostbackView?

    struct PostbackView: Decodable {
      let verdict: String
      let environment: String?
      let key: String?
    }

    struct TokenView: Decodable {
      let verdict: String
      let keyId: String?
    }

    struct HeaderView: Decodable {
      let name: String
      let value: String
    }

    var hasCookie: Bool { headers.contains { $0.name.lowercased() == "cookie" } }
  }
}

extension Exchange {
  /// A string member of a JSON answer.
  func member(_ name: String) -> String? {
    (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])?[name] as? String
  }
}
