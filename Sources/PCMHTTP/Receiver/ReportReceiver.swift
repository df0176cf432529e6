import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
package import Logging
import NIOSSL
import ServiceLifecycle

/// A report endpoint over TLS that takes what comes and hands it on as it arrived.
package struct ReportReceiver: Service {
  /// One report as it was received.
  package struct Arrival: Hashable, Sendable {
    package let method: String
    /// The host that the sender wanted to reach.
    package let authority: String
    package let path: String
    /// In the order in which they came.
    package let headers: [Header]
    package let body: String

    package struct Header: Hashable, Sendable {
      package let name: String
      package let value: String
    }
  }

  private let certificate: String
  private let key: String
  private let logger: Logger
  private let onListening: @Sendable (_ port: Int) -> Void
  private let onArrival: @Sendable (Arrival) -> Void

  /// - Parameters:
  ///   - certificate: the server's certificate in PEM.
  ///   - key: its private key in PEM.
  package init(
    certificate: String, key: String, logger: Logger, onListening: @escaping @Sendable (_ port: Int) -> Void,
    onArrival: @escaping @Sendable (Arrival) -> Void
  ) {
    self.certificate = certificate
    self.key = key
    self.logger = logger
    self.onListening = onListening
    self.onArrival = onArrival
  }

  package func run() async throws {
    let onListening = onListening
    let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map { NIOSSLCertificateSource.certificate($0) }
    let privateKey = try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)
    let application = Application(
      router: router,
      server: try .http2Upgrade(
        tlsConfiguration: .makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(privateKey))),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0), serverName: nil),
      onServerRunning: { channel in onListening(channel.localAddress?.port ?? 0) }, logger: logger)
    try await application.run()
  }

  private var router: Router<BasicRequestContext> {
    let onArrival = onArrival
    let router = Router()
    router.post("/.well-known/private-click-measurement/report-attribution") { request, _ in
      let body = try await request.body.collect(upTo: BodyLimit.json)
      onArrival(
        Arrival(
          method: request.method.rawValue, authority: request.head.authority ?? "", path: request.uri.path,
          headers: request.headers.map { Arrival.Header(name: $0.name.canonicalName, value: $0.value) },
          body: String(buffer: body)))
      return HTTPResponse.Status.ok
    }
    return router
  }
}
