import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore
package import PCMCore

/// Records calls that may change a browser.
package protocol CallRecorder: Sendable {
  /// Performs a call, and records it with its response.
  ///
  /// - Parameters:
  ///   - waiting: Runs the wait for earlier calls, and cancels it when the caller closes the connection.
  ///   - body: Performs the call; the bytes of the response are nil when the call returned an error.
  func record<Value>(
    _ call: ObservedCall, waiting: (_ wait: @escaping @Sendable () async throws -> Void) async throws -> Void,
    _ body: () async throws -> (Value, response: [UInt8]?)
  ) async throws -> Value
}

/// A call to a browser as received.
package struct ObservedCall: Sendable {
  package let browser: BrowserName
  package let method: String
  /// The path after the browser's name, without a slash at the start.
  package let resource: String
  /// The query's `site`.
  package let site: String?
  package let body: [UInt8]
}

/// Passes each call that may change a browser to the recorder, with its body and its response. Both are short.
struct CallRecording: RouterMiddleware {
  let recorder: any CallRecorder

  @concurrent func handle(
    _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    guard request.method != .get, request.method != .head else { return try await next(request, context) }
    guard let target = Target(path: request.uri.path) else {
      return try await recordingCreation(request, try await next(request, context))
    }
    // An expectation changes nothing, and may wait for the effect of another call.
    if target.resource == "expectations" { return try await next(request, context) }
    var request = request
    let body = try await request.bytes(upTo: BodyLimit.manifest)
    request.body = RequestBody(buffer: body)
    let call = ObservedCall(
      browser: target.browser, method: request.method.rawValue, resource: target.resource,
      site: QueryReader(request).text("site"), body: Array(body.readableBytesView))
    return try await recorder.record(call, waiting: context.cancelingOnClose) { [request] in
      let response = try await next(request, context)
      guard response.status.kind == .successful, !response.isReplayed else { return (response, nil) }
      let bytes = try await response.body.bytes()
      return (
        Response(status: response.status, headers: response.headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))),
        response: bytes
      )
    }
  }

  /// Records the creation of a browser whose name the service generated, like a creation with this name.
  private func recordingCreation(_ request: Request, _ response: Response) async throws -> Response {
    guard response.status == .created, !response.isReplayed, let location = response.headers[.location],
      let target = Target(path: location)
    else {
      return response
    }
    let call = ObservedCall(browser: target.browser, method: "PUT", resource: target.resource, site: nil, body: [])
    let bytes = Array("{}".utf8)
    return try await recorder.record(call) { wait in
      try await wait()
    } _: {
      (response, response: bytes)
    }
  }

  private struct Target {
    let browser: BrowserName
    let resource: String

    init?(path: String) {
      let parts = path.split(separator: "/").map { PercentEncoding.decoded($0.utf8, plusIsSpace: false) }
      guard parts.count >= 3, parts[0] == "v1", ["browsers", "devices"].contains(parts[1]) else { return nil }
      browser = BrowserName(parts[2])
      resource = parts.dropFirst(3).joined(separator: "/")
    }
  }
}

extension ResponseBody {
  /// Returns all bytes that the body writes.
  func bytes() async throws -> [UInt8] {
    let collected = NIOLockedValueBox<[UInt8]>([])
    try await write(CollectingWriter(collected: collected))
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
