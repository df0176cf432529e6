import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
package import Logging
import NIOCore
import NIOSSL
package import PCMCrypto
import ServiceLifecycle

/// The reference report endpoint on a TCP port, with TLS, HTTP/2, and HTTP/1.1.
package struct EndpointServer: Service {
  private let responder: RouterResponder<APIContext>
  private let host: String
  private let port: Int
  private let certificate: String
  private let privateKey: String
  private let issue: (@Sendable (_ host: String) -> ServerIdentity?)?
  private let limits: ServerLimits
  private let logger: Logger
  private let onListening: @Sendable (_ port: Int) -> Void

  /// The limits of the service, except for the number of connections: Hummingbird accepts as many as the process can open.
  package static let limits = ServerLimits(connections: 65_535)

  /// - Parameters:
  ///   - port: 0 lets the kernel choose.
  ///   - certificate: The server's certificate and its chain in PEM.
  ///   - privateKey: The certificate's private key in PEM.
  ///   - issue: Returns a certificate for the host name that a client requests; nil for the server's certificate.
  ///   - onListening: Receives the port once connections are accepted.
  package init(
    api: EndpointAPI, host: String, port: Int, certificate: String, privateKey: String,
    issue: (@Sendable (_ host: String) -> ServerIdentity?)? = nil,
    limits: ServerLimits = EndpointServer.limits, logger: Logger,
    onListening: @escaping @Sendable (_ port: Int) -> Void
  ) {
    responder = api.router().buildResponder()
    self.host = host
    self.port = port
    self.certificate = certificate
    self.privateKey = privateKey
    self.issue = issue
    self.limits = limits
    self.logger = logger
    self.onListening = onListening
  }

  /// Serves until the graceful shutdown of the task.
  ///
  /// - Throws: ``ListenError``, ``CertificateError``
  package func run() async throws {
    let onListening = onListening
    let application = Application(
      responder: responder, server: try secureServer(),
      configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil),
      onServerRunning: { channel in onListening(channel.localAddress?.port ?? 0) }, logger: logger)
    try await listening(on: host, port: port) { try await application.run() }
  }

  private var configuration: HTTP2UpgradeChannel.Configuration {
    HTTP2UpgradeChannel.Configuration(
      idleTimeout: limits.idleTime, streamConfiguration: limits.channel(metricSet: MetricSet(), scheme: "https"))
  }

  private func secureServer() throws(CertificateError) -> HTTPServerBuilder {
    guard let chain = try? NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)), !chain.isEmpty else {
      throw .certificateUnreadable
    }
    // Without a callback, an encrypted key would prompt for its password on the terminal.
    guard
      let key = try? NIOSSLPrivateKey(bytes: Array(privateKey.utf8), format: .pem, passphraseCallback: { $0(Array("".utf8)) })
    else { throw .privateKeyUnreadable }
    var tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    // Earlier versions are deprecated (RFC 8996), and no browser that sends reports uses them.
    tls.minimumTLSVersion = .tlsv12
    if let issue {
      tls.sslContextCallback = { client, override in
        override.completeWith(Result { try client.serverHostname.flatMap(issue).map(Self.override) ?? .noChanges })
      }
    }
    do {
      // The server creates its context at its start, which is too late for a specific error.
      _ = try NIOSSLContext(configuration: tls)
      return try .http2Upgrade(tlsConfiguration: tls, configuration: configuration)
    } catch {
      throw .rejected
    }
  }
}

extension EndpointServer {
  private static func override(_ identity: ServerIdentity) throws -> NIOSSLContextConfigurationOverride {
    var override = NIOSSLContextConfigurationOverride()
    override.certificateChain = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificate.utf8)).map { .certificate($0) }
    override.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.privateKey.utf8), format: .pem))
    return override
  }
}

/// The reason why a server cannot use its certificate and private key.
package enum CertificateError: Error, Hashable, Sendable, CaseIterable {
  case certificateUnreadable
  case privateKeyUnreadable
  /// The two are not a pair, or TLS rejects one of them.
  case rejected

  package var detail: String {
    switch self {
    case .certificateUnreadable: "--certificate contains no readable PEM certificate."
    case .privateKeyUnreadable: "--private-key contains no PEM private key that is readable without a password."
    case .rejected: "--certificate and --private-key do not match, or TLS rejects one of them."
    }
  }
}
