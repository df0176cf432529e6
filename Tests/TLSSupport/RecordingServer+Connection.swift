import NIOCore
import NIOHTTP2
import NIOSSL

extension RecordingServer {
  /// The channel of one connection, with TLS and the protocol on top.
  struct Wire: Sendable {
    typealias Streams = NIOHTTP2Handler.AsyncStreamMultiplexer<
      NIOAsyncChannel<HTTP2Frame.FramePayload, HTTP2Frame.FramePayload>
    >

    let channel: any Channel
    let hello = ClientHello()
    let talk: Talk

    enum Talk: Sendable {
      case http1(NIOAsyncChannel<ByteBuffer, ByteBuffer>)
      case http2(Streams)
    }

    /// On the channel's event loop.
    init(_ channel: any Channel, _ context: NIOSSLContext, _ version: Version) throws {
      self.channel = channel
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(ConnectionTap(hello))
      try pipeline.addHandler(NIOSSLServerHandler(context: context))
      switch version {
      case .http1: talk = .http1(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
      case .http2:
        talk = .http2(
          try pipeline.configureAsyncHTTP2Pipeline(mode: .server) { stream in
            stream.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: stream) }
          })
      }
    }
  }

  /// One connection and what is to be said on it.
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
          case .http1(let channel):
            try await channel.executeThenClose { incoming, outgoing in
              var conversation = HTTP1Conversation(self, outgoing)
              try await conversation.run(incoming)
            }
          case .http2(let streams): try await serve(streams)
          }
        } catch {
          try? await end(.drop)
        }
      } onCancel: {
        wire.channel.triggerUserOutboundEvent(ConnectionTap.Order.drop, promise: nil)
      }
    }

    private func serve(_ streams: Wire.Streams) async throws {
      try await withThrowingDiscardingTaskGroup { group in
        for try await stream in streams.inbound {
          group.addTask {
            // A stream that the client resets takes no other with it.
            try? await stream.executeThenClose { incoming, outgoing in
              try await HTTP2Conversation(connection: self, outgoing: outgoing).run(incoming)
            }
          }
        }
      }
    }

    func end(_ order: ConnectionTap.Order) async throws {
      try await wire.channel.triggerUserOutboundEvent(order).get()
    }
  }
}
