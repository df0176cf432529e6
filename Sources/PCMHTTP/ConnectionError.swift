import HTTPTypes
import PCMTelemetry

/// Why a connection ends before a request was answered.
enum ConnectionError: Equatable {
  case malformed(String)
  case headTooLarge(ServerLimits)
  case targetTooLong(limit: Int)
  /// What did not come in time.
  case tooSlow(String, limit: Duration)
  case tooManyConnections(limit: Int)

  var problem: Problem {
    switch self {
    case .malformed(let why): .malformed("the request is not HTTP: \(why)")
    case .headTooLarge(let limits):
      Problem(
        name: "head-too-large", title: "The request's head is too large", status: .requestHeaderFieldsTooLarge,
        detail:
          "a head may have at most \(limits.headerFields) fields, and \(limits.headBytes) bytes of target, names and values")
    case .targetTooLong(let limit):
      Problem(
        name: "target-too-long", title: "The request's target is too long", status: .uriTooLong,
        detail: "path and query may have at most \(limit) bytes")
    case .tooSlow(let part, let limit):
      Problem(
        name: "too-slow", title: "The request took too long to arrive", status: .requestTimeout,
        detail: "\(part) of the request did not come within \(limit)")
    case .tooManyConnections(let limit):
      Problem(
        name: "too-many-connections", title: "The service has too many connections", status: .serviceUnavailable,
        detail: "\(limit) connections are open; close some, or start the service with a larger --max-connections",
        headers: [.retryAfter: "1"])
    }
  }

  var label: RefusalLabels {
    switch self {
    case .malformed: .malformed
    case .headTooLarge: .headTooLarge
    case .targetTooLong: .targetTooLong
    case .tooSlow: .tooSlow
    case .tooManyConnections: .tooManyConnections
    }
  }
}
