import ArgumentParser
import Logging
import PCMCertificates
import PCMCore
import PCMReceiver
import PCMTokens
import ServiceLifecycle
import UnixSignals

struct ReceiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive",
    abstract: "Run a reference report endpoint: reports, token keys, signing, verification, and faults on command.",
    discussion: """
      Examples:
        pcm-browser receive --name news.example --name shop.example
        pcm-browser receive --port 0 --key token-key.pem --reports reports.jsonl
        pcm-browser receive --name shop.example \\
          --certificate shop.pem --private-key shop-key.pem

      Once it listens, one line on standard output says where, and which file has the
      certificate authority to trust. Then:
        pcm-browser serve \\
          --connect-to ::127.0.0.1:8443 --ca-file pcm-browser-receiver-ca.pem

      Browsers call /.well-known/private-click-measurement/ (report-attribution,
      get-token-public-key, sign-unlinkable-token, trigger-attribution) and
      /pixel?data=12&priority=3[&source=URL][&nonce=NONCE], which redirects to
      trigger-attribution. Tests call /admin/: GET and DELETE reports, GET requests,
      POST nonces, GET, PUT and DELETE faults, GET keys, POST keys/rotate. With
      --admin-token callers of /admin/ send it as Authorization: Bearer; without it
      only callers from loopback are let in. GET /healthz is for probes: it is not
      listed, and no fault meets it.

      Faults: status, redirect, delay, trickle, reset-before-body, reset-after-body,
      stream-reset, wrong-key, forged-signature, short-signature:
        curl -X PUT …/admin/faults --json '{"seed":1,"faults":[
          {"on":"report","fault":"status","status":503,"times":2}]}'

      Every host name is a party of its own; those without a key of their own (--key
      HOST=FILE) share one.
      """)

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The port to listen on; 0 lets the kernel choose.")
  var port = 8443

  @Option(
    help: ArgumentHelp(
      "A host name to serve, as senders call it. May be repeated. The certificate made for this run names it besides "
        + "localhost and the listening address. (default: localhost and 127.0.0.1)"))
  var name: [String] = []

  @Option(help: "The server's certificate and its chain in PEM. Without it, one is issued by an authority made for this run.")
  var certificate: String?

  @Option(help: "The certificate's private key in PEM.")
  var privateKey: String?

  @Option(help: "Where the certificate of the authority made for this run is written.")
  var caOut = "./pcm-browser-receiver-ca.pem"

  @Option(
    help: ArgumentHelp(
      "The token key in PEM, created when absent; with HOST= that host's own. May be repeated. Without it, one is made for this run.",
      valueName: "[HOST=]FILE"))
  var key: [String] = []

  @Option(help: "How large keys are made: 2048, 3072 or 4096 bits.")
  var keyBits = 4_096

  @Option(
    help: ArgumentHelp(
      "The public key of a party that is served elsewhere, as get-token-public-key answers it or in PEM; without HOST= of every other.",
      valueName: "[HOST=]FILE"))
  var otherKey: [String] = []

  @Option(help: "A file to which every request is appended, a JSON object a line.")
  var reports: String?

  @Option(help: "What callers of /admin/ must send as Authorization: Bearer; PCM_BROWSER_ADMIN_TOKEN does the same.")
  var adminToken: String?

  @Option(help: "What the log on standard error tells.")
  var logLevel = LogLevel.notice

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535, not \(port)") }
    guard TokenPrivateKey.Size(rawValue: keyBits) != nil else {
      throw ValidationError("--key-bits is 2048, 3072 or 4096, not \(keyBits)")
    }
    guard (certificate == nil) == (privateKey == nil) else {
      throw ValidationError("--certificate and --private-key go together")
    }
    try token.validate()
  }

  /// Every user of the machine can read a command line; the environment is the better place.
  private var token: AccessToken {
    AccessToken(option: "--admin-token", adminToken, variable: "PCM_BROWSER_ADMIN_TOKEN", Environment.adminToken)
  }

  func run() async throws {
    let logger = LogFormat.text.logger(level: logLevel.level)
    let names = name.isEmpty ? ["localhost", "127.0.0.1"] : name.map { $0.lowercased() }
    let files = TokenKeyFiles(arguments: key, size: TokenPrivateKey.Size(rawValue: keyBits) ?? .bits4096)
    let ring = try files.ring(names: names, others: otherKey)
    let lines = try reports.map { try LineFile(path: $0) }
    let identity = try identity(names: names)
    let (host, authority) = (host.contains(":") ? "[\(host)]" : host, certificate == nil ? caOut : nil)
    let service = EndpointService(
      host: self.host, port: port, keys: ring, files: files, identity: identity, adminToken: token.text, logger: logger,
      record: { lines?.append($0.json.text) },
      onListening: { port in
        let trust = authority.map { ", certificate authority in \($0)" } ?? ""
        StandardOutput.write("pcm-browser receive is listening on https://\(host):\(port)\(trust)\n")
      })
    var configuration = ServiceGroupConfiguration(
      services: [service.server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(10)
    try await ServiceGroup(configuration: configuration).run()
  }

  private func identity(names: [String]) throws -> ServerIdentity {
    if let certificate, let privateKey {
      return ServerIdentity(certificate: try TextFile.read(certificate), privateKey: try TextFile.read(privateKey))
    }
    let authority = try CertificateAuthority(now: SystemTime.now)
    try TextFile.write(try authority.pem, to: caOut, isSecret: false)
    return try authority.issue(for: names + ownNames.filter { !names.contains($0) })
  }

  /// What callers on this machine call the receiver, whatever hosts it serves: `--token-admin` names its address.
  private var ownNames: [String] {
    let local = ["localhost", "127.0.0.1", "::1"]
    // To listen on all addresses is no address to call.
    return ["0.0.0.0", "::"].contains(host) || local.contains(host) ? local : local + [host.lowercased()]
  }
}
