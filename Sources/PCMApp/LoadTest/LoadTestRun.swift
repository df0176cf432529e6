import PCMCore
import PCMCurl
import PCMEndpoint
import PCMNetwork
import PCMURL
import UnixSignals

/// A load test over the network of this machine, with its terminal.
struct LoadTestRun {
  let options: LoadOptions
  let route: NetworkRoute
  let tokens: CheckOptions.TokenPolicy
  /// The receiver that mints nonces; nil for random nonces.
  let admin: CheckOptions.ReceiverAdmin?

  /// The limit for hosts that no option leads to this machine.
  static let rateForStrangers = 50
  /// The number of open requests. Each may use a file descriptor.
  private static let maximumOpen = 8_192
  private static let otherFiles = 128
  /// The number of kept connections, as of a proxy. Otherwise a slow endpoint would receive a new connection for each request that waits.
  private static let keptConnections = 64

  /// Throws for hosts elsewhere, unless they are the caller's and the rate is low.
  func permit(isOwned: Bool) throws {
    let sites = SiteParser(publicSuffixList: .builtIn())
    let strangers = Ownership.elsewhere(among: try options.urls.map(sites.url), route: route)
    guard !strangers.isEmpty else { return }
    guard options.rate <= Self.rateForStrangers else {
      let hosts = strangers.joined(separator: " and ")
      throw StartError(
        description: "--rate \(options.rate): \(hosts) receives at most \(Self.rateForStrangers) requests a second, "
          + "because no option leads it to this machine; reduce the rate, or use --forward-to or --connect-to for a server on this machine"
      )
    }
    if isOwned { return }
    let amount = "\(counted(options.count, "request")) in \(options.duration.words)"
    try Ownership.confirm(strangers, sending: amount, to: "load-test", ask: Ownership.askOnTerminal)
  }

  /// Returns the measurements, and the tokens that the endpoint signed for the reports.
  func run() async throws -> (LoadMeasurements, LoadTokens.Result) {
    let files = OpenFiles.allow(Self.maximumOpen + Self.otherFiles)
    let limit = max(1, min(Self.maximumOpen, files - Self.otherFiles))
    let transport = try CurlTransport(maximumInFlight: route.freshConnections ? limit : Self.keptConnections)
    let record = LoadRecord(options)
    // Trapped before the first request, after which a signal may come.
    let signals = await UnixSignalsSequence(trapping: [.sigint, .sigterm])
    let work = Task {
      let tokens = try await collectTokens(over: transport)
      StandardError.write(
        "pcm-browser load-test: \(counted(options.count, "request")) to \(options.urls.joined(separator: " and ")), "
          + "\(options.rate) a second\n")
      let progress = Task { await showProgress(of: record) }
      let network = CurlLoadNetwork(transport: transport, route: route)
      try await LoadRun(options, network: network, record: record, limit: limit).run(
        LoadTraffic(options, tokens: tokens.tokens))
      progress.cancel()
      await progress.value
      return tokens
    }
    let watch = Task { for await _ in signals { work.cancel() } }
    let result = await work.result
    watch.cancel()
    await transport.close()
    return (record.measurements, try result.get())
  }

  /// Returns the tokens for the first reports.
  ///
  /// - Throws: `StartError` when tokens are required, and a report would have none.
  private func collectTokens(over transport: CurlTransport) async throws -> LoadTokens.Result {
    guard tokens != .off else { return ([], nil) }
    let network = CurlLoadNetwork(transport: transport, route: route)
    let planned = min(options.tokenPool, options.count)
    StandardError.write("pcm-browser load-test: up to \(counted(planned, "token")) from \(options.endpoint.site.domain)\n")
    let result = await LoadTokens(options, network: network, random: SystemChance.bytes).collect(from: admin) { count in
      if StandardError.isTerminal {
        StandardError.write("\r\u{1B}[K  \(count) of \(planned) signed\(count == planned ? "\n" : "")")
      }
    }
    if tokens == .required, !Task.isCancelled, let lack = result.lack {
      throw StartError(description: "--tokens required: \(lack)")
    }
    return result
  }

  /// Writes a line each second on a terminal until the task is canceled.
  private func showProgress(of record: LoadRecord) async {
    guard StandardError.isTerminal else { return }
    let uptime = SystemTime.uptime()
    while (try? await SystemTime.sleep(for: .seconds(1))) != nil {
      let (sent, waiting, failed) = record.progress
      StandardError.write(
        "\r\u{1B}[K  \(uptime().components.seconds) s: \(sent) of \(options.count) sent, \(waiting) waiting, \(failed) failed")
    }
    StandardError.write("\r\u{1B}[K")
  }
}

/// libcurl, and the machine's clock since the start.
private struct CurlLoadNetwork: LoadNetwork {
  let transport: CurlTransport
  let route: NetworkRoute
  private let uptime = SystemTime.uptime()

  init(transport: CurlTransport, route: NetworkRoute) { (self.transport, self.route) = (transport, route) }

  func now() -> Int64 { uptime().microseconds }

  func wait(until instant: Int64) async {
    try? await SystemTime.sleep(microseconds: instant - now())
  }

  func send(_ request: OutgoingRequest) async -> (exchange: Exchange, endedAt: Int64) {
    let exchange = await transport.send(request, route: route)
    return (exchange, now())
  }
}

extension Duration {
  fileprivate var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
