import NIOCore
import NIOHTTP2
import NIOSSL

extension RecordingServer {
  /// The channel of one connection, with TLS if there is any, and the protocol on top.
  struct Wire: Sendable {
    let channel: any Channel
    let hello = ClientHello()
    let talk: Talk

    enum Talk: Sendable {
      case http1(Line<ByteBuffer>)
      /// The streams, and the frames of the connection itself.
      case http2(AsyncStream<Line<HTTP2Frame.FramePayload>>, Line<HTTP2Frame>)
    }

    /// On the channel's event loop.
    init(_ channel: any Channel, _ context: NIOSSLContext?, _ version: Version, _ moment: Moment) throws {
      self.channel = channel
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(ConnectionTap(hello))
      if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
      switch version {
      case .http1: talk = .http1(try Line(channel))
      case .http2: talk = .http2(try Self.streams(of: channel, moment), try Line(channel))
      }
      // Also of a connection that was accepted and not served any more.
      channel.parent?.closeFuture.whenComplete { _ in
        channel.triggerUserOutboundEvent(ConnectionTap.Order.drop, promise: nil)
      }
    }

    private static func streams(of channel: any Channel, _ moment: Moment) throws -> AsyncStream<Line<HTTP2Frame.FramePayload>>
    {
      let (streams, continuation) = AsyncStream.makeStream(of: Line<HTTP2Frame.FramePayload>.self)
      channel.closeFuture.whenComplete { _ in continuation.finish() }
      var configuration = NIOHTTP2Handler.StreamConfiguration()
      if moment == .head { configuration.targetWindowSize = 1 }
      _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
        mode: .server, connectionConfiguration: .init(), streamConfiguration: configuration
      ) { stream in
        stream.eventLoop.makeCompletedFuture { _ = continuation.yield(try Line(stream)) }
      }
      return streams
    }
  }

  /// One connection and its answers.
  struct Connection: Sendable {
    let number: Int
    let wire: Wire
    let script: Script

    var hello: ClientHello { wire.hello }

    /// Until it is over. Clients break connections and refuse certificates; none of that is the server's failure.
    func serve() async {
      await withTaskCancellationHandler {
        do {
          switch wire.talk {
          case .http1(let line):
            var conversation = HTTP1Conversation(connection: self, line: line)
            try await conversation.run()
            try await line.channel.close()
          case .http2(let streams, let frames): await serve(streams, frames)
          }
        } catch {
          try? await end(.drop)
        }
      } onCancel: {
        wire.channel.triggerUserOutboundEvent(ConnectionTap.Order.drop, promise: nil)
      }
    }

    private func serve(_ streams: AsyncStream<Line<HTTP2Frame.FramePayload>>, _ frames: Line<HTTP2Frame>) async {
      await withDiscardingTaskGroup { group in
        for await line in streams {
          group.addTask {
            // A stream that the client resets takes no other with it.
            try? await HTTP2Conversation(connection: self, line: line, frames: frames).run()
            try? await line.channel.close()
          }
        }
      }
    }

    func end(_ order: ConnectionTap.Order) async throws {
      try await wire.channel.triggerUserOutboundEvent(order).get()
    }
  }
}
