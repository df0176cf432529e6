import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import PCMHTTP

@Suite struct FinishingChannelTests {
  @Test("A connection that no task handles does not end the process")
  func unhandled() async throws {
    let channel = NIOAsyncTestingChannel()
    let http = HTTP1Channel(responder: { _, writer, _ in try await writer.writeResponse(.init(status: .ok)) })
    try await channel.testingEventLoop.executeInContext {
      // The value is released here, as by a server that no longer accepts connections.
      _ = FinishingChannel(http).setup(channel: channel, logger: Logger(label: "test"))
    }
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).get()
    #expect(channel.isActive)
    try await channel.close()
  }
}
