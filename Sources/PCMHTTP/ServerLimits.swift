import Hummingbird
import HummingbirdCore
import NIOCore

/// The limits of one connection, and of all connections together.
///
/// NIO's decoder enforces ``headerFields`` and ``headBytes``. Hummingbird enforces ``accepted`` and ``idleTime``, which also limits the
/// time for a head and between two parts of a body, because only complete parts restart it. ``ConnectionLimits`` enforces the others.
package struct ServerLimits: Hashable, Sendable {
  /// The maximum number of connections; further connections receive 503 and are closed.
  package var connections = 1_024
  /// The maximum number of header fields of a request.
  package var headerFields = 100
  /// The maximum size of a request's target, names, and values together.
  package var headBytes = 32_768
  /// The maximum `Content-Length` of a request. No route reads a larger body.
  package var bodyBytes = BodyLimit.manifest
  /// The time without a complete part of a request after which a connection is closed, unless a response is being prepared.
  package var idleTime = Duration.seconds(75)
  /// The time after which a caller that accepts nothing of a response loses the connection.
  package var writeTime = Duration.seconds(30)
  /// The time that a rejected connection stays open, so that the caller can read the response.
  package var lingerTime = Duration.seconds(1)

  package init(connections: Int = 1_024) {
    self.connections = connections
  }

  /// The number of connections that are accepted; further callers wait in the system's queue. The difference to
  /// ``connections`` leaves room for 503 responses without exhausting the process's file descriptors.
  package var accepted: Int { connections + 64 }
}

extension ServerLimits {
  /// The configuration of a channel that enforces the limits.
  func channel(metricSet: MetricSet, scheme: String) -> HTTP1Channel.Configuration {
    HTTP1Channel.Configuration(
      additionalChannelHandlers: [ConnectionSetup(limits: self, metricSet: metricSet, scheme: scheme)],
      idleTimeout: TimeAmount(idleTime),
      httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
        maxHeaderFieldSize: headBytes, maxHeaderListSize: headBytes, maxHeaderFieldCount: headerFields))
  }
}
