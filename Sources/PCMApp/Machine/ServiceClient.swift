import PCMCore
import PCMCurl
import PCMNetwork

/// Calls a running service, whose token is `PCM_BROWSER_API_TOKEN` unless the caller has another one.
struct ServiceClient: Sendable {
  /// The address of the service, without user information.
  let base: String
  private let accept: String
  private let remedy: String
  private let token: String?
  private let transport: CurlTransport

  // An expectation waits for five minutes at most, and a page of a list has some MiB.
  private static let route = NetworkRoute(
    allowPrivateNetworks: true, freshConnections: false, totalTimeout: .minutes(6), responseLimit: 16_777_216)

  /// Performs `body` with a client, and closes the connections of the client.
  ///
  /// - Parameters:
  ///   - accept: The media type of the responses.
  ///   - remedy: The instruction for a service that cannot be reached.
  ///   - token: The token of the service; nil without one.
  static func with(
    _ base: String, accept: String = "application/json", remedy: String, token: String? = Environment.apiToken,
    _ body: (ServiceClient) async throws -> Void
  ) async throws {
    let transport = try CurlTransport()
    let client = ServiceClient(
      base: base.withoutUserInformation, accept: accept, remedy: remedy, token: token, transport: transport)
    let result = await Result(catching: { try await body(client) })
    await transport.close()
    try result.get()
  }

  /// Returns the URL of a path of the service.
  func url(_ path: String) -> String { base + (base.hasSuffix("/") ? path.dropFirst() : path[...]) }

  /// - Throws: ``StartError`` when the service does not respond.
  func call(
    _ method: String, _ path: String, _ body: [UInt8] = [], mediaType: String = "application/json"
  ) async throws -> (status: Int, body: [UInt8]) {
    let pass = token.map { [OutgoingRequest.Header("Authorization", "Bearer \($0)")] } ?? []
    let headers = [OutgoingRequest.Header("Accept", accept), OutgoingRequest.Header("Content-Type", mediaType)] + pass
    guard let method = OutgoingRequest.Method(rawValue: method),
      case let exchange = await transport.send(
        OutgoingRequest(kind: .call, method: method, url: url(path), headers: headers, body: body.isEmpty ? nil : body),
        route: Self.route),
      exchange.failure == nil, !exchange.bodyTruncated, let status = exchange.httpStatus
    else {
      throw StartError(description: "no response from \(base); \(remedy)")
    }
    return (status, exchange.body)
  }
}
