import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOSSL
import PCMCore
import PCMEndpoint

/// Applies a fault to one request.
struct FaultPerformer: Sendable {
  /// The connection, or with HTTP/2 the stream; nil within the process, where nothing can be reset.
  let channel: (any Channel)?
  /// Returns after an interval. Throws `CancellationError` when the service stops, and another error when the caller leaves.
  let sleep: @Sendable (Interval) async throws -> Void

  /// Returns the response that replaces the normal one.
  func substitute(_ fault: InjectedFault) -> Response {
    let status = HTTPResponse.Status(code: fault.status)
    if fault.kind == .status, !status.allowsContent { return Response(status: status, headers: [.cacheControl: "no-store"]) }
    guard fault.kind == .redirect else {
      return Problem(
        code: "ordered-fault", title: "Ordered fault", status: status,
        detail: "this fault was ordered for the request"
      ).response
    }
    return Response(status: status, headers: [.location: fault.location, .cacheControl: "no-store"])
  }

  /// Returns the response to a processed request.
  func perform(_ fault: InjectedFault, on response: EndpointResponse) async throws -> Response {
    switch fault.kind {
    case .delay:
      try await wait(fault.pause)
      return response.httpResponse
    case .resetAfterBody: return try await resetConnection()
    case .trickle: return trickling(response, pause: fault.pause)
    case .streamReset: return endingInReset(response)
    case .truncated, .wrongContentType: return Self.changed(response, by: fault.kind).httpResponse
    case .status, .redirect, .resetBeforeBody, .wrongKey, .forgedSignature, .shortSignature, .wrongNonce, .wrongSourceDomain,
      .wrongVersion:
      return response.httpResponse
    }
  }

  /// Waits for an interval, which ends early when the service stops.
  private func wait(_ pause: Interval) async throws {
    do { try await sleep(pause) } catch is CancellationError {}
  }

  private static func changed(_ response: EndpointResponse, by fault: InjectedFault.Kind) -> EndpointResponse {
    var response = response
    if fault == .truncated { response.bytes.removeLast((response.bytes.count + 1) / 2) }
    if fault == .wrongContentType, !response.bytes.isEmpty { response.headers[.contentType] = "text/html" }
    return response
  }

  /// A stream has no socket; the parent of a connection is the listening socket.
  private var isStream: Bool { !(channel is any SocketOptionProvider) && channel?.parent != nil }

  /// Ends the connection, including all its streams, with a TCP reset. The returned response is not sent.
  func resetConnection() async throws -> Response {
    if let connection = isStream ? channel?.parent : channel {
      try await connection.eventLoop.submit { Self.reset(connection) }.get()
    }
    return Response(status: .ok)
  }

  /// Bypasses TLS, which would send a closure alert first. Call it on the event loop.
  private static func reset(_ connection: any Channel) {
    if let socket = connection as? any SocketOptionProvider {
      // Takes effect immediately on the event loop.
      _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
    if let tls = try? connection.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
      tls.close(promise: nil)
    } else {
      connection.close(promise: nil)
    }
  }

  private func trickling(_ response: EndpointResponse, pause: Interval) -> Response {
    Response(
      status: response.status, headers: response.headers,
      body: ResponseBody(contentLength: response.bytes.count) { writer in
        for byte in response.bytes {
          try await writer.write(ByteBuffer(bytes: [byte]))
          try await wait(pause)
        }
        try await writer.finish(nil)
      })
  }

  /// The response has no length, so that only the end of the stream, which never arrives, would complete it.
  private func endingInReset(_ response: EndpointResponse) -> Response {
    let (channel, isStream) = (channel, isStream)
    return Response(
      status: response.status, headers: response.headers,
      body: ResponseBody(contentLength: nil) { writer in
        try await writer.write(ByteBuffer(bytes: response.bytes))
        try await channel?.eventLoop.submit {
          if let channel { isStream ? channel.close(promise: nil) : Self.reset(channel) }
        }.get()
      })
  }
}

extension HTTPResponse.Status {
  /// Whether a response with this status can have a body (RFC 9110, section 6.4.1). A body breaks an HTTP/2 stream.
  fileprivate var allowsContent: Bool { kind != .informational && ![204, 205, 304].contains(code) }
}

/// A response before it is sent, so that a fault can modify it.
struct EndpointResponse: Sendable {
  var status = HTTPResponse.Status.ok
  var headers: HTTPFields = [.cacheControl: "no-store"]
  var bytes: [UInt8] = []

  init(status: HTTPResponse.Status, headers: HTTPFields = [:]) {
    self.status = status
    for field in headers { self.headers[field.name] = field.value }
  }

  init(json: JSON) {
    headers[.contentType] = "application/json"
    bytes = json.bytes
  }

  init(_ error: RequestError) {
    let problem = Problem(error)
    status = problem.status
    headers[.contentType] = "application/problem+json"
    bytes = problem.json.bytes
  }

  var httpResponse: Response {
    Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
