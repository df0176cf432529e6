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
        pcm-browser serve --record sessions

      Once it listens, one line on standard output says where. SIGTERM and SIGINT
      stop it: no connection is accepted any more, what is in flight has ten seconds,
      then the store is closed.

      Limits: a request's head has 100 fields, 32 KiB and 10 seconds, its target 8
      KiB, its body 64 KiB (a manifest 1 MiB) and 30 seconds. An answer may take as
      long as it likes; a connection without a request is closed after 2 minutes.

      No page of another site may use the service: requests whose Origin or
      Sec-Fetch-Site names one are refused, and no answer allows one to read it
      (CORS). GET /metrics, in Prometheus text, needs no token.
      """)

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The port to listen on; 0 lets the kernel choose.")
  var port = 8726

  @Option(help: "The folder of the durable browsers; created when absent.")
  var data = "./pcm-browser-data"

  @OptionGroup(title: "Network options")
  var network: NetworkOptions

  @Option(help: "A public suffix list to use instead of the built-in one.")
  var publicSuffixList: String?

  @Option(help: "What callers must send as Authorization: Bearer; PCM_BROWSER_API_TOKEN does the same.")
  var apiToken: String?

  @Flag(help: "Serve other addresses than loopback without a token.")
  var noToken = false

  @Option(help: "Another name by which the service may be called. May be repeated.")
  var allowedHost: [String] = []

  @Option(help: "Connections that are served at a time; more are answered with 503.")
  var maxConnections = 1_024

  @Option(
    help: ArgumentHelp(
      "Write what is done with each new browser on a manual clock into this folder, as a scenario that pcm-browser run plays.",
      valueName: "folder"))
  var record: String?

  @Option(help: "What the log on standard error tells.")
  var logLevel = LogLevel.notice

  @Option(help: "text, or json: an object a line. PCM_BROWSER_LOG_FORMAT does the same. (default: text)")
  var logFormat: LogFormat?

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535, not \(port)") }
    guard (1...65_535).contains(maxConnections) else {
      throw ValidationError("--max-connections is 1 to 65535, not \(maxConnections)")
    }
    if logFormat == nil, let text = Environment.logFormat, LogFormat(rawValue: text) == nil {
      throw ValidationError("PCM_BROWSER_LOG_FORMAT is text or json, not \(text)")
    }
    try token.validate()
    guard !data.isEmpty else { throw ArgumentError("--data", data, expected: "the path of a folder") }
    guard ServiceSettings.loopback.contains(host) || token.text != nil || noToken else {
      throw ValidationError(
        "--host \(host) can be reached from elsewhere: set --api-token (or PCM_BROWSER_API_TOKEN), or say --no-token")
    }
  }

  /// Every user of the machine can read a command line; the environment is the better place.
  private var token: AccessToken {
    AccessToken(option: "--api-token", apiToken, variable: "PCM_BROWSER_API_TOKEN", Environment.apiToken)
  }

  func run() async throws {
    let format = logFormat ?? Environment.logFormat.flatMap(LogFormat.init) ?? .text
    let logger = format.logger(level: logLevel.level)
    let settings = ServiceSettings(
      host: host, port: port, dataDirectory: data, route: network.route, publicSuffixList: publicSuffixList,
      apiToken: noToken ? nil : token.text, allowedHosts: allowedHost, maxConnections: maxConnections,
      recordingDirectory: record)
    if network.insecure { logger.warning("certificates are not verified (--insecure); each attempt is marked") }
    let host = host.contains(":") ? "[\(host)]" : host
    let composition = try await Composition(settings, logger: logger) { port in
      StandardOutput.write("pcm-browser is listening on http://\(host):\(port)\n")
    }
    var configuration = ServiceGroupConfiguration(
      services: composition.services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(10)
    try await ServiceGroup(configuration: configuration).run()
  }
}
