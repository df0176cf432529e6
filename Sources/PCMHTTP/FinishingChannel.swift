import HummingbirdCore
import Logging
import NIOCore

/// An HTTP/1.1 channel that runs the requests of a connection on the connection's event loop, and finishes its writer when the
/// connection closes.
///
/// A request that takes microseconds otherwise costs two changes of thread, from the loop to the global executor and back.
/// ``RouteTable`` moves other requests there, so that they do not delay the other connections of the loop.
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
    await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
      await channel.handle(value: value, logger: logger)
    }
  }
}

/// Runs tasks on an event loop.
final class EventLoopExecutor: TaskExecutor {
  private let eventLoop: any EventLoop

  init(_ eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
