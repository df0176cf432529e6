import Foundation
import Hummingbird
import Logging
import PCMApp
import PCMHTTP
import ServiceLifecycle
import UnixSignals

/// The service as `serve` builds it, with one route more: it reads a body and does nothing, for comparison.
enum ServiceBenchmark {
  static func run(folder: String) async throws {
    let settings = ServiceSettings(port: 0, dataDirectory: folder)
    let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
    let service = try await Composition(settings, logger: logger, extension: RouterExtension(addNothing)) { port in
      // At once: whoever started the process waits for it.
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
  }
}
