import NIOCore
import NIOEmbedded
import Testing

@testable import PCMDevTools

struct ReadPaceTests {
  @Test("The first read is at once, and the next read waits for the end of the pause")
  func pause() throws {
    let reads = ReadCounter()
    let channel = EmbeddedChannel(handlers: [reads, ReadPace()])
    channel.read()
    #expect(reads.count == 1)
    channel.pipeline.fireChannelReadComplete()
    channel.read()
    channel.embeddedEventLoop.advanceTime(by: ReadPace.pause - .nanoseconds(1))
    #expect(reads.count == 1)
    channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
    #expect(reads.count == 2)
    channel.embeddedEventLoop.advanceTime(by: ReadPace.pause)
    #expect(reads.count == 2)
    channel.read()
    #expect(reads.count == 3)
    _ = try channel.finish()
  }

  @Test("A connection that ends during a pause reads no more")
  func end() throws {
    let reads = ReadCounter()
    let channel = EmbeddedChannel(handlers: [reads, ReadPace()])
    channel.pipeline.fireChannelReadComplete()
    channel.read()
    _ = try channel.finish()
    channel.embeddedEventLoop.advanceTime(by: ReadPace.pause)
    #expect(reads.count == 0)
  }

  /// Counts the reads that reach the socket.
  private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private(set) var count = 0

    func read(context: ChannelHandlerContext) {
      count += 1
      context.read()
    }
  }
}
