import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import PCMCore
import PCMCurl
import PCMDelivery
import ServiceSupport

/// The executable as a report endpoint for news.example and shop.example, and a browser's transport to send to it.
struct ReceiveStage {
  static let folder = "/.well-known/private-click-measurement/"

  let process: ServiceProcess
  let files: TemporaryFolder
  let transport: CurlTransport
  /// For what no browser does: PUT and DELETE, and HTTP/1.1.
  let client: HTTPClient

  /// Runs a test between set-up and tear-down.
  static func run(_ test: (ReceiveStage) async throws -> Void) async throws {
    let files = try TemporaryFolder()
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/tokens/signing-key-2048.pem").path
    try FileManager.default.copyItem(atPath: fixture, toPath: files.path + "/key.pem")
    let process = try await ServiceProcess(receiving: arguments(files))
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
      "--name", "news.example", "--name", "shop.example", "--name", "127.0.0.1", "--ca-out", files.path + "/ca.pem",
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

  func call(_ method: String, _ path: String, _ body: String = "") async throws -> (status: Int, text: String) {
    var request = HTTPClientRequest(url: "https://127.0.0.1:\(process.port)\(path)")
    request.method = .RAW(value: method)
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

  /// The verdicts of what arrived, in order, with the faults that it met.
  func entries() async throws -> [EntryView] {
    try JSONDecoder().decode(PageView<EntryView>.self, from: Data(try await admin("GET", "reports").text.utf8)).items
  }

  struct EntryView: Decodable {
    let number: Int
    let host: String
    let body: String
    let verdict: String
    let fault: String?
    let tokens: [String: TokenView?]

    struct TokenView: Decodable {
      let verdict: String
    }
  }
}

extension Exchange {
  /// A string member of a JSON answer.
  func member(_ name: String) -> String? {
    (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])?[name] as? String
  }
}
