import NIOCore

/// One end of a channel for straight-line code: incoming messages as a sequence, outgoing messages as calls that wait.
///
/// Not `NIOAsyncChannel`, which ends the process when one is dropped unused, as happens to connections that are
/// accepted while a server stops. No back pressure on incoming messages: tests send little.
struct Line<Message: Sendable>: Sendable {
  let channel: any Channel
  /// Ends when the channel is closed.
  let incoming: AsyncStream<Message>

  /// On the channel's event loop, before anything can have been read.
  init(_ channel: any Channel) throws {
    self.channel = channel
    let (incoming, continuation) = AsyncStream.makeStream(of: Message.self)
    self.incoming = incoming
    try channel.pipeline.syncOperations.addHandler(Reader(continuation))
  }

  /// Returns when the message has been handed to the system.
  func write(_ message: Message) async throws {
    try await channel.writeAndFlush(message).get()
  }

  private final class Reader: ChannelInboundHandler {
    typealias InboundIn = Message

    private let continuation: AsyncStream<Message>.Continuation

    init(_ continuation: AsyncStream<Message>.Continuation) {
      self.continuation = continuation
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      continuation.yield(unwrapInboundIn(data))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
      continuation.finish()
      context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      continuation.finish()
    }
  }
}
