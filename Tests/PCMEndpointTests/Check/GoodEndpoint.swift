import Foundation
import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMNetwork
import Testing

/// A good endpoint in memory: the rules of the reference endpoint behind a prober, as it answers over TLS and HTTP. A
/// test spoils some of its answers.
struct GoodEndpoint: Prober {
  /// - Parameter before: The number of equal requests before the request.
  typealias Change = @Sendable (_ request: ProbeRequest, _ before: Int, inout ProbeExchange) -> Void

  private let endpoint: ReportEndpoint
  private let certificate: String
  private let change: Change
  let log = RequestLog()

  init(certificate: String, change: @escaping Change = { _, _, _ in }) throws {
    let key = try TokenPrivateKey(pem: try TestFile.text("tokens/signing-key-2048.pem"))
    endpoint = ReportEndpoint(
      keys: KeyRing(common: KeySeries(current: key)), appAds: try AppAds(), now: { Instant(milliseconds: 0) }, record: { _ in })
    self.certificate = certificate
    self.change = change
  }

  func send(_ request: ProbeRequest, route: NetworkRoute) async -> ProbeExchange {
    let before = await log.note(request).count { $0 == request }
    var exchange = ProbeExchange(connected: request, certificate: certificate)
    if !request.terms.endsWithHandshake { exchange.take(await process(request)) }
    change(request, before, &exchange)
    return exchange
  }

  struct Answer: Hashable, Sendable, CustomTestStringConvertible {
    var status = 200
    var body = "{}"
    var location: String?
    var type = "application/json"

    var testDescription: String { "\(status) \(body.isEmpty ? "" : type)" }

    /// The media type of a body as servers label it.
    static func type(of body: String) -> String {
      if body.hasPrefix("{") || body.hasPrefix("[") { return "application/json" }
      return ["<html", "<h2", "<br"].contains { body.hasPrefix($0) } ? "text/html" : "text/plain"
    }
  }

  private func process(_ request: ProbeRequest) async -> Answer {
    let path = String(request.url.dropFirst("https://".count).drop { $0 != "/" })
    let folder = "/.well-known/private-click-measurement/"
    do {
      switch (request.method, path) {
      case (.post, folder + "report-attribution/"):
        guard (request.body?.count ?? 0) < 65_536 else { return Answer(status: 413) }
        _ = try await endpoint.takeReport(receivedRequest(.report, request))
        return Answer()
      case (.get, folder + "get-token-public-key/"):
        return Answer(body: #"{"token_public_key":"\#(await endpoint.publicKey(receivedRequest(.key, request)))"}"#)
      case (.post, folder + "sign-unlinkable-token/"):
        return Answer(body: #"{"unlinkable_token":"\#(try await endpoint.sign(receivedRequest(.sign, request)))"}"#)
      case (.get, "/pixel"): return Answer(status: 302, body: "", location: folder + "trigger-attribution/12/03")
      case (.post, "/admin/nonces"): return Answer(status: 201, body: try await mintedNonces())
      case (.get, let path) where path.hasPrefix("/admin/reports"): return Answer(body: await listing())
      default: return Answer(status: 405)
      }
    } catch let error as RequestError {
      return Answer(status: error.status)
    } catch {
      return Answer(status: 500)
    }
  }

  private func receivedRequest(_ kind: ReceivedRequest.Kind, _ request: ProbeRequest) -> ReceivedRequest {
    ReceivedRequest(
      kind: kind, host: "ads.example", method: request.method.rawValue, path: request.url, headers: [], body: request.body ?? []
    )
  }

  private func mintedNonces() async throws -> String {
    let nonces = (1...3).map { Base64URL.encode([UInt8](repeating: $0, count: 16)) }
    return #"{"nonces":["\#(try await endpoint.register(nonces).joined(separator: #"",""#))"]}"#
  }

  private func listing() async -> String {
    let entries = await endpoint.entries(after: 0, kinds: [.report], limit: 1_000)
    return JSON.object([.init("items", .array(entries.map(\.json))), .init("next", .null)]).text
  }
}

extension ProbeExchange {
  /// The connection of a good server, without a response.
  init(connected request: ProbeRequest, certificate: String) {
    self.init(Exchange(timings: .init(dns: 1, connect: 2, tls: 3, firstByte: 4, total: 5)))
    certificates = [certificate]
    if request.terms.tls == .before12 { exchange.failure = TransportFailure(.tlsFailed, "unsupported protocol") }
    if !request.terms.endsWithHandshake { exchange.httpVersion = request.terms.offersHTTP2 ? "2" : "1.1" }
  }

  mutating func take(_ answer: GoodEndpoint.Answer) {
    exchange.httpStatus = answer.status
    exchange.location = answer.location
    exchange.contentType = answer.body.isEmpty ? nil : answer.type
    exchange.body = Array(answer.body.utf8)
  }
}

/// A request at an endpoint.
actor RequestLog {
  private(set) var requests: [ProbeRequest] = []

  /// Records a request, and returns all earlier requests.
  func note(_ request: ProbeRequest) -> [ProbeRequest] {
    defer { requests.append(request) }
    return requests
  }
}

/// The files in `Fixtures`.
enum TestFile {
  static func text(_ name: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent("Fixtures/" + name), encoding: .utf8)
  }
}
