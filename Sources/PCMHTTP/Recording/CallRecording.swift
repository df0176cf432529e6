import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore
import PCMBrowser
import PCMCore

/// Shows the recorder each call that may change a browser, with its body and its answer, both of which are short.
struct CallRecording: RouterMiddleware {
  let recorder: SessionRecorder
  let browsers: Browsers

  @concurrent func handle(
    _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    guard request.method != .get, request.method != .head, let target = Target(path: request.uri.path) else {
      return try await next(request, context)
    }
    var request = request
    let body = try await request.bytes(upTo: BodyLimit.manifest)
    request.body = RequestBody(buffer: body)
    let call = ObservedCall(
      browser: target.browser, method: request.method.rawValue, resource: target.resource,
      site: QueryReader(request).text("site"), body: Array(body.readableBytesView))
    return try await recorder.record(call, in: browsers) { [request] in
      let response = try await next(request, context)
      guard response.status.kind == .successful else { return (response, nil) }
      let bytes = try await response.body.bytes()
      return (
        Response(status: response.status, headers: response.headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))),
        answer: bytes
      )
    }
  }

  private struct Target {
    let browser: String
    let resource: String

    init?(path: String) {
      let parts = path.split(separator: "/").map { PercentEncoding.decoded($0.utf8, plusIsSpace: false) }
      guard parts.count >= 3, parts.starts(with: ["v1", "browsers"]) else { return nil }
      browser = parts[2]
      resource = parts.dropFirst(3).joined(separator: "/")
    }
  }
}

extension ResponseBody {
  /// All that the body writes.
  func bytes() async throws -> [UInt8] {
    let collected = NIOLockedValueBox<[UInt8]>([])
    try await write(CollectingWriter(collected: collected))
    return collected.withLockedValue { $0 }
  }
}

/// Keeps what a route writes.
private struct CollectingWriter: ResponseBodyWriter {
  let collected: NIOLockedValueBox<[UInt8]>

  func write(_ buffer: ByteBuffer) async throws {
    collected.withLockedValue { $0 += buffer.readableBytesView }
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
