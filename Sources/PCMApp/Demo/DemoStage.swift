import AsyncHTTPClient
import Logging
import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMNetwork

/// The service and the reference report endpoint of the demo, both on ports that the kernel chooses.
struct DemoStage {
  let folder: String
  /// The Info.plist of the app that shows ads for web pages; nil for ads that lead to apps.
  let manifest: String?

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
      host: "127.0.0.1", port: 0, keys: try ring(files), files: files, appAds: try AppAds(), identity: identity,
      adminHosts: ["localhost", "127.0.0.1"], adminToken: nil,
      logger: logger, record: { arrived.yield($0) }, onListening: { endpointPort.set($0) })
    try await running([receiver.server], on: endpointPort, logger: logger) { port in
      let route = NetworkRoute(connectTo: ["::127.0.0.1:\(port)"], caFile: caFile)
      let settings = ServiceSettings(port: 0, dataDirectory: folder + "/data", route: route)
      let servicePort = FirstValue<Int>()
      let service = try await Composition(settings, logger: logger) { servicePort.set($0) }
      try await running(service.services, on: servicePort, logger: logger) { servicePort in
        let base = "http://127.0.0.1:\(servicePort)"
        try StandardOutput.write("The service runs on \(base), and a report endpoint on https://127.0.0.1:\(port).\n\n")
        try await tell(base: base, nonces: try await mintNonces(at: receiver.endpoint), arrivals: arrivals)
      }
    }
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

  private func tell(base: String, nonces: DemoStory.Nonces, arrivals: AsyncStream<Entry>) async throws {
    let http = HTTPClient(eventLoopGroupProvider: .singleton)
    let client = DemoClient(
      base: base + (manifest == nil ? DeviceDemoStory.device : DemoStory.browser), http: http, arrivals: arrivals,
      say: { try StandardOutput.write($0 + "\n") })
    let told = await Result(catching: {
      if let manifest {
        try await DemoStory(client: client, manifest: manifest, nonces: nonces).tell()
      } else {
        try await DeviceDemoStory(client: client).tell()
      }
    })
    try await http.shutdown()
    try told.get()
  }
}
