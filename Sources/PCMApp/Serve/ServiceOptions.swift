import ArgumentParser
import Logging
import PCMHTTP
import PCMNetwork

/// The options of the service, for every command that runs it.
struct ServiceOptions: ParsableArguments {
  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

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

  @Option(
    help: ArgumentHelp(
      "Allow attaching to this host's DevTools, which gives full control of its browser. May be repeated.",
      valueName: "host"))
  var devtoolsHost: [String] = []

  @Option(help: "The maximum number of connections; further connections receive 503.")
  var maxConnections = 1_024

  @Option(help: "The maximum number of browsers; creating another browser returns 409.")
  var maxBrowsers = Capacity().browsers

  @Option(
    help: ArgumentHelp(
      "The maximum size of the database, such as 500MiB. Calls that would exceed it return 503. A larger one keeps its size. "
        + "(default: \(ByteCount(Capacity().disk).defaultValueDescription))",
      valueName: "size"))
  var maxDisk: ByteCount?

  @Option(help: "The level of the log.")
  var logLevel = LogLevel.notice

  @Option(help: "text, or json with one object per line. PCM_BROWSER_LOG_FORMAT has the same effect. (default: text)")
  var logFormat: LogFormat?

  static func check(port: Int) throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port must be from 0 to 65535, not \(port)") }
  }

  /// An error does not repeat an address, which may have a password.
  static func check(data: String?) throws {
    guard data != "" else { throw ArgumentError("--data", "", expected: "the path of a folder") }
    guard data?.contains("://") != true else {
      throw ArgumentError(
        "--data", nil, expected: "the path of a folder", "The address of a database belongs to --store of serve.")
    }
  }

  func validate() throws {
    guard (1...65_535).contains(maxConnections) else {
      throw ValidationError("--max-connections must be from 1 to 65535, not \(maxConnections)")
    }
    guard maxBrowsers >= 1 else { throw ValidationError("--max-browsers must be at least 1, not \(maxBrowsers)") }
    if logFormat == nil, let text = Environment.logFormat, LogFormat(rawValue: text) == nil {
      throw ValidationError("PCM_BROWSER_LOG_FORMAT must be text or json, not \(text)")
    }
    let token = try accessToken()
    for name in allowedHost where Authority(argument: name) == nil {
      throw ArgumentError(
        "--allowed-host", name,
        expected: "a host name in ASCII, as in pcm.example, or an IP address, with or without a port")
    }
    guard host.hasPrefix("[") == host.hasSuffix("]") else {
      throw ArgumentError("--host", host, expected: "an address or a host name, as in 127.0.0.1, [::1], or 0.0.0.0")
    }
    guard ServiceSettings.isLoopback(host) || token.text != nil || noToken else {
      throw ValidationError(
        "--host \(host) is reachable from other machines: set --api-token-file, --api-token, or PCM_BROWSER_API_TOKEN, or use "
          + "--no-token")
    }
  }

  /// Returns the token. Other users of the machine can read a command line, so a file and the environment are better places.
  private func accessToken() throws -> AccessToken {
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
    capacity.browsers = maxBrowsers
    if let maxDisk { capacity.disk = maxDisk.bytes }
    return capacity
  }

  /// Returns the token that callers must send; nil for none.
  func token() throws -> String? { noToken ? nil : try accessToken().text }

  /// Creates the logger of the service, and logs its first warning.
  ///
  /// - Parameter write: Writes lines of the log.
  func logger(write: @escaping @Sendable (String) -> Void = { StandardError.write($0) }) -> Logger {
    let format = logFormat ?? Environment.logFormat.flatMap(LogFormat.init) ?? .text
    let logger = format.logger(level: logLevel.level, write: write)
    if network.insecure { logger.warning("certificates are not verified (--insecure); each attempt is marked") }
    for forward in network.route.forwardTo {
      logger.warning(
        "requests are sent without TLS (--forward-to); each attempt is marked",
        metadata: ["host": "\(forward.subject)", "address": "\(forward.target)"])
    }
    return logger
  }

  /// - Parameter data: The folder of the durable browsers; nil to keep them in memory.
  func settings(port: Int, data: String?) throws -> ServiceSettings {
    ServiceSettings(
      host: Self.address(host), port: port, dataDirectory: data, route: network.route, publicSuffixList: publicSuffixList,
      apiToken: try token(), allowedHosts: allowedHost, maxConnections: maxConnections, capacity: capacity,
      devToolsHosts: devtoolsHost)
  }

  /// Returns the value of `--host` as a socket needs it. An IPv6 address may have the brackets of a URL.
  static func address(_ host: String) -> String {
    guard let authority = Authority(argument: host), authority.port == nil else { return host }
    return authority.address
  }

  /// An address as a URL names it.
  static func inURL(_ address: String) -> String { address.contains(":") ? "[\(address)]" : address }
}
