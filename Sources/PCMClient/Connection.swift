import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import PCMCore

/// Sends HTTP requests to a service and decodes its JSON responses.
struct Connection: Sendable {
  let service: PCMService

  /// The client of the process. In contrast to the shared client of async-http-client, it has no idle timeout (event
  /// streams and long advances), allows many connections (each stream occupies one), and does not retry, so that an
  /// unreachable service is reported immediately.
  private static let http: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(10))
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_000
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(configuration: configuration)
  }()

  private static let largestResponse = 256 << 20

  /// The body of a request.
  struct Body {
    let bytes: Data
    let mediaType: String
  }

  /// Sends a request and returns the bytes of the response. A POST whose connection closes before the response is sent once
  /// more, with the same idempotency key.
  ///
  /// - Parameters:
  ///   - accept: The media type of the response.
  ///   - patience: The time that the service may wait by design before it responds.
  @discardableResult
  func send(
    _ method: String, _ path: String, query: [String: String] = [:], accept: String = "application/json", body: Body? = nil,
    patience: Duration = .zero
  ) async throws -> Data {
    let request = request(method, path, query, headers: [("Accept", accept)], body: body)
    let timeout = TimeAmount(service.timeout + patience)
    let (status, bytes) = try await translatingErrors(of: request) {
      do {
        return try await Self.exchange(request, timeout)
      } catch  where method == Self.post && Self.isDisconnection(error) {
        return try await Self.exchange(request, timeout)
      }
    }
    guard 200..<300 ~= status else { throw ServiceError(status: status, body: bytes, request: request.summary) }
    return bytes
  }

  private static let post = "POST"

  private static func exchange(_ request: HTTPClientRequest, _ timeout: TimeAmount) async throws -> (status: Int, bytes: Data) {
    let response = try await http.execute(request, timeout: timeout)
    return (Int(response.status.code), Data(try await response.body.collect(upTo: largestResponse).readableBytesView))
  }

  /// Returns whether a connection that existed closed before the response was complete.
  private static func isDisconnection(_ error: any Error) -> Bool {
    switch error {
    case let error as HTTPClientError: error == .remoteConnectionClosed
    case let error as IOError: [POSIXErrorCode.ECONNRESET, .EPIPE].contains { $0.rawValue == error.errnoCode }
    default: false
    }
  }

  /// Opens the log as server-sent events.
  ///
  /// - Parameter lastEventID: The identifier of the last received event; nil for the beginning of the stream.
  /// - Returns: The body, and the incarnation of the browser.
  func stream(
    _ path: String, query: [String: String], after lastEventID: String?
  ) async throws -> (body: HTTPClientResponse.Body, incarnation: String?) {
    let resuming = lastEventID.map { [("Last-Event-ID", $0)] } ?? []
    let request = request("GET", path, query, headers: [("Accept", "text/event-stream")] + resuming)
    let response = try await translatingErrors(of: request) { try await Self.http.execute(request, deadline: .distantFuture) }
    guard response.status == .ok else {
      let bytes = try await translatingErrors(of: request) { try await response.body.collect(upTo: Self.largestResponse) }
      throw ServiceError(
        status: Int(response.status.code), body: Data(bytes.readableBytesView), request: request.summary)
    }
    return (response.body, response.headers.first(name: "Browser-Incarnation"))
  }

  private func request(
    _ method: String, _ path: String, _ query: [String: String], headers: [(String, String)], body: Body? = nil
  ) -> HTTPClientRequest {
    let parameters = query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.pathPart)" }.joined(separator: "&")
    // A path may end with the values of a repeatable parameter.
    let separator = path.contains("?") ? "&" : "?"
    var request = HTTPClientRequest(url: service.url + path + (parameters.isEmpty ? "" : separator + parameters))
    request.method = .RAW(value: method)
    request.headers = HTTPHeaders(headers)
    if let token = service.token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
    if method == Self.post { request.headers.add(name: "Idempotency-Key", value: UUID().uuidString) }
    if let body {
      request.headers.add(name: "Content-Type", value: body.mediaType)
      request.body = .bytes(ByteBuffer(bytes: body.bytes))
    }
    return request
  }

  /// Distinguishes a service that does not respond from a canceled task.
  private func translatingErrors<Value>(
    of request: HTTPClientRequest, _ exchange: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await exchange()
    } catch {
      try Task.checkCancellation()
      throw ServiceError(noResponseFrom: service, request: request.summary, because: error)
    }
  }
}

extension Connection {
  /// Sends a value, if any, and decodes the response.
  func call<Value: Decodable>(
    _ method: String, _ path: String, query: [String: String] = [:], _ value: (any Encodable)? = nil,
    patience: Duration = .zero
  ) async throws -> Value {
    let body = try value.map { Body(bytes: try Wire.encoder.encode($0), mediaType: "application/json") }
    return try await call(method, path, query: query, body: body, patience: patience)
  }

  /// Performs an operation and decodes its answer.
  ///
  /// - Parameters:
  ///   - world: The name of the browser or the device.
  ///   - subject: The values of the path's parameters, joined by slashes; nil without them.
  func perform<Input: OperationInput, Value: Decodable>(
    _ input: Input, in world: String, on subject: String? = nil
  ) async throws -> Value {
    let path = Input.path(in: world, on: subject)
    return try await input.json.members.isEmpty ? call(Input.method, path, body: nil) : call(Input.method, path, input)
  }

  /// Sends a request body and decodes the response.
  func call<Value: Decodable>(_ method: String, _ path: String, _ request: some JSONBody) async throws -> Value {
    try await call(method, path, body: Body(bytes: Data(request.json.bytes), mediaType: "application/json"))
  }

  /// Sends bytes and decodes the response.
  func call<Value: Decodable>(
    _ method: String, _ path: String, query: [String: String] = [:], body: Body?, patience: Duration = .zero
  ) async throws -> Value {
    let bytes = try await send(method, path, query: query, body: body, patience: patience)
    do {
      return try Wire.decoder.decode(Value.self, from: bytes)
    } catch {
      throw ServiceError(unreadable: bytes, request: "\(method) \(service.url)\(path)", because: error)
    }
  }

  /// Returns all items of a list.
  ///
  /// - Parameter filters: The values of repeatable parameters.
  func items<Item: Decodable & Sendable>(_ path: String, filters: [String: Set<String>]) async throws -> [Item] {
    let parameters = filters.sorted { $0.key < $1.key }.flatMap { filter in
      filter.value.sorted().map { "\(filter.key)=\($0.pathPart)" }
    }
    return try await items(parameters.isEmpty ? path : path + "?" + parameters.joined(separator: "&"))
  }

  /// Returns all items of a list by requesting each page.
  func items<Item: Decodable & Sendable>(_ path: String, query: [String: String] = [:]) async throws -> [Item] {
    var items: [Item] = []
    var query = query
    query["limit"] = "1000"
    while true {
      let page: Page<Item> = try await call("GET", path, query: query)
      items += page.items
      guard let next = page.next, next != query["cursor"] else { return items }
      query["cursor"] = next
    }
  }
}

extension Connection {
  /// Returns an instant for a request about a manual clock.
  ///
  /// - Throws: `ServiceError` for a date that no manual clock shows.
  @discardableResult
  func instantOfClock(_ date: Date, for method: String, _ path: String) throws -> Instant {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    let (first, last) = (Instant.earliest, Instant.latestOfClock)
    guard milliseconds >= Double(first.milliseconds), milliseconds <= Double(last.milliseconds) else {
      throw ServiceError(
        status: nil, code: "invalid", title: "was not sent: a date is out of range",
        detail: "a manual clock shows instants from \(first.text) to \(last.text); the date is "
          + "\(date.timeIntervalSince1970) seconds after 1970", request: "\(method) \(service.url)\(path)")
    }
    return Instant(milliseconds: Int64(milliseconds))
  }
}

/// One page of a list.
struct Page<Item: Decodable>: Decodable {
  let items: [Item]
  let next: String?
}

extension HTTPClientRequest {
  fileprivate var summary: String { "\(method.rawValue) \(url)" }
}

extension TimeAmount {
  init(_ duration: Duration) {
    self = .milliseconds(Int64(duration.milliseconds))
  }
}

extension String {
  /// The string percent-encoded as a path segment or a query value (RFC 3986, section 2.3).
  var pathPart: String { PercentEncoding.component.encode(self) }
}
