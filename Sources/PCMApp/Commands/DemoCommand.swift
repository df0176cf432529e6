import ArgumentParser
import AsyncHTTPClient
import Logging
import PCMCore
import PCMDelivery
import PCMHTTP
import ServiceLifecycle

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Tell the whole story on this machine: app, shop, report endpoint over TLS, two days in a second.",
    discussion: """
      Examples:
        pcm-browser demo
        pcm-browser demo --manifest MyApp.app/Info.plist

      Everything runs on loopback and in a temporary folder that is removed at the end.
      """)

  @Option(help: "The Info.plist to register; its report endpoint must be on news.example. Built in when absent.")
  var manifest: String?

  func run() async throws {
    let plist = try manifestText()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pcm-browser-demo-\(SystemChance.seed())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await DemoStage(folder: folder, manifest: plist).perform()
  }

  private func manifestText() throws -> String {
    guard let manifest else { return Self.builtInManifest }
    guard let data = FileManager.default.contents(atPath: manifest) else {
      throw StartFailure(description: "cannot read \(manifest)")
    }
    return String(decoding: data, as: UTF8.self)
  }

  private static let builtInManifest = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0">
    <dict>
      <key>CFBundleIdentifier</key>
      <string>com.example.news</string>
      <key>NSAdvertisingAttributionReportEndpoint</key>
      <string>https://news.example</string>
    </dict>
    </plist>
    """
}

/// The parts of the demo: the service and a report endpoint, both real, both on ports that the kernel chooses.
private struct DemoStage {
  let folder: String
  let manifest: String

  func perform() async throws {
    let logger = LogFormat.text.logger(level: .error)
    let authority = try CertificateAuthority(now: SystemTime.now)
    let caFile = folder + "/authority.pem"
    try Data(try authority.pem.utf8).write(to: URL(fileURLWithPath: caFile))
    let identity = try authority.issue(for: ["news.example", "shop.example"])
    let (arrivals, arrived) = AsyncStream.makeStream(of: ReportReceiver.Arrival.self)
    let receiverPort = FirstValue<Int>()
    let receiver = ReportReceiver(
      certificate: identity.certificate, key: identity.key, logger: logger, onListening: { receiverPort.set($0) },
      onArrival: { arrived.yield($0) })
    try await running([receiver], logger: logger) {
      let port = try await receiverPort.value
      let route = NetworkRoute(connectTo: ["::127.0.0.1:\(port)"], caFile: caFile)
      let settings = ServiceSettings(port: 0, dataDirectory: folder + "/data", route: route)
      let servicePort = FirstValue<Int>()
      let service = try await Composition(settings, logger: logger) { servicePort.set($0) }
      try await running(service.services, logger: logger) {
        let base = "http://127.0.0.1:\(try await servicePort.value)"
        StandardOutput.write("The service runs on \(base), a report endpoint on https://127.0.0.1:\(port).\n\n")
        let http = HTTPClient(eventLoopGroupProvider: .singleton)
        let story = DemoStory(
          client: DemoClient(base: base, http: http), manifest: manifest, arrivals: arrivals,
          say: { StandardOutput.write($0 + "\n") })
        let told = await Result(catching: { try await story.tell() })
        try await http.shutdown()
        try told.get()
      }
    }
  }

  /// Runs services for as long as something takes, then shuts them down gracefully.
  private func running(
    _ services: [any Service], logger: Logger, during body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: services, logger: logger))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      do { try await body() } catch {
        await group.triggerGracefulShutdown()
        throw error
      }
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
  }
}

/// A value that is set once and awaited by whoever needs it.
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
      throw StartFailure(description: "a part of the demo did not start")
    }
  }
}

extension Result where Failure == any Error {
  /// What a body gives or throws, kept for after the tidying up.
  fileprivate init(catching body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
