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

  private func secureServer() throws(CertificateError) -> HTTPServerBuilder {
    guard let chain = try? NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)), !chain.isEmpty else {
      throw .certificateUnreadable
    }
    // An encrypted key would ask for its password on the terminal.
    guard
      let key = try? NIOSSLPrivateKey(bytes: Array(privateKey.utf8), format: .pem, passphraseCallback: { $0(Array("".utf8)) })
    else { throw .privateKeyUnreadable }
    var tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    // Earlier versions are deprecated (RFC 8996), and no browser that sends reports uses them.
    tls.minimumTLSVersion = .tlsv12
    do {
      // The server makes its context when it starts, which is too late to tell why it cannot.
      _ = try NIOSSLContext(configuration: tls)
      return try .http2Upgrade(tlsConfiguration: tls)
    } catch {
      throw .refused
    }
  }
}

/// Why a server cannot use the certificate and the private key that it was given.
package enum CertificateError: Error, Hashable, Sendable, CaseIterable {
  case certificateUnreadable
  case privateKeyUnreadable
  /// The two are not a pair, or TLS refuses one of them.
  case refused

  package var detail: String {
    switch self {
    case .certificateUnreadable: "--certificate has no certificate in PEM that can be read."
    case .privateKeyUnreadable: "--private-key has no private key in PEM that can be read without a password."
    case .refused: "--certificate and --private-key do not belong together, or TLS does not allow one of them."
    }
  }
}
