import HTTPTypes
import PCMTelemetry

/// The error that ends a connection before the response to a request.
enum ConnectionError: Error, Equatable {
  /// The text says what is wrong, and the remedy.
  case malformed(String)
  /// The body has a transfer coding other than `chunked`.
  case unknownCoding
  /// The caller expects anything but 100.
  case unknownExpectation
  case headTooLarge(ServerLimits)
  case targetTooLong(limit: Int)
  case bodyTooLarge(limit: Int)
  /// A part of the request did not arrive in time.
  case tooSlow(String, limit: Duration)
  case tooManyConnections(limit: Int)

  /// The bytes are not those of a request. The texts of the decoder's errors name its parts, so callers do not see them.
  static let notHTTP = ConnectionError.malformed("the request is not valid HTTP/1.1")

  var problem: Problem {
    switch self {
    case .malformed(let detail): .malformed(detail)
    case .unknownCoding:
      Problem(
        code: "unknown-coding", title: "Unknown transfer coding", status: .notImplemented,
        detail: "the Transfer-Encoding field has a coding other than chunked; send the body without it")
    case .unknownExpectation:
      Problem(
        code: "unknown-expectation", title: "Unknown expectation", status: .expectationFailed,
        detail: "the Expect field has an expectation other than 100-continue; omit it")
    case .headTooLarge(let limits):
      Problem(
        code: "head-too-large", title: "Request head too large", status: .requestHeaderFieldsTooLarge,
        detail:
          "the maximum is \(limits.headerFields) fields, and \(limits.headBytes) bytes of target, names, and values")
    case .targetTooLong(let limit):
      Problem(
        code: "target-too-long", title: "Request target too long", status: .uriTooLong,
        detail: "the maximum size of path and query is \(limit) bytes")
    case .bodyTooLarge(let limit): .tooLarge(limit: limit)
    case .tooSlow(let part, let limit):
      Problem(
        code: "too-slow", title: "Request timeout", status: .requestTimeout,
        detail: "\(part) of the request did not arrive within \(limit)")
    case .tooManyConnections(let limit):
      Problem(
        code: "too-many-connections", title: "Too many connections", status: .serviceUnavailable,
        detail: "\(limit) connections are open; close some, or start the service with a larger --max-connections",
        headers: [.retryAfter: "1"])
    }
  }

  var label: ClosedConnectionLabels {
    switch self {
    case .malformed, .unknownCoding, .unknownExpectation: .malformed
    case .headTooLarge: .headTooLarge
    case .targetTooLong: .targetTooLong
    case .bodyTooLarge: .bodyTooLarge
    case .tooSlow: .tooSlow
    case .tooManyConnections: .tooManyConnections
    }
  }
}
