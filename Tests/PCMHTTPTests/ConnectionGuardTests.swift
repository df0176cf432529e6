import NIOCore
import NIOPosix
import PCMTelemetry
import Testing

@testable import PCMHTTP

@Suite(.timeLimit(.minutes(10))) struct ConnectionGuardTests {
  @Test("a connection whose heads cannot be checked is closed")
  func noDecoder() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let server = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ConnectionGuard(limits: .patient, metricSet: MetricSet()))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let client = try await ClientBootstrap(group: group)
      .connect(host: "127.0.0.1", port: try #require(server.localAddress?.port)).get()
    try await client.closeFuture.get()
    try await server.close()
  }
}
