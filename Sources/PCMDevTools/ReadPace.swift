import NIOCore

/// Reads from a socket at most every 10 milliseconds.
///
/// A page with 40 images causes 300 messages while it loads, and a client that wakes for each message takes processor time
/// from the page. The first message after a pause is read at once, so that a page that waits for commands starts at once.
final class ReadPace: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer

  static let pause = TimeAmount.milliseconds(10)

  private var timer: Scheduled<Void>?
  /// Whether a read waits for the end of the pause.
  private var isWanted = false

  func channelReadComplete(context: ChannelHandlerContext) {
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { self.endPause(context) }
    context.fireChannelReadComplete()
  }

  func read(context: ChannelHandlerContext) {
    if timer == nil { context.read() } else { isWanted = true }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
    timer = nil
  }

  private func endPause(_ context: ChannelHandlerContext) {
    timer = nil
    guard isWanted else { return }
    isWanted = false
    context.read()
  }
}
