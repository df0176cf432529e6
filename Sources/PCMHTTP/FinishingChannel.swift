import HummingbirdCore
import Logging
import NIOCore

/// An HTTP/1.1 channel that finishes the writer of a connection when the connection closes.
///
/// A connection that is accepted while the server stops may reach no handler. NIO ends the process when the writer of such a
/// connection is released before it is finished (apple/swift-nio#2637).
struct FinishingChannel: ServerChildChannel {
  private let channel: HTTP1Channel

  init(_ channel: HTTP1Channel) {
    self.channel = channel
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    self.channel.setup(channel: channel, logger: logger).map { value in
      channel.closeFuture.whenComplete { _ in
        Task { try? await value.executeThenClose { _, _ in } }
      }
      return value
    }
  }

  @concurrent func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await channel.handle(value: value, logger: logger)
  }
}
