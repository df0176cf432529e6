import Logging
import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMNetwork
import UnixSignals

/// The service and the reference report endpoint of the demo, both on ports that the kernel chooses.
struct DemoStage {
  let folder: String
  let subject: Subject

  enum Subject: Hashable {
    /// An app with this Info.plist shows ads for web pages.
    case app(manifest: String)
    /// An ad leads to an app.
    case device
    /// An ad on a web page, in Chromium; nil to let people start it.
    case pages(chromium: String?, port: Int)
  }

  func perform() async throws {
    let logger = LogFormat.text.logger(level: .error)
    let authority = try CertificateAuthority(now: SystemTime.now)
    let caFile = folder + "/authority.pem"
    try TextFile.write(try authority.pem, to: caFile, isSecret: false)
    let identity = try authority.issue(for: [Self.source, Self.destination, DeviceDemoStory.networkHost])
    let (arrivals, arrived) = AsyncStream.makeStream(of: Entry.self)
    // Small keys are quick to generate.
    let files = TokenKeyFiles(arguments: [], size: .bits2048)
    let endpointPort = FirstValue<Int>()
    let receiver = EndpointService(
      host: "127.0.0.1", port: pagePort ?? 0, keys: try ring(files), files: files, appAds: try AppAds(), identity: identity,
      adminHosts: ["localhost", "127.0.0.1"], adminToken: nil, hasSites: pagePort != nil,
      logger: logger, record: { arrived.yield($0) }, onListening: { endpointPort.set($0) })
    try await running([receiver.server], on: endpointPort, logger: logger) { port in
      let route = NetworkRoute(connectTo: ["::127.0.0.1:\(port)"], caFile: caFile)
      let settings = ServiceSettings(port: 0, dataDirectory: folder + "/data", route: route)
      let servicePort = FirstValue<Int>()
      let service = try await Composition(settings, logger: logger) { servicePort.set($0) }
      try await running(service.services, on: servicePort, logger: logger) { servicePort in
        let base = "http://127.0.0.1:\(servicePort)"
        let signals = await UnixSignalsSequence(trapping: endingSignals)
        try StandardOutput.write(
          "The service runs on \(base), and \(pagePort == nil ? "a report endpoint" : "both sites") on https://127.0.0.1:\(port).\n\n"
        )
        let sites = ChromiumSites(port: port, keyDigest: try identity.publicKeyDigest)
        let nonces = try await mintNonces(at: receiver.endpoint)
        try await tell(base: base, nonces: nonces, sites: sites, arrivals: arrivals, until: signals)
      }
    }
  }

  /// The signals that end the demo in order; others end the process. They are trapped before the first line, after which a
  /// signal may come.
  private var endingSignals: [UnixSignal] {
    guard case .pages(nil, _) = subject else { return [] }
    return [.sigint, .sigterm]
  }

  /// The port of the sites with pages; nil without pages.
  private var pagePort: Int? {
    guard case .pages(_, let port) = subject else { return nil }
    return port
  }

  private static let source = "news.example"
  private static let destination = "shop.example"

  /// Each site has a separate key.
  private func ring(_ files: TokenKeyFiles) throws -> KeyRing {
    KeyRing(
      common: KeySeries(current: try files.generate()),
      byHost: [Self.destination: KeySeries(current: try files.generate())], names: [Self.source])
  }

  /// The servers of both sites mint a nonce for each page that they serve.
  private func mintNonces(at endpoint: ReportEndpoint) async throws -> DemoStory.Nonces {
    let nonces = DemoStory.Nonces(
      source: Base64URL.encode(SystemChance.bytes(16)), destination: Base64URL.encode(SystemChance.bytes(16)))
    _ = try await endpoint.register([nonces.source, nonces.destination])
    return nonces
  }

  private func tell(
    base: String, nonces: DemoStory.Nonces, sites: ChromiumSites, arrivals: AsyncStream<Entry>,
    until signals: UnixSignalsSequence
  ) async throws {
    let address = base + (subject == .device ? DeviceDemoStory.device : DemoStory.browser)
    try await ServiceClient.with(address, remedy: "start the demo again") { service in
      let client = DemoClient(service: service, arrivals: arrivals, say: { try StandardOutput.write($0 + "\n") })
      switch subject {
      case .app(let manifest): try await DemoStory(client: client, manifest: manifest, nonces: nonces).tell()
      case .device: try await DeviceDemoStory(client: client).tell()
      case .pages(let chromium?, _):
        try await PagesDemoStory(client: client).tell(in: chromium, sites: sites, folder: folder)
      case .pages(nil, _):
        try await PagesDemoStory(client: client).serve(base: base, sites: sites, folder: folder, until: signals)
      }
    }
  }
}
