import Hummingbird
import HummingbirdCore
import NIOCore
import PCMTelemetry

/// What one caller, and all of them together, may take of the server.
///
/// NIO's decoder enforces ``headerFields`` and ``headBytes``, and Hummingbird enforces ``accepted``. ``ConnectionGuard``
/// enforces the others, which have no counterpart in either:
///
/// * ``connections``: Hummingbird stops accepting at its limit, and callers beyond it wait without an answer. Here they are
///   answered with 503.
/// * ``targetBytes``: to NIO's decoder, the target is a field like any other, so a target that is too long could not be
///   told from a head that is too large (414 and 431).
/// * ``openingTime``, ``headTime``, ``bodyTime``, ``idleTime``: Hummingbird has one idle timeout. Each complete part of a
///   request restarts it, so a body that drips is never cut off; it does not see the bytes of a head that is not complete,
///   so it closes a connection in the middle of one; and it closes without an answer, where a request that is too slow is
///   answered with 408. NIO's `IdleStateHandler` counts every byte, so a head that drips is never cut off, and it takes
///   the quiet before an answer for idleness.
package struct ServerLimits: Hashable, Sendable {
  /// Connections that are served at a time; more are told so and closed.
  package var connections = 1_024
  /// Header fields of a request.
  package var headerFields = 100
  /// Bytes of a request's target, names and values together.
  package var headBytes = 32_768
  /// Bytes of a request's target alone.
  package var targetBytes = 8_192
  /// From the connection to the first byte.
  package var openingTime = Duration.seconds(10)
  /// From the first byte of a request to the end of its head.
  package var headTime = Duration.seconds(10)
  /// From the end of the head to the end of the body. An answer may take as long as it likes.
  package var bodyTime = Duration.seconds(30)
  /// From an answer to the next request.
  package var idleTime = Duration.seconds(120)
  /// How long a connection that was refused is kept for the caller to read why.
  package var lingerTime = Duration.seconds(1)

  package init(connections: Int = 1_024) {
    self.connections = connections
  }

  /// Connections that are accepted at all; beyond them callers wait in the system's queue. The difference is room for
  /// telling those who are too many, without letting their number eat up the files that a process may open.
  package var accepted: Int { connections + 64 }
}

extension ServerLimits {
  func channel(_ metricSet: MetricSet) -> HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(
      additionalChannelHandlers: [ConnectionGuard(limits: self, metricSet: metricSet)],
      httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: headBytes, maxHeaderListSize: headBytes, maxHeaderFieldCount: headerFields))
  }
}
