import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import PCMCore

/// Calls a running service, whose token is `PCM_BROWSER_API_TOKEN`.
struct ServiceClient: Sendable {
  let base: String
  let http: HTTPClient
  /// The media type of the responses.
  var accept = "application/json"
  /// What to do when the service cannot be reached.
  let remedy: String

  /// - Throws: ``StartError`` when the service does not respond.
  func call(_ method: String, _ path: String, _ body: [UInt8] = []) async throws -> (status: Int, body: [UInt8]) {
    var request = HTTPClientRequest(url: base + (base.hasSuffix("/") ? path.dropFirst() : path[...]))
    request.method = .RAW(value: method)
    request.headers = ["Accept": accept, "Content-Type": "application/json"]
    if let token = Environment.apiToken { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
    request.body = .bytes(ByteBuffer(bytes: body))
    // An expectation waits for five minutes at most, and a page of a list has some MiB.
    guard let response = try? await http.execute(request, timeout: .minutes(6)),
      let bytes = try? await response.body.collect(upTo: 16_777_216)
    else {
      throw StartError(description: "no response from \(base.withoutUserInformation); \(remedy)")
    }
    return (Int(response.status.code), Array(bytes.readableBytesView))
  }
}
