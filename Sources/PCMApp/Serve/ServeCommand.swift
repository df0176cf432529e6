import ArgumentParser
import Logging
import ServiceLifecycle
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the service.",
    discussion: """
      Examples:
        pcm-browser serve
        pcm-browser serve --port 0 --data /tmp/pcm
        pcm-browser serve \\
          --connect-to news.example:443:127.0.0.1:8443 --ca-file ca.pem
        pcm-browser serve --host 0.0.0.0 --api-token-file /run/secrets/pcm-token

      When the service is ready, it prints its address. SIGTERM and SIGINT stop it:
      it accepts no further connections, gives current requests ten seconds, and
      closes the store.

      Limits: a request's head has 100 fields and 32 KiB; its body has 64 KiB (a
      scenario 256 KiB, a manifest 1 MiB). A connection without a request, or without
      a further part of one, is closed after 75 seconds. The time of a response is
      not limited, unless its caller accepts nothing of it for 30 seconds. When the
      database is full, calls that add data return 503, and all others continue.

      Pages of other sites cannot use the service: a request whose Origin or
      Sec-Fetch-Site names another site is an error, and no response has a CORS
      header. GET /metrics, in Prometheus text, requires no token.
      """)

  @Option(help: "The port to listen on; 0 lets the kernel choose.")
  var port = 8726

  @Option(
    help: ArgumentHelp(
      "The folder of the durable browsers; created when absent. (default: $XDG_STATE_HOME/pcm-browser, or "
        + "~/.local/state/pcm-browser)", valueName: "folder"))
  var data: String?

  @OptionGroup
  var options: ServiceOptions

  func validate() throws {
    try ServiceOptions.check(port: port)
    guard data != "" else { throw ArgumentError("--data", "", expected: "the path of a folder") }
  }

  func run() async throws {
    try OpenFiles.requireEnough()
    let logger = options.logger()
    let folder = try data ?? Environment.stateFolder(insteadOf: "--data")
    if data == nil { logger.notice("the durable browsers are in \(folder)") }
    let settings = try options.settings(port: port, data: folder)
    let host = ServiceOptions.inURL(options.host)
    let printed = ContinuedOutput(logger: logger)
    let composition = try await Composition(settings, logger: logger) { port in
      printed.perform { try StandardOutput.write("pcm-browser is listening on http://\(host):\(port)\n") }
    }
    var configuration = ServiceGroupConfiguration(
      services: composition.services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(10)
    try await ServiceGroup(configuration: configuration).run()
  }
}
