import Foundation
import PCMClient
import ServiceSupport
import TLSSupport
import Testing

/// The built service for the client, and the bodies of these tests' calls.
enum Stage {
  static let click = EventAttribution(
    sourceIdentifier: 4, destinationURL: "https://shop.example/tabletStandDeluxe.html",
    sourceDescription: "Banner ad for Tablet Stand Deluxe.", purchaser: "Shop Example, Inc.")
  static let purchase = TriggeringEvent.pixel(of: "news.example", data: 12, priority: 3, on: "https://shop.example/thanks")

  /// An app's manifest; without an endpoint, its clicks are discarded.
  static func manifest(_ bundleIdentifier: String = "com.example.news", endpoint: String? = "https://news.example") -> String {
    let endpoint = endpoint.map { "<key>NSAdvertisingAttributionReportEndpoint</key><string>\($0)</string>" } ?? ""
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>\(bundleIdentifier)</string>\(endpoint)</dict></plist>
      """
  }

  /// Runs a service on an empty folder while the body runs.
  static func withService(
    _ arguments: String..., token: String? = nil, _ body: (PCMService) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let tokenArguments = token.map { ["--api-token", $0] } ?? []
    let process = try await ServiceProcess(data: folder.path, arguments: arguments + tokenArguments)
    do {
      try await body(PCMService(url: "http://127.0.0.1:\(process.port)", token: token))
    } catch {
      process.kill()
      await process.status()
      throw error
    }
    process.terminate()
    #expect(await process.status() == 0)
  }

  /// Whatever is asked for.
  static func always(_ reply: Reply) -> @Sendable (RecordedRequest) async -> Reply { { _ in reply } }

  /// A service for which every host is a recording TLS server with scripted answers.
  static func withEndpoint(
    answer: @escaping @Sendable (RecordedRequest) async -> Reply = always(Reply()),
    _ body: (PCMService, RecordingServer) async throws -> Void
  ) async throws {
    let authority = try TestAuthority()
    let identity = try authority.issue(names: ["news.example", "shop.example"])
    let server = try await RecordingServer.start(identity, answer: answer)
    try await withService("--connect-to", "::127.0.0.1:\(server.port)", "--ca-file", authority.certificateFile) { service in
      try await body(service, server)
    }
    await server.stop()
  }
}

extension Browser {
  /// Registers the usual app.
  func registerNews() async throws -> App {
    try await register(infoPlist: Data(Stage.manifest().utf8))
  }

  /// An app, a tap and a purchase.
  @discardableResult
  func convert() async throws -> TriggerOutcome {
    let app = try await registerNews()
    try await open(Stage.click, from: app)
    return try await trigger(Stage.purchase)
  }
}
