import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import PCMHTTP

@Suite struct ConnectionSetupTests {
  @Test("The system accepts little output before it sends it, so that a slow reader makes progress within the write time")
  func unsentBytes() async throws {
    let (values, accepted) = AsyncStream.makeStream(of: Int.self)
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.configureHTTPServerPipeline()
          try pipeline.addHandler(ConnectionSetup(limits: .patient, metricSet: MetricSet(), scheme: "http"))
          let option = ChannelOptions.Types.SocketOption.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT))
          accepted.yield(Int(try #require(channel.syncOptions).getOption(option)))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let client = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(to: try #require(server.localAddress)).get()
    let value = await values.first { _ in true }
    // Without the limit, the value is 0, and the limit of the system grows to megabytes.
    #expect(value == 131_072)
    try await client.close()
    try await server.close()
  }
}
