import HTTPTypes

/// The error that ends a connection before the response to a request.
enum ConnectionError: Error, Equatable {
  /// The text names the fault and the remedy.
  case malformed(String)
  /// The body has a transfer coding other than `chunked`.
  case unknownCoding
  case headTooLarge(ServerLimits)
  case bodyTooLarge(limit: Int)
  case tooManyConnections(limit: Int)

  /// The bytes are not a request. The texts of the decoder's errors name its parts, so callers do not see them.
  static let notHTTP = ConnectionError.malformed("the request is not valid HTTP/1.1")

  var problem: Problem {
    switch self {
    case .malformed(let detail): .malformed(detail)
    case .unknownCoding:
      Problem(
        code: "unknown-coding", title: "Unknown transfer coding", status: .notImplemented,
        detail: "the Transfer-Encoding field has a coding other than chunked; send the body without it")
    case .headTooLarge(let limits):
      Problem(
        code: "head-too-large", title: "Request head too large", status: .requestHeaderFieldsTooLarge,
        detail:
          "the maximum is \(limits.headerFields) fields, and \(limits.headBytes) bytes of target, names, and values")
    case .bodyTooLarge(let limit): .tooLarge(limit: limit)
    case .tooManyConnections(let limit):
      Problem(
        code: "too-many-connections", title: "Too many connections", status: .serviceUnavailable,
        detail: "\(limit) connections are open; close some, or start the service with a larger --max-connections",
        headers: [.retryAfter: "1"])
    }
  }

  var label: ClosedConnection {
    switch self {
    case .malformed, .unknownCoding: .malformed
    case .headTooLarge: .headTooLarge
    case .bodyTooLarge: .bodyTooLarge
    case .tooManyConnections: .tooManyConnections
    }
  }
}
