import ArgumentParser
import Logging
import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMHTTP
import ServiceLifecycle
import UnixSignals

struct ReceiveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive",
    abstract: "Run a reference endpoint for reports and postbacks: tokens, verification, and faults on command.",
    discussion: """
      Examples:
        pcm-browser receive --name news.example --name shop.example --ca-out ca.pem
        pcm-browser receive --port 0 --key token-key.pem --reports reports.jsonl
        pcm-browser receive --name shop.example \\
          --certificate shop.pem --private-key shop-key.pem
        pcm-browser receive --name network.example --postback-path /postbacks
        curl --cacert ca.pem --json @postback.json \\
          https://localhost:8443/postbacks

      When it is ready, it prints its address and the file with the certificate
      authority to trust. Open the address in a web browser to watch what arrives
      and to set faults. Then run:
        pcm-browser serve --connect-to ::127.0.0.1:8443 --ca-file ca.pem

      Browsers call /.well-known/private-click-measurement/ (report-attribution,
      get-token-public-key, sign-unlinkable-token, trigger-attribution) and
      /pixel?data=12&priority=3[&source=URL][&nonce=NONCE], which redirects to
      trigger-attribution. Devices send postbacks to
      /.well-known/skadnetwork/report-attribution/,
      /.well-known/appattribution/report-attribution/, and the paths of
      --postback-path, and request the signed values of a web ad at
      /.well-known/skadnetwork/get-signed-payload. Postbacks are verified with
      Apple's keys, the published test keys, and the keys of --postback-key. Each
      report and each postback is a line of the output, and --json prints every
      request as JSON.

      Tests call /admin/: GET and DELETE reports and postbacks (?environment=
      production, development, or test), GET postbacks/counts, GET requests,
      POST nonces, GET, PUT, and DELETE faults, GET keys, POST keys/rotate. With
      --admin-token, callers of /admin/ send the token as Authorization: Bearer;
      without it, only callers from loopback have access. The host of such a call is
      localhost, the listening address, or a --name. GET /healthz is for
      probes: it is not listed, and no fault applies to it.

      Faults: status, redirect, delay, trickle, reset-before-body, reset-after-body,
      stream-reset, truncated, wrong-content-type, wrong-key, forged-signature,
      short-signature, wrong-nonce, wrong-source-domain, and wrong-version, on report,
      key, sign, trigger, pixel, postback, or signed-payload:
        curl -X PUT …/admin/faults --json '{"seed":1,"faults":[
          {"on":"report","fault":"status","status":503,"times":2}]}'

      Every host name is a separate site. Sites without a separate key (--key
      HOST=FILE) share one.
      """)

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The port to listen on; 0 lets the kernel choose.")
  var port = 8443

  @Option(
    help: ArgumentHelp(
      "A host name to serve. May be repeated. The certificate for this run names it, localhost, and the listening "
        + "address. (default: localhost and 127.0.0.1)"))
  var name: [String] = []

  @Option(help: "The server's certificate and its chain in PEM. By default, an authority for this run issues one.")
  var certificate: String?

  @Option(help: "The certificate's private key in PEM.")
  var privateKey: String?

  @Option(
    help: ArgumentHelp(
      "The file for the certificate of this run's authority. (default: $XDG_STATE_HOME/pcm-browser/receiver-ca.pem, or "
        + "~/.local/state/pcm-browser/receiver-ca.pem)", valueName: "file"))
  var caOut: String?

  @Option(
    help: ArgumentHelp(
      "The token key in PEM, created when absent; with HOST=, that host's key. May be repeated. (default: a key for this run)",
      valueName: "[HOST=]FILE"))
  var key: [String] = []

  @Option(help: "The size of generated keys: 2048, 3072, or 4096 bits.")
  var keyBits = 4_096

  @Option(
    help: ArgumentHelp(
      "The public key of a site that another endpoint serves, in PEM or as in get-token-public-key; without HOST=, of all others.",
      valueName: "[HOST=]FILE"))
  var otherKey: [String] = []

  @OptionGroup(title: "Ads that lead to apps")
  var appAds: AppAdOptions

  @Option(help: "Append every request to this file, one JSON object per line.")
  var reports: String?

  @Flag(help: "Print JSON: an object with the address, and then one for every request, each on a line.")
  var json = false

  @Option(help: "The token that callers of /admin/ must send. PCM_BROWSER_ADMIN_TOKEN has the same effect.")
  var adminToken: String?

  @Option(help: "The level of the log on standard error.")
  var logLevel = LogLevel.notice

  func validate() throws {
    try ServiceOptions.check(port: port)
    guard TokenPrivateKey.Size(rawValue: keyBits) != nil else {
      throw ValidationError("--key-bits must be 2048, 3072, or 4096, not \(keyBits)")
    }
    guard (certificate == nil) == (privateKey == nil) else {
      throw ValidationError("use --certificate and --private-key together")
    }
    for name in name where !Self.isHost(name) {
      throw ArgumentError("--name", name, expected: "a host name in ASCII, as in news.example, or an IP address")
    }
    try token.validate()
  }

  /// A certificate can name only such hosts, and all hosts of a domain with an asterisk. It names an IPv6 address without
  /// brackets.
  private static func isHost(_ name: String) -> Bool {
    let host = name.hasPrefix("*.") ? String(name.dropFirst(2)) : name
    return !host.hasPrefix("[") && Authority(argument: host).map { $0.port == nil } ?? false
  }

  /// Other users of the machine can read a command line, so the environment is the better place.
  private var token: AccessToken {
    AccessToken(option: "--admin-token", adminToken, variable: "PCM_BROWSER_ADMIN_TOKEN", Environment.adminToken)
  }

  func run() async throws {
    try OpenFiles.requireEnough()
    let logger = LogFormat.text.logger(level: logLevel.level)
    let names = name.isEmpty ? ["localhost", "127.0.0.1"] : name.map { $0.lowercased() }
    let files = TokenKeyFiles(arguments: key, size: TokenPrivateKey.Size(rawValue: keyBits) ?? .bits4096)
    let appAds = try appAds.appAds()
    var newKeys = TokenKeyFiles.NewFiles()
    let ring = try files.ring(names: names, others: otherKey, new: &newKeys)
    let lines = try reports.map { path in
      try StartError.naming("--reports") { try LineFile(path: path) }
    }
    defer { lines?.discard() }
    let caFile = try caFile()
    let (identity, authority) = try identity(names: names, caFile: caFile)
    // Another receiver may listen on the port and use the same files.
    let prepared = newKeys.files + (authority.map { [$0] } ?? [])
    defer { for file in prepared { file.discard() } }
    let output = ReceiveOutput(host: ServiceOptions.inURL(address), authority: caFile, isJSON: json)
    let (reported, printed) = (ContinuedOutput(logger: logger), ContinuedOutput(logger: logger))
    let saved = ContinuedOutput(logger: logger)
    let service = EndpointService(
      host: address, port: port, keys: ring, files: files, appAds: appAds, identity: identity,
      adminHosts: names + ownNames, adminToken: token.text, logger: logger,
      record: { entry in
        reported.perform { try lines?.append(entry.json.text) }
        printed.perform { try output.write(entry) }
      },
      onListening: { port in
        lines?.commit()
        saved.perform { for file in prepared { try file.commit() } }
        printed.perform { try output.writeAddress(port: port) }
      })
    var configuration = ServiceGroupConfiguration(
      services: [service.server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(10)
    try await ServiceGroup(configuration: configuration).run()
  }

  /// Returns the file for the authority's certificate; nil for a certificate of the user.
  private func caFile() throws -> String? {
    guard certificate == nil else { return nil }
    if let caOut { return caOut }
    let folder = try Environment.stateFolder(insteadOf: "--ca-out")
    do {
      try DataFolder.create(folder)
    } catch {
      throw StartError(description: "cannot create the folder \(folder); use --ca-out")
    }
    return folder + "/receiver-ca.pem"
  }

  /// Returns the certificate, and the file of its authority; nil for a certificate of the user.
  private func identity(names: [String], caFile: String?) throws -> (ServerIdentity, authority: PreparedFile?) {
    if let certificate, let privateKey {
      let identity = ServerIdentity(
        certificate: try StartError.naming("--certificate") { try TextFile.read(certificate, upTo: TextFile.pemLimit) },
        privateKey: try StartError.naming("--private-key") { try TextFile.read(privateKey, upTo: TextFile.pemLimit) })
      return (identity, nil)
    }
    let authority = try CertificateAuthority(now: SystemTime.now)
    let pem = try authority.pem
    let file = try caFile.map { path in
      try StartError.naming("--ca-out") { try PreparedFile(pem + "\n", for: path, isSecret: false) }
    }
    return (try authority.issue(for: names + ownNames.filter { !names.contains($0) }), file)
  }

  /// The names by which callers on this machine reach the receiver, in addition to its hosts, such as for `--token-admin`.
  private var ownNames: [String] {
    let local = ["localhost", "127.0.0.1", "::1"]
    // The wildcard address is not an address to call.
    return ["0.0.0.0", "::"].contains(address) || local.contains(address) ? local : local + [address.lowercased()]
  }

  private var address: String { ServiceOptions.address(host) }
}
