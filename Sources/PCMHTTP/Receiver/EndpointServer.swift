import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
package import Logging
import NIOSSL
import ServiceLifecycle

/// The reference report endpoint on a TCP port, with TLS, HTTP/2 and HTTP/1.1.
package struct EndpointServer: Service {
  private let responder: RouterResponder<APIContext>
  private let host: String
  private let port: Int
  private let certificate: String
  private let privateKey: String
  private let logger: Logger
  private let onListening: @Sendable (_ port: Int) -> Void

  /// - Parameters:
  ///   - port: 0 lets the kernel choose.
  ///   - certificate: the server's certificate and its chain in PEM.
  ///   - privateKey: its private key in PEM.
  ///   - onListening: told the port once connections are accepted.
  package init(
    api: EndpointAPI, host: String, port: Int, certificate: String, privateKey: String, logger: Logger,
    onListening: @escaping @Sendable (_ port: Int) -> Void
  ) {
    responder = api.router().buildResponder()
    self.host = host
    self.port = port
    self.certificate = certificate
    self.privateKey = privateKey
    self.logger = logger
    self.onListening = onListening
  }

  /// Serves until the graceful shutdown of the task.
  package func run() async throws {
    let onListening = onListening
    let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map { NIOSSLCertificateSource.certificate($0) }
    let key = try NIOSSLPrivateKey(bytes: Array(privateKey.utf8), format: .pem)
    var tls = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
    // What is earlier is not to be spoken any more (RFC 8996), and no browser that sends reports does.
    tls.minimumTLSVersion = .tlsv12
    let application = Application(
      responder: responder, server: try .http2Upgrade(tlsConfiguration: tls),
      configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil),
      onServerRunning: { channel in onListening(channel.localAddress?.port ?? 0) }, logger: logger)
    try await application.run()
  }
}
