package import Hummingbird
import NIOCore

/// What travels with one request through the control API.
package struct APIContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// The connection, or with HTTP/2 the stream.
  let channel: any Channel

  package init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

/// How much of a body is read.
enum BodyLimit {
  static let json = 65_536
  static let manifest = 1_048_576
}
