import NIOCore
import NIOHTTP2
import NIOPosix
import NIOSSL
package import PCMCrypto

/// A real server on loopback, with TLS or without, that records its requests and has scripted answers.
package final class RecordingServer: Sendable {
  /// The threads of all servers. On the clients' threads, the handshakes of a thousand connections would delay other tests.
  private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)

  /// The only version that it speaks, and agrees to by ALPN.
  package enum Version: String, Sendable, CaseIterable {
    case http1 = "http/1.1"
    case http2 = "h2"
  }

  /// The versions of TLS that it speaks.
  package enum Security: Hashable, Sendable {
    /// All that there are.
    case any
    case before12
    case only12
    case from12

    var versions: (least: TLSVersion, most: TLSVersion?) {
      switch self {
      case .any: (.tlsv1, nil)
      case .before12: (.tlsv1, .tlsv11)
      case .only12: (.tlsv12, .tlsv12)
      case .from12: (.tlsv12, nil)
      }
    }
  }

  /// When it answers a request.
  package enum Moment: Hashable, Sendable {
    case end
    /// As soon as the head arrives. It then ends the stream (RFC 9113, section 8.1). Its window for bodies is so small that
    /// a body of more than 64 KiB cannot have been sent by then.
    case head
  }

  /// Chosen by the kernel.
  package let port: Int
  private let log: RequestLog
  private let serving: Task<Void, any Error>

  private init(port: Int, log: RequestLog, serving: Task<Void, any Error>) {
    self.port = port
    self.log = log
    self.serving = serving
  }

  deinit { serving.cancel() }

  /// Starts to listen. `stop` ends it.
  ///
  /// - Parameters:
  ///   - identity: The certificate that it shows; nil for a server that speaks HTTP/1.1 without TLS.
  ///   - version: Its version of HTTP.
  ///   - security: Its version of TLS.
  ///   - host: An address of loopback.
  ///   - moment: When an answer goes out. Over HTTP/1.1 it is always the end of the request.
  ///   - onHead: Runs when a request's head has been read, before the rest is, and holds up the answer until it returns.
  ///   - answer: Decides about each request when all of it has been read and recorded. It may take its time.
  /// - Returns: A server that accepts connections already.
  /// - Throws: When the identity cannot be read or no port can be had.
  package static func start(
    _ identity: ServerIdentity?, version: Version = .http1, security: Security = .any, host: String = "127.0.0.1",
    moment: Moment = .end,
    onHead: @escaping @Sendable (RecordedRequest) async -> Void = { _ in },
    answer: @escaping @Sendable (RecordedRequest) async -> Reply = { _ in Reply() }
  ) async throws -> RecordingServer {
    let context = try identity.map { try NIOSSLContext(configuration: configuration($0, version, security)) }
    let listener = try await ServerBootstrap(group: Self.group)
      .serverChannelOption(.backlog, value: 1_024)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .bind(host: host, port: 0) { channel in
        channel.eventLoop.makeCompletedFuture { try Wire(channel, context, version, moment) }
      }
    let log = RequestLog()
    let script = Script(moment: moment, log: log, onHead: onHead, answer: answer)
    let serving = Task {
      try await listener.executeThenClose { wires in
        try await withThrowingDiscardingTaskGroup { group in
          var number = 0
          for try await wire in wires {
            number += 1
            let connection = Connection(number: number, wire: wire, script: script)
            group.addTask { await connection.serve() }
          }
        }
      }
    }
    return RecordingServer(port: listener.channel.localAddress?.port ?? 0, log: log, serving: serving)
  }

  /// Everything received so far, in the order of arrival.
  package var requests: [RecordedRequest] {
    get async { await log.requests }
  }

  /// Waits until so many requests have been received, and returns all of them. Returns early when the task is canceled.
  package func requests(count: Int) async -> [RecordedRequest] {
    await log.requests(count: count)
  }

  /// Closes the port and every connection.
  package func stop() async {
    serving.cancel()
    _ = await serving.result
  }

  private static func configuration(
    _ identity: ServerIdentity, _ version: Version, _ security: Security
  ) throws -> TLSConfiguration {
    let chain = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificate.utf8))
    let key = try NIOSSLPrivateKey(bytes: Array(identity.privateKey.utf8), format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    configuration.applicationProtocols = [version.rawValue]
    configuration.minimumTLSVersion = security.versions.least
    configuration.maximumTLSVersion = security.versions.most
    return configuration
  }

  /// The test's treatment of each request.
  struct Script: Sendable {
    let moment: Moment
    let log: RequestLog
    let onHead: @Sendable (RecordedRequest) async -> Void
    let answer: @Sendable (RecordedRequest) async -> Reply

    func headArrived(_ request: RecordedRequest) async {
      await onHead(request)
    }

    func reply(to request: RecordedRequest) async -> Reply {
      await log.append(request)
      return await answer(request)
    }
  }
}
