import ArgumentParser
import Logging
import PCMHTTP
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

  @Option(help: "The token that callers must send as Authorization: Bearer. PCM_BROWSER_API_TOKEN has the same effect.")
  var apiToken: String?

  @Option(
    help: ArgumentHelp(
      "A file with the token in its first line, which other users of the machine cannot read on the command line.",
      valueName: "file"))
  var apiTokenFile: String?

  @Flag(help: "Allow an address other than loopback without a token.")
  var noToken = false

  @Option(help: "An additional host name of the service. May be repeated.")
  var allowedHost: [String] = []

  @Option(help: "The maximum number of connections; further ones receive 503.")
  var maxConnections = 1_024

  @Option(help: "The maximum number of browsers; creating another one returns 409.")
  var maxBrowsers = Capacity().browsers

  @Option(
    help: ArgumentHelp(
      "The maximum size of the database, such as 500MiB. Calls that would exceed it return 503. A larger one keeps its size.",
      valueName: "size"))
  var maxDisk = ByteCount(Capacity().disk)

  @Option(help: "The level of the log on standard error.")
  var logLevel = LogLevel.notice

  @Option(help: "text, or json with one object per line. PCM_BROWSER_LOG_FORMAT has the same effect. (default: text)")
  var logFormat: LogFormat?

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port must be from 0 to 65535, not \(port)") }
    guard (1...65_535).contains(maxConnections) else {
      throw ValidationError("--max-connections must be from 1 to 65535, not \(maxConnections)")
    }
    guard maxBrowsers >= 1 else { throw ValidationError("--max-browsers must be at least 1, not \(maxBrowsers)") }
    if logFormat == nil, let text = Environment.logFormat, LogFormat(rawValue: text) == nil {
      throw ValidationError("PCM_BROWSER_LOG_FORMAT must be text or json, not \(text)")
    }
    let token = try token()
    guard !data.isEmpty else { throw ArgumentError("--data", data, expected: "the path of a folder") }
    for name in allowedHost where Authority(argument: name) == nil {
      throw ArgumentError(
        "--allowed-host", name,
        expected: "a host name in ASCII, as in pcm.example, or an IP address, with or without a port")
    }
    guard ServiceSettings.loopback.contains(host) || token.text != nil || noToken else {
      throw ValidationError(
        "--host \(host) is reachable from other machines: set --api-token-file, --api-token, or PCM_BROWSER_API_TOKEN, or use "
          + "--no-token")
    }
  }

  /// Returns the token. Other users of the machine can read a command line, so a file and the environment are better places.
  private func token() throws -> AccessToken {
    guard apiToken == nil || apiTokenFile == nil else {
      throw ValidationError("--api-token and --api-token-file exclude each other; use one of them")
    }
    let token =
      try apiTokenFile.map { try AccessToken(option: "--api-token-file", file: $0) }
      ?? AccessToken(option: "--api-token", apiToken, variable: "PCM_BROWSER_API_TOKEN", Environment.apiToken)
    try token.validate()
    return token
  }

  private var capacity: Capacity {
    var capacity = Capacity()
    (capacity.browsers, capacity.disk) = (maxBrowsers, maxDisk.bytes)
    return capacity
  }

  func run() async throws {
    try OpenFiles.requireEnough()
    let format = logFormat ?? Environment.logFormat.flatMap(LogFormat.init) ?? .text
    let logger = format.logger(level: logLevel.level)
    let settings = ServiceSettings(
      host: host, port: port, dataDirectory: data, route: network.route, publicSuffixList: publicSuffixList,
      apiToken: noToken ? nil : try token().text, allowedHosts: allowedHost, maxConnections: maxConnections,
      capacity: capacity)
    if network.insecure { logger.warning("certificates are not verified (--insecure); each attempt is marked") }
    let host = host.contains(":") ? "[\(host)]" : host
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
