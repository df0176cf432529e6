import AsyncHTTPClient
import Logging
import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMNetwork
import ServiceLifecycle

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
    try await running([receiver.server], logger: logger) {
      let port = try await endpointPort.value
      let route = NetworkRoute(connectTo: ["::127.0.0.1:\(port)"], caFile: caFile)
      let settings = ServiceSettings(port: 0, dataDirectory: folder + "/data", route: route)
      let servicePort = FirstValue<Int>()
      let service = try await Composition(settings, logger: logger) { servicePort.set($0) }
      try await running(service.services, logger: logger) {
        let base = "http://127.0.0.1:\(try await servicePort.value)"
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

  /// Runs services while `body` runs, then shuts them down gracefully.
  private func running(
    _ services: [any Service], logger: Logger, during body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: services, logger: logger))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      let result = await Result(catching: body)
      // A graceful shutdown closes all connections; canceling the task would not.
      await group.triggerGracefulShutdown()
      let end = await Result { try await tasks.waitForAll() }
      try result.get()
      try end.get()
    }
  }
}

/// A value that is set once and can be awaited.
private struct FirstValue<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func set(_ value: Value) {
    continuation.yield(value)
    continuation.finish()
  }

  var value: Value {
    get async throws {
      for await value in stream { return value }
      throw StartError(description: "a part of the demo did not start")
    }
  }
}

extension Result where Failure == any Error {
  /// Creates a result from what `body` returns or throws.
  fileprivate init(catching body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
