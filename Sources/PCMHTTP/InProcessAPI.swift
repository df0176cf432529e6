import HTTPTypes
import Hummingbird
package import Logging
import NIOConcurrencyHelpers
import NIOCore

/// The control API without a port: its routes, called within the process.
package struct InProcessAPI: Sendable {
  private let responder: RouterResponder<APIContext>
  private let logger: Logger

  package struct Response: Hashable, Sendable {
    package let status: Int
    package let body: [UInt8]
  }

  package init(_ api: ControlAPI, logger: Logger) {
    responder = api.router().buildResponder()
    self.logger = logger
  }

  /// - Parameters:
  ///   - path: The path and query, percent-encoded.
  ///   - mediaType: The media type of the body; an empty body has none.
  ///   - accept: The media type of the response; nil for any.
  /// - Throws: Only if a route is broken; errors of the API are responses.
  package func call(
    _ method: String, _ path: String, body: [UInt8], mediaType: String = "application/json", accept: String? = nil
  ) async throws -> Response {
    guard let method = HTTPRequest.Method(method) else { return Response(status: 405, body: []) }
    var fields: HTTPFields = [:]
    fields[.accept] = accept
    if !body.isEmpty {
      fields[.contentType] = mediaType
      fields[.contentLength] = String(body.count)
    }
    let request = Request(
      head: HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path, headerFields: fields),
      body: RequestBody(buffer: ByteBuffer(bytes: body)))
    let response = try await responder.respond(to: request, context: APIContext(logger: logger))
    return Response(status: response.status.code, body: try await bytes(of: response.body))
  }

  private func bytes(of body: ResponseBody) async throws -> [UInt8] {
    let collected = NIOLockedValueBox<[UInt8]>([])
    try await body.write(CollectingWriter(collected: collected))
    return collected.withLockedValue { $0 }
  }
}

/// Collects the bytes that a route writes.
private struct CollectingWriter: ResponseBodyWriter {
  let collected: NIOLockedValueBox<[UInt8]>

  func write(_ buffer: ByteBuffer) async throws {
    collected.withLockedValue { $0 += buffer.readableBytesView }
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
