import NIOCore
import NIOPosix
import NIOSSL
package import PCMCrypto

/// A server on 127.0.0.1 that answers the first request of an HTTP/2 connection with a head, and then sends frames without content
/// until the client goes away.
package final class FloodingServer: Sendable {
  /// The endless response.
  package enum Frame: String, Sendable, CaseIterable {
    case emptyData
    case windowUpdate
    case ping
    case pingAnswer
    case settings
    case priority
    case continuation
    case unknownType

    /// One frame of the first stream or of the connection (RFC 9113, section 6).
    fileprivate var bytes: [UInt8] {
      switch self {
      case .emptyData: FloodingServer.frame(type: 0, stream: 1)
      case .windowUpdate: FloodingServer.frame(type: 8, stream: 1, payload: [0, 0, 0, 1])
      case .ping: FloodingServer.frame(type: 6, stream: 0, payload: [UInt8](repeating: 0, count: 8))
      case .pingAnswer: FloodingServer.frame(type: 6, flags: 1, stream: 0, payload: [UInt8](repeating: 0, count: 8))
      case .settings: FloodingServer.frame(type: 4, stream: 0)
      case .priority: FloodingServer.frame(type: 2, stream: 1, payload: [0, 0, 0, 0, 16])
      case .continuation: FloodingServer.frame(type: 9, stream: 1)
      case .unknownType: FloodingServer.frame(type: 0xFA, stream: 1)
      }
    }
  }

  /// Chosen by the kernel.
  package let port: Int
  private let listener: any Channel

  private init(_ listener: any Channel) {
    self.listener = listener
    port = listener.localAddress?.port ?? 0
  }

  /// - Throws: When the identity cannot be read or no port can be had.
  package static func start(_ identity: ServerIdentity, sending frame: Frame) async throws -> FloodingServer {
    let chain = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificate.utf8))
    let key = try NIOSSLPrivateKey(bytes: Array(identity.privateKey.utf8), format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.applicationProtocols = ["h2"]
    let context = try NIOSSLContext(configuration: configuration)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers(NIOSSLServerHandler(context: context), Flood(of: frame))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return FloodingServer(listener)
  }

  /// Closes the port. Connections end with their clients.
  package func stop() async {
    try? await listener.close()
  }

  fileprivate static func frame(type: UInt8, flags: UInt8 = 0, stream: UInt8, payload: [UInt8] = []) -> [UInt8] {
    [0, 0, UInt8(payload.count), type, flags, 0, 0, 0, stream] + payload
  }

  private final class Flood: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let frame: Frame
    private var received: [UInt8] = []
    private var hasBegun = false

    init(of frame: Frame) {
      self.frame = frame
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !hasBegun else { return }
      received += unwrapInboundIn(data).readableBytesView
      guard hasRequest else { return }
      hasBegun = true
      // The first settings, the answer to the client's, and the status 200 of a response that goes on (RFC 7541, appendix A).
      let mayEndHead: UInt8 = frame == .continuation ? 0 : 4
      let head = FloodingServer.frame(type: 1, flags: mayEndHead, stream: 1, payload: [0x88])
      let settings = FloodingServer.frame(type: 4, stream: 0) + FloodingServer.frame(type: 4, flags: 1, stream: 0)
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: settings + head)), promise: nil)
      let many = ByteBuffer(bytes: [[UInt8]](repeating: frame.bytes, count: 1_000).joined())
      Self.send(many, on: context.channel)
    }

    /// Whether the head of a request has arrived, after the 24 bytes that begin a connection (RFC 9113, section 3.4).
    private var hasRequest: Bool {
      var rest = received.dropFirst(24)
      while rest.count >= 9 {
        let start = rest.startIndex
        if rest[start + 3] == 1 { return true }
        rest = rest.dropFirst(9 + Int(rest[start]) << 16 + Int(rest[start + 1]) << 8 + Int(rest[start + 2]))
      }
      return false
    }

    /// Sends the frames again and again, each time after the system accepted the earlier frames.
    private static func send(_ frames: ByteBuffer, on channel: any Channel) {
      channel.writeAndFlush(frames).whenSuccess { send(frames, on: channel) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
