import Hummingbird
import HummingbirdCore
import NIOCore

/// The limits of one connection, and of all connections together.
///
/// NIO's decoder enforces ``headerFields`` and ``headBytes``, and Hummingbird enforces ``accepted``. ``ConnectionGuard``
/// enforces the others, which have no counterpart in either:
///
/// * ``connections``: Hummingbird stops accepting at its limit, and further callers wait without a response. Here they
///   receive 503.
/// * ``targetBytes``: NIO's decoder treats the target as a field, so a target that is too long (414) is
///   indistinguishable from a head that is too large (431).
/// * ``writeTime``, ``unreadBytes``: Neither has a limit for callers that do not read their responses.
/// * ``preparedResponses``, ``waitingResponses``: ``LongResponses`` enforces them, because a connection does not know how long
///   its response will be.
/// * ``aheadBytes``: ``RequestsAhead`` enforces it. Hummingbird stops reading, and so does not notice the end of the connection.
/// * ``bodyBytes``: Hummingbird compares the length only when a route reads the body.
/// * ``openingTime``, ``headTime``, ``bodyTime``, ``idleTime``: Hummingbird has one idle timeout. Each complete part of a
///   request restarts it, so a body that trickles in never times out. It does not see the bytes of an incomplete head, so it
///   closes a connection in the middle of one. It closes without a response, where a slow request must receive 408. NIO's
///   `IdleStateHandler` counts every byte, so a head that trickles in never times out, and it counts the time before a
///   response as idle.
package struct ServerLimits: Hashable, Sendable {
  /// The maximum number of connections; further ones receive 503 and are closed.
  package var connections = 1_024
  /// The maximum number of header fields of a request.
  package var headerFields = 100
  /// The maximum size of a request's target, names, and values together.
  package var headBytes = 32_768
  /// The maximum size of a request's target.
  package var targetBytes = 8_192
  /// The maximum `Content-Length` of a request. No route reads a larger body.
  package var bodyBytes = BodyLimit.manifest
  /// From the connection to the first byte.
  package var openingTime = Duration.seconds(10)
  /// From the first byte of a request to the end of its head.
  package var headTime = Duration.seconds(10)
  /// From the end of the head to the end of the body. The time of a response is not limited.
  package var bodyTime = Duration.seconds(30)
  /// From a response to the next request.
  package var idleTime = Duration.seconds(120)
  /// From a part of a response that waits for its caller until the caller accepts some of it.
  package var writeTime = Duration.seconds(30)
  /// The size of such a part, and of the output that the system accepts before it sends it. Larger responses are large.
  package var partBytes = 65_536
  /// The maximum total of the bytes of large responses that wait for their callers. Beyond it, calls with large responses
  /// receive 503.
  package var unreadBytes = 67_108_864
  /// The maximum number of long responses that are prepared at a time. Each takes some megabytes.
  package var preparedResponses = 8
  /// The maximum number of calls that wait until their long responses are prepared. Further ones receive 503.
  package var waitingResponses = 128
  /// The maximum size of the requests that a caller sends before the response to an earlier one has ended. A connection with
  /// more is closed.
  package var aheadBytes = 65_536
  /// The time that a rejected connection stays open, so that the caller can read the response.
  package var lingerTime = Duration.seconds(1)

  package init(connections: Int = 1_024) {
    self.connections = connections
  }

  /// The maximum number of calls that wait for events, and of event streams, together.
  var waits: Int { max(1, connections / 2) }

  /// The number of connections that are accepted; further callers wait in the system's queue. The difference to
  /// ``connections`` leaves room for 503 responses without exhausting the process's file descriptors.
  package var accepted: Int { connections + 64 }
}

extension ServerLimits {
  /// - Parameter makeHandlers: Creates the handlers that enforce the limits of a connection.
  func channel(_ makeHandlers: @escaping @Sendable () -> [any RemovableChannelHandler]) -> HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(
      additionalChannelHandlers: makeHandlers(),
      httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: headBytes, maxHeaderListSize: headBytes, maxHeaderFieldCount: headerFields))
  }
}
