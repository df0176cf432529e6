import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMHTTP

/// The report endpoint's API.
enum ReceiverAPI {
  static func test(
    token: String? = nil, postbackPaths: [String] = [], hasSites: Bool = false,
    saveKeys: @escaping @Sendable (String?, KeySeries) throws -> Void = { _, _ in },
    _ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void
  ) async throws {
    let router = try api(token: token, postbackPaths: postbackPaths, hasSites: hasSites, saveKeys: saveKeys).router()
    try await Application(router: router).test(.router) { try await body($0) }
  }

  static func api(
    token: String? = nil, adminHosts: [String]? = nil, postbackPaths: [String] = [], hasSites: Bool = false,
    saveKeys: @escaping @Sendable (String?, KeySeries) throws -> Void = { _, _ in },
    sleep: @escaping @Sendable (Interval) async throws -> Void = { _ in }
  ) throws -> EndpointAPI {
    let (text, other) = (try fixture("tokens/signing-key-2048.pem"), try fixture("tokens/signing-key-3072.pem"))
    let ring = KeyRing(common: KeySeries(current: try TokenPrivateKey(pem: text)), names: ["news.example"])
    let endpoint = ReportEndpoint(
      keys: ring, appAds: try AppAds(postbackPaths: postbackPaths), now: { Instant(milliseconds: 0) }, record: { _ in })
    let machine = EndpointAPI.Machine(
      sleep: sleep, mintNonce: { "ABCDEFabcdef0123456789" }, generateKey: { try TokenPrivateKey(pem: other) },
      saveKeys: saveKeys)
    return EndpointAPI(endpoint: endpoint, machine: machine, adminHosts: adminHosts, adminToken: token, hasSites: hasSites)
  }

  static func call(
    _ client: any TestClientProtocol, _ method: HTTPRequest.Method, _ path: String, _ body: String = "",
    token: String? = nil, contentType: String? = "application/json"
  ) async throws -> (status: Int, text: String, contentType: String?) {
    var headers: HTTPFields = [:]
    headers[.contentType] = contentType
    if let token { headers[.authorization] = "Bearer \(token)" }
    let answer = try await client.execute(uri: path, method: method, headers: headers, body: ByteBuffer(string: body))
    let text = String(buffer: answer.body)
    return (Int(answer.status.code), text.hasSuffix("}\n") ? String(text.dropLast()) : text, answer.headers[.contentType])
  }

  /// A text in the repository's fixtures.
  static func fixture(_ name: String) throws -> String {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = tests.deletingLastPathComponent().appendingPathComponent("Fixtures/\(name)")
    return try String(contentsOf: file, encoding: .utf8)
  }
}
