import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends HTTP requests to a service and decodes its JSON responses.
struct Connection: Sendable {
  let service: PCMService

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
    let request = try request(method, path, query, headers: ["Accept": accept], body: body)
    let deadline = service.timeout + patience
    let (status, bytes) = try await translatingErrors(of: request) {
      do {
        return try await HTTPTransport.ofProcess.response(to: request, within: deadline)
      } catch let error as URLError where method == Self.post && Self.disconnections.contains(error.code) {
        return try await HTTPTransport.ofProcess.response(to: request, within: deadline)
      }
    }
    guard 200..<300 ~= status else { throw ServiceError(status: status, body: bytes, request: request.summary) }
    return bytes
  }

  private static let post = "POST"

  /// The errors of a connection that existed and closed before the response was complete: as reset, with no byte, and within the
  /// response, for which URLSession on Linux has no code.
  private static let disconnections: Set<URLError.Code> = [.networkConnectionLost, .badServerResponse, .unknown]

  /// Opens the log as server-sent events.
  ///
  /// - Parameter lastEventID: The identifier of the last received event; nil for the beginning of the stream.
  /// - Returns: The body, and the incarnation of the browser.
  func stream(
    _ path: String, query: [String: String], after lastEventID: String?
  ) async throws -> (body: HTTPTransport.Parts, incarnation: String?) {
    let resuming = lastEventID.map { ["Last-Event-ID": $0] } ?? [:]
    let request = try request("GET", path, query, headers: ["Accept": "text/event-stream"].merging(resuming) { $1 })
    return try await translatingErrors(of: request) {
      // A reader that is slower than the service continues later, on another connection.
      let parts = HTTPTransport.ofProcess.parts(of: request, keeping: .bufferingOldest(256), within: nil)
      guard case .head(let head)? = try await parts.next() else { throw URLError(.badServerResponse) }
      guard head.statusCode == 200 else {
        var bytes = Data()
        while case .bytes(let data)? = try await parts.next() { bytes.append(data) }
        throw ServiceError(status: head.statusCode, body: bytes, request: request.summary)
      }
      return (parts, head.value(forHTTPHeaderField: "Browser-Incarnation"))
    }
  }

  private func request(
    _ method: String, _ path: String, _ query: [String: String], headers: [String: String], body: Body? = nil
  ) throws -> URLRequest {
    let parameters = query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.pathPart)" }.joined(separator: "&")
    // A path may end with the values of a repeatable parameter.
    let separator = path.contains("?") ? "&" : "?"
    let text = service.url + path + (parameters.isEmpty ? "" : separator + parameters)
    guard let url = URL(string: text) else {
      throw ServiceError(noResponseFrom: service, request: "\(method) \(text)", because: URLError(.badURL))
    }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body?.bytes
    var headers = headers
    headers["Authorization"] = service.token.map { "Bearer \($0)" }
    headers["Idempotency-Key"] = method == Self.post ? UUID().uuidString : nil
    headers["Content-Type"] = body?.mediaType
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  /// Distinguishes a service that does not respond from a canceled task.
  private func translatingErrors<Value>(of request: URLRequest, _ exchange: () async throws -> Value) async throws -> Value {
    do {
      return try await exchange()
    } catch let error as ServiceError {
      throw error
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

  /// Checks an instant for a request about a manual clock.
  ///
  /// - Throws: `ServiceError` for a date that no manual clock shows.
  func checkInstantOfClock(_ date: Date, for method: String, _ path: String) throws {
    let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
    guard milliseconds >= 0, milliseconds <= 253_370_764_799_999 else {
      throw ServiceError(
        status: nil, code: "invalid", title: "was not sent: a date is out of range",
        detail: "a manual clock shows instants from 1970-01-01T00:00:00.000Z to 9998-12-31T23:59:59.999Z; the date is "
          + "\(date.timeIntervalSince1970) seconds after 1970", request: "\(method) \(service.url)\(path)")
    }
  }
}

/// One page of a list.
struct Page<Item: Decodable>: Decodable {
  let items: [Item]
  let next: String?
}

extension URLRequest {
  fileprivate var summary: String { "\(httpMethod ?? "GET") \(url?.absoluteString ?? "")" }
}
