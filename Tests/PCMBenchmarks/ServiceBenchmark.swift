import Foundation
import Hummingbird
import Logging
import NIOCore
import PCMApp
import PCMBrowser
import PCMCore
import PCMHTTP
import ServiceLifecycle
import UnixSignals

/// The service as `serve` builds it, with two more routes for comparison: one reads a body and does nothing, and one has the
/// path, the body, and the response of a tapped ad, but no browser.
enum ServiceBenchmark {
  static func run(folder: String) async throws {
    let settings = ServiceSettings(port: 0, dataDirectory: folder)
    let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
    let service = try await Composition(settings, logger: logger, extension: RouterExtension(addNothing)) { port in
      // At once: the parent process waits for it.
      FileHandle.standardOutput.write(Data("port \(port)\n".utf8))
    }
    let configuration = ServiceGroupConfiguration(
      services: service.services, gracefulShutdownSignals: [.sigterm], logger: logger)
    try await ServiceGroup(configuration: configuration).run()
  }

  @Sendable private static func addNothing(to router: Router<APIContext>) {
    router.post("/nothing") { request, _ in
      _ = try await request.body.collect(upTo: 65_536)
      return Response(status: .created)
    }
    router.post("/v1/shapes/:browser/event-attributions") { request, _ in
      let body = try await request.body.collect(upTo: 65_536)
      let input = try EventAttributionInput(json: Array(body.readableBytesView))
      let click: JSON = [
        "id": "click-1", "sourceSite": "news.example", "destinationSite": "shop.example",
        "sourceIdentifier": .number(Int64(input.sourceIdentifier)),
        "bundleIdentifier": .string(input.bundleIdentifier), "clickedAt": "2026-01-01T00:00:00Z",
        "expiresAt": "2026-01-08T00:00:00Z",
        "replacedClickId": .null,
      ]
      let outcome: JSON = ["outcome": "stored", "reasons": [], "click": click, "sequence": 1]
      let bytes = ByteBuffer(bytes: outcome.bytes)
      return Response(
        status: .created, headers: [.contentType: "application/json", .contentLength: String(bytes.readableBytes)],
        body: ResponseBody(byteBuffer: bytes))
    }
  }
}
