import ArgumentParser
import PCMCore
import PCMEndpoint
import PCMNetwork
import PCMURL

struct LoadTestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load-test",
    abstract: "Send authentic reports and postbacks to an endpoint at a constant rate, and measure its responses.",
    discussion: """
      Examples:
        pcm-browser load-test https://news.example --rate 200 --for 1m \\
          --connect-to news.example:443:127.0.0.1:8443 --ca-file ca.pem
        pcm-browser load-test https://news.example \\
          --forward-to news.example=http://127.0.0.1:8000
        pcm-browser load-test https://ads.example/postbacks --kind skadnetwork \\
          --duplicates 1% --forged 1%
        pcm-browser load-test https://news.example --kind mixed --html load.html
        pcm-browser load-test https://news.example --yes-i-own-this --rate 50 \\
          --expect 'p99<500ms,errors<0.1%'

      Requests have the bytes, headers, and connections of Safari and iOS. Each
      report and postback is distinct; postbacks are signed with the published
      test keys, and their transaction identifiers are unique. A few campaigns
      and small values are frequent; to limit them, use --source-id and
      --trigger-data.

      Requests leave at their planned instants, whatever the endpoint answers,
      and latencies count from these instants. A stall of the endpoint is thus
      visible in all requests that it affects. If this machine cannot keep the
      rate, the summary says so.

      A host that --connect-to, --resolve, or --forward-to leads to this machine
      has no limit of rate. Any other host receives at most 50 requests a second,
      and load-test asks you to confirm that it is yours.

      --expect takes conditions, separated by commas: p50, p99.9, mean, and max
      with a time, errors with a share, rate with requests a second.

      If the endpoint serves a key, it first signs the tokens of the first reports,
      at the same rate. An endpoint that signs only for its own nonces refuses;
      pcm-browser receive mints them by --token-admin.

      With --duplicates, some postbacks are repeated with the same bytes, as
      devices do. With --forged, some postbacks and reports with tokens have
      invalid signatures; the summary says how many of them the endpoint
      accepted. A status does not show whether an endpoint counts a message, so
      compare the numbers with its own.

      Ctrl-C ends the test with the summary of the requests so far.

      Exit status: 0 success; 1 an expectation does not hold; 2 no result.
      """)

  @Argument(help: "Any URL of the endpoint.")
  var url: String

  @Option(help: "The messages to send.")
  var kind = TrafficKind.report

  @Option(help: ArgumentHelp("The number of requests per second, up to \(LoadOptions.maximumRate).", valueName: "NUMBER"))
  var rate = 50

  @Option(name: .customLong("for"), help: ArgumentHelp("The duration, as in 30s, 5m, or 1h.", valueName: "TIME"))
  var duration = LoadDuration(.minutes(1))

  @Option(help: "The role of the endpoint in reports.")
  var role = Recipient.source

  @Option(help: ArgumentHelp("The share of postbacks that repeat an earlier one, as in 1%.", valueName: "SHARE"))
  var duplicates: Share?

  @Option(help: ArgumentHelp("The share of postbacks with an invalid signature, as in 1%.", valueName: "SHARE"))
  var forged: Share?

  @Option(
    help: ArgumentHelp(
      "Whether reports have tokens that the endpoint signs before the test: auto if it signs, required, or off. (default: auto)",
      valueName: "POLICY"))
  var tokens: CheckOptions.TokenPolicy?

  @Option(help: ArgumentHelp("The maximum number of tokens. Later reports have none.", valueName: "NUMBER"))
  var tokenPool = 1_000

  @OptionGroup
  var receiver: ReceiverAdminOptions

  @Option(
    help:
      "Whether each request opens a connection, as Safari does for reports, or up to 64 connections are kept. (default: fresh)")
  var connections: ConnectionPolicy?

  @Option(help: ArgumentHelp("The seed of the values. The same seed repeats them. (default: random)", valueName: "NUMBER"))
  var seed: UInt64?

  @Option(help: ArgumentHelp("Conditions on the result, as in 'p99<500ms,errors<0.1%'. May be repeated.", valueName: "LIST"))
  var expect: [String] = []

  @Option(help: ArgumentHelp("Write an HTML page in one file.", valueName: "FILE"))
  var html: String?

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(name: .customLong("yes-i-own-this"), help: "Confirm that the hosts are yours.")
  var isOwned = false

  @OptionGroup
  var colors: ColorOptions

  @OptionGroup(title: "Values in the reports")
  var about: SubjectOptions

  @OptionGroup(title: "Network options")
  var network: NetworkOptions

  func validate() throws {
    guard (1...LoadOptions.maximumRate).contains(rate) else {
      throw ValidationError("--rate \(rate): expected 1 to \(LoadOptions.maximumRate) requests a second")
    }
    let count = Double(rate) * Double(duration.interval.milliseconds) / 1_000
    guard count <= Double(LoadOptions.maximumCount) else {
      throw ValidationError(
        "--rate \(rate) --for \(duration.interval.words): expected at most \(LoadOptions.maximumCount) requests; reduce one of them"
      )
    }
    guard (1...LoadOptions.maximumTokenPool).contains(tokenPool) else {
      throw ValidationError("--token-pool \(tokenPool): expected 1 to \(LoadOptions.maximumTokenPool) tokens")
    }
    let asksForTokens = tokens == .required || receiver.tokenAdmin != nil
    guard !asksForTokens || kind.hasReports && tokens != .off else {
      throw ValidationError("tokens are in reports; use --kind report or mixed, and omit --tokens off")
    }
    guard kind.hasPostbacks || duplicates == nil else {
      throw ValidationError("--duplicates: a browser sends no report twice; use --kind skadnetwork, adattributionkit, or mixed")
    }
    guard kind.hasPostbacks || forged == nil || tokens != .off else {
      throw ValidationError("--forged: a report without a token has no signature; omit --tokens off, or use another --kind")
    }
    guard (duplicates?.value ?? 0) + (forged?.value ?? 0) <= 1 else {
      throw ValidationError("--duplicates and --forged exceed 100% together")
    }
    _ = try expectations()
  }

  /// The conditions of all options `--expect`.
  private func expectations() throws -> [LoadExpectation] {
    try expect.flatMap { $0.split(separator: ",") }.map { condition in
      do throws(LoadExpectation.FormError) {
        return try LoadExpectation(condition.trimmingPrefix { $0 == " " }.description)
      } catch {
        throw ArgumentError("--expect", String(condition), expected: error.expected)
      }
    }
  }

  func run() async throws {
    let options = try options()
    let page = try html.map { path in try StartError.naming("--html") { try OutputFile(path: path) } }
    var route = network.route
    if let connections { route.freshConnections = connections == .fresh }
    let policy = kind.hasReports ? tokens ?? .auto : .off
    let admin = try receiver.receiver(CheckTarget(sites: SiteParser(publicSuffixList: .builtIn())))?.admin
    let run = LoadTestRun(options: options, route: route, tokens: policy, admin: admin)
    try run.permit(isOwned: isOwned)
    let (measurements, tokens) = try await run.run()
    let summary = LoadSummary(measurements, tokens: tokens, route: route, expectations: try expectations())
    // The file is written even if the output cannot be.
    try page?.publish(summary.html)
    try StandardOutput.write(
      json ? summary.json.text.withoutSteering + "\n" : summary.text(isColored: colors.style.isColored))
    if measurements.attempted == 0 { throw ExitCode(2) }
    if !summary.holds { throw ExitCode(1) }
  }

  private func options() throws -> LoadOptions {
    let target = CheckTarget(sites: SiteParser(publicSuffixList: .builtIn()))
    let endpoint = try target.url(url, "the endpoint")
    guard endpoint.scheme == "https", !endpoint.hasFragment, !endpoint.hasCredentials else {
      throw StartError(
        description: "the endpoint \"\(endpoint.text.visible)\": expected an https URL without a user name and a fragment")
    }
    var options = LoadOptions(endpoint: endpoint)
    (options.kind, options.role, options.rate, options.duration) = (kind, role, rate, duration.interval)
    (options.duplicates, options.forged) = (duplicates?.value ?? 0, forged?.value ?? 0)
    options.subjects = try about.subjects(endpoint.site, role, sites: target.sites)
    options.tokenPool = tokenPool
    options.seed = seed ?? SystemChance.number() % 1_000_000
    return options
  }
}

/// The connections of a load test.
enum ConnectionPolicy: String, CaseIterable, ExpressibleByArgument {
  case fresh
  case kept
}

/// A share on the command line: `1%` or `0.01`.
struct Share: Hashable, ExpressibleByArgument {
  let value: Double

  init?(argument: String) {
    let digits = argument.hasSuffix("%") ? argument.dropLast() : argument[...]
    guard let number = Double(digits), number.isFinite else { return nil }
    value = argument.hasSuffix("%") ? number / 100 : number
    guard (0...1).contains(value) else { return nil }
  }
}

/// A duration on the command line: `500ms`, `30s`, `5m`, or `1h`.
struct LoadDuration: Hashable, ExpressibleByArgument, CustomStringConvertible {
  let interval: Interval

  private static let units: [(name: String, milliseconds: Int64)] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)]

  init(_ interval: Interval) { self.interval = interval }

  init?(argument: String) {
    let digits = argument.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), number > 0, number <= 3_600_000,
      let unit = Self.units.first(where: { $0.name == argument.dropFirst(digits.count) })
    else { return nil }
    interval = Interval(milliseconds: number * unit.milliseconds)
    guard interval <= LoadOptions.maximumDuration else { return nil }
  }

  var description: String { "\(interval.milliseconds / 60_000)m" }
  var defaultValueDescription: String { description }
}

extension TrafficKind: ExpressibleByArgument {}
