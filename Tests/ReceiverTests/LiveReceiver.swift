import Logging
import NIOCore
import NIOPosix
import NIOSSL
import PCMCrypto
import PCMHTTP
import ServiceLifecycle
import TLSSupport
import Testing

/// The report endpoint on a real socket with TLS, for callers whose bytes the test chooses.
struct LiveReceiver {
  let port: Int

  /// Limits of time that no machine is slow enough to reach.
  static var patient: ServerLimits {
    var limits = ServerLimits()
    (limits.idleTime, limits.writeTime) = (.seconds(600), .seconds(600))
    return limits
  }

  static func run(
    _ api: EndpointAPI? = nil, limits: ServerLimits = patient, _ body: (LiveReceiver) async throws -> Void
  ) async throws {
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let identity = try TestAuthority().issue(names: ["localhost"])
    let server = EndpointServer(
      api: try api ?? ReceiverAPI.api(), host: "127.0.0.1", port: 0, certificate: identity.certificate,
      privateKey: identity.privateKey, limits: limits, logger: logger, onListening: { listening.yield($0) })
    let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: logger))
    let running = Task { try await group.run() }
    var port: Int?
    for await listening in ports {
      port = listening
      break
    }
    do {
      try await body(LiveReceiver(port: try #require(port)))
    } catch {
      running.cancel()
      throw error
    }
    running.cancel()
    _ = await running.result
  }

  /// Sends bytes over HTTP/1.1, and returns everything that comes back until the endpoint closes the connection.
  func exchange(_ text: String) async throws -> String {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.certificateVerification = .none
    let context = try NIOSSLContext(configuration: tls)
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
          return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { input, output in
      try await output.write(ByteBuffer(string: text))
      var answer = ""
      for try await bytes in input { answer += String(buffer: bytes) }
      return answer
    }
  }
}
