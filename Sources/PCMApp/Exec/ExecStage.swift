import Logging
import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMHTTP
import PCMNetwork

/// The service of `exec`, with a report endpoint if one is wanted, on ports that the kernel chooses.
struct ExecStage {
  var settings: ServiceSettings
  /// The folder for the certificates to trust; nil without a report endpoint.
  let receiverFolder: String?
  let logger: Logger
  /// Writes a line to the log, such as one for a report that arrived.
  let log: @Sendable (String) -> Void

  /// Runs the service while `body` runs.
  ///
  /// - Parameter body: Receives the variables that name the service; nil for one to remove.
  func run<Value: Sendable>(
    during body: @escaping @Sendable (_ variables: [String: String?]) async throws -> Value
  ) async throws -> Value {
    guard let receiverFolder else {
      return try await serve { try await body($0.merging(["PCM_RECEIVER_URL": nil, "PCM_CA_FILE": nil]) { $1 }) }
    }
    let authority = try CertificateAuthority(now: SystemTime.now)
    let caFile = receiverFolder + "/ca.pem"
    let others = try settings.route.caFile.map { try TextFile.read($0, upTo: TextFile.pemLimit) } ?? ""
    try TextFile.write(try authority.pem + "\n" + others, to: caFile, isSecret: false)
    let port = FirstValue<Int>()
    let receiver = try receiver(authority) { port.set($0) }
    return try await running([receiver.server], on: port, logger: logger) { port in
      log("pcm-browser receive is listening on https://127.0.0.1:\(port), certificate authority in \(caFile)")
      var stage = self
      stage.settings.route.connectTo.append("::127.0.0.1:\(port)")
      stage.settings.route.caFile = caFile
      return try await stage.serve {
        let variables = ["PCM_RECEIVER_URL": "https://127.0.0.1:\(port)", "PCM_CA_FILE": caFile]
        return try await body($0.merging(variables) { $1 })
      }
    }
  }

  private func serve<Value: Sendable>(
    during body: @escaping @Sendable (_ variables: [String: String?]) async throws -> Value
  ) async throws -> Value {
    let port = FirstValue<Int>()
    let composition = try await Composition(settings, logger: logger) { port.set($0) }
    let loopback = ["0.0.0.0": "127.0.0.1", "::": "::1"]
    let address = loopback[settings.host] ?? settings.host
    let host = ServiceOptions.inURL(address)
    return try await running(composition.services, on: port, logger: logger) { port in
      log("pcm-browser is listening on http://\(host):\(port)")
      var variables = ProxyExceptions.variables(in: Environment.variables, host: address)
      variables["PCM_BROWSER_URL"] = "http://\(host):\(port)"
      if let token = settings.apiToken { variables["PCM_BROWSER_API_TOKEN"] = token }
      return try await body(variables)
    }
  }

  /// The endpoint of every host. It issues a certificate for each host that a client requests.
  private func receiver(
    _ authority: CertificateAuthority, onListening: @escaping @Sendable (_ port: Int) -> Void
  ) throws -> EndpointService {
    let names = ["localhost", "127.0.0.1"]
    // Small keys are quick to generate.
    let files = TokenKeyFiles(arguments: [], size: .bits2048)
    return EndpointService(
      host: "127.0.0.1", port: 0, keys: KeyRing(common: KeySeries(current: try files.generate()), names: nil), files: files,
      appAds: try AppAds(), identity: try authority.issue(for: names),
      issue: { host in Authority(argument: host) == nil ? nil : try? authority.issue(for: [host]) }, adminHosts: names,
      adminToken: Environment.adminToken, logger: logger,
      record: { entry in
        if let line = ReportLine(entry)?.text ?? PostbackLine(entry)?.text { log(line) }
      }, onListening: onListening)
  }
}
