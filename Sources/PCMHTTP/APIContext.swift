package import Hummingbird
import Logging
import NIOCore

/// What travels with one request through the control API.
package struct APIContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The connection, or with HTTP/2 the stream; nil for a request that was made within the process.
  let channel: (any Channel)?

  package init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// For a request within the process.
  init(logger: Logger) {
    coreContext = CoreRequestContextStorage(source: InProcessSource(logger: logger))
    channel = nil
  }
}

private struct InProcessSource: RequestContextSource {
  let logger: Logger
}

/// How much of a body is read.
enum BodyLimit {
  static let json = 65_536
  static let manifest = 1_048_576
  static let scenario = 262_144
}
