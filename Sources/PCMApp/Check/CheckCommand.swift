import ArgumentParser
import PCMCore
import PCMEndpoint
import PCMManifest
import PCMPages
import PCMURL

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check an endpoint with regular, malformed, and hostile requests, and show what to fix first.",
    discussion: """
      Examples:
        pcm-browser check https://ads.example
        pcm-browser check https://shop.example --role destination --html check.html
        pcm-browser check https://ads.example --source-id 12 --source-id 40 \\
          --destination shop.example
        pcm-browser check https://shop.example --role destination \\
          --source-site ads.example --trigger-data 7
        pcm-browser check --manifest MyApp.app/Info.plist --junit check.xml
        pcm-browser check https://ads.example --rules certificate,key --json
        pcm-browser check https://ads.example/postbacks --kind skadnetwork
        pcm-browser check https://shop.example --kind adattributionkit --test-keys
        pcm-browser check https://ads.example --strict
        pcm-browser check --list --kind skadnetwork

      Reports go to port 443 of the URL's registrable domain, whatever its host,
      port, and path are. They are about fictional ads with destination.example or
      source.example as the other site, so that you can distinguish them from
      others. If your endpoint accepts only its own campaigns or shops, name some
      with --source-id, --trigger-data, --destination (--role source), or
      --source-site (--role destination). Before the first request, a line on
      standard error shows the maximum number of requests.

      An address that is not public is an error. To check a server on this
      machine, use its public domain and direct it to the server:
        pcm-browser check https://ads.example \\
          --connect-to ads.example:443:127.0.0.1:8443 --ca-file ca.pem
      For a plain HTTP server, whose proxy ends TLS in production:
        pcm-browser check https://ads.example \\
          --forward-to ads.example=http://127.0.0.1:8000
      TLS, HTTP/2, and certificates are then not examined, as a note says.
      For a server elsewhere in a private network, use --allow-private-networks.

      Some requests are malformed, and many are sent at once. Therefore check asks
      you to confirm that the host is yours, unless --connect-to, --resolve, or
      --forward-to names it. Without a terminal, as in CI, use --yes-i-own-this.

      After a redirect on the same site, or a refusal of reports without a page's
      headers, check goes on at the target or with the headers, and marks the later
      findings. A request waits 60 seconds, after the first timeout 15. The whole
      check takes at most five minutes, and then has no result without an error.

      With --kind skadnetwork or adattributionkit, the endpoint receives
      postbacks. They go to exactly the URL, as an ad network registered it. A
      URL without a path stands for the advertiser's copy: the framework's
      well-known path on the registrable domain. Apple's published postbacks are
      sent to every endpoint, and test-signed ones must be accepted only with
      --test-keys. Whether the endpoint counts a postback is not visible.
      Options about reports, tokens, and pixels are errors.

      Tokens are optional. Without a key, the rules about tokens do not apply;
      with --tokens required, a missing key is an error.

      A complete test of signing needs nonces: three or more by --nonce that the
      endpoint signs for, or --token-admin with the admin address of pcm-browser
      receive, which mints nonces and lists the tokens that it counted.

      In JUnit, a rule is a test case. An error is a failure; a warning passes,
      with its text in system-out. With --strict, warnings are failures. With
      --insecure, the grade notes that certificates were not verified.

      Exit status: 0 no errors, also with warnings; 1 errors, or with --strict
      warnings; 2 no result, for example because of the address, because no
      selected rule applies, or because the time was over.
      """)

  @Argument(help: "Any URL of the endpoint.")
  var url: String?

  @Option(help: ArgumentHelp("Take the endpoint from an app's Info.plist instead.", valueName: "FILE"))
  var manifest: String?

  @Option(help: "What the endpoint receives.")
  var kind = CheckKind.report

  @Flag(help: "The endpoint trusts the published test keys, so it must accept test-signed postbacks.")
  var testKeys = false

  @Option(help: "The recipient of reports that the endpoint acts as. (default: source)")
  var role: Recipient?

  @Option(
    help: ArgumentHelp("Only these rules: a comma-separated list of IDs or prefixes of IDs.", valueName: "LIST"))
  var rules: String?

  @Option(
    help: ArgumentHelp(
      "Whether the endpoint offers tokens: auto applies the rules about tokens when it serves a key, required makes a missing "
        + "key an error, off requests no key. (default: auto)", valueName: "POLICY"))
  var tokens: CheckOptions.TokenPolicy?

  @Option(help: "A nonce that the endpoint signs a token for. May be repeated.")
  var nonce: [String] = []

  @OptionGroup
  var receiver: ReceiverAdminOptions

  @Option(help: ArgumentHelp("Also check this pixel, which should redirect to trigger-attribution.", valueName: "URL"))
  var pixel: String?

  @Option(help: ArgumentHelp("Write JUnit XML, for CI.", valueName: "FILE"))
  var junit: String?

  @Option(help: ArgumentHelp("Write an HTML page in one file.", valueName: "FILE"))
  var html: String?

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Treat warnings as errors.")
  var strict = false

  @Flag(help: "Print the rules without checking an endpoint.")
  var list = false

  @Flag(name: .customLong("yes-i-own-this"), help: "Confirm that the hosts are yours.")
  var isOwned = false

  @OptionGroup
  var colors: ColorOptions

  @OptionGroup(title: "Values in the reports")
  var about: SubjectOptions

  @OptionGroup(title: "Network options")
  var network: NetworkOptions

  func validate() throws {
    guard list || (url == nil) != (manifest == nil) else {
      throw ValidationError(
        url == nil ? "expected the endpoint's URL, or --manifest with an Info.plist" : "use either a URL or --manifest")
    }
    guard rules == nil || !selection.isEmpty else { throw ValidationError("--rules: expected at least one rule") }
    try validateKind()
    let unknown = CheckCatalog.unknown(in: selection, of: kind)
    guard unknown.isEmpty else {
      let list = "pcm-browser check --list" + (kind == .report ? "" : " --kind \(kind.rawValue)")
      throw ValidationError("--rules: no rule begins with \(unknown.joined(separator: ", ")); see \(list)")
    }
    guard nonce.isEmpty || receiver.tokenAdmin == nil else { throw ValidationError("use either --nonce or --token-admin") }
    guard tokens != .off || (nonce.isEmpty && receiver.tokenAdmin == nil) else {
      throw ValidationError("--tokens off conflicts with \(receiver.tokenAdmin == nil ? "--nonce" : "--token-admin"); omit one")
    }
    guard junit == nil || junit != html else {
      throw ValidationError("--junit and --html name the same file; choose another one for either")
    }
  }

  /// Rejects options that have no effect on endpoints of the kind.
  private func validateKind() throws {
    guard kind != .report else {
      guard !testKeys else {
        throw ValidationError("--test-keys: expected --kind skadnetwork or --kind adattributionkit, which have test keys")
      }
      return
    }
    let options: [(name: String, isGiven: Bool)] = [
      ("--manifest", manifest != nil), ("--role", role != nil), ("--tokens", tokens != nil), ("--nonce", !nonce.isEmpty),
      ("--token-admin", receiver.tokenAdmin != nil), ("--admin-token", receiver.adminToken != nil), ("--pixel", pixel != nil),
      ("--source-id", !about.sourceIDs.isEmpty), ("--trigger-data", !about.triggerData.isEmpty),
      ("--source-site", about.sourceSite != nil), ("--destination", about.destination != nil),
    ]
    guard let given = options.first(where: \.isGiven) else { return }
    throw ValidationError("\(given.name) has no effect on postbacks; omit it, or use --kind report")
  }

  private var selection: [String] { rules?.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init) ?? [] }

  func run() async throws {
    guard !list else { return try printRules() }
    let check = try checkRun()
    let files = try (junit: file(junit, "--junit"), html: file(html, "--html"))
    if !isOwned { try check.confirm() }
    var report = try await check.run()
    report.isStrict = strict
    // The files are written even if the output cannot be.
    try files.junit?.publish(report.junit.xml)
    try files.html?.publish(report.html)
    try StandardOutput.write(
      json
        ? report.json.text.withoutSteering + "\n"
        : CheckReportText(report, isColored: colors.style.isColored).text)
    switch report.grade {
    case .pass, .passWithWarnings: return
    case .fail: throw ExitCode(1)
    case .noResult: throw ExitCode(2)
    }
  }

  private func file(_ path: String?, _ option: String) throws -> OutputFile? {
    try path.map { path in try StartError.naming(option) { try OutputFile(path: path) } }
  }

  private func printRules() throws {
    let rules = CheckCatalog.rules(of: kind).filter { rule in selection.isEmpty || selection.contains { rule.id.hasPrefix($0) }
    }
    let list = RuleList(rules: rules)
    try StandardOutput.write(json ? list.json.text + "\n" : list.text)
  }

  private func checkRun() throws -> CheckRun {
    let target = CheckTarget(sites: SiteParser(publicSuffixList: .builtIn()))
    if let framework = kind.framework { return try postbackRun(framework, target) }
    let endpoint = try manifest.map(target.endpoint(ofManifest:)) ?? target.url(url ?? "", "the endpoint")
    let admin = try receiver.receiver(target)
    let pixel = try pixel.map { try target.url($0, "--pixel") }
    let nonces: CheckOptions.NonceSource = admin.map { .receiver($0.admin) } ?? (nonce.isEmpty ? .none : .given(nonce))
    var options = options(endpoint)
    options.role = role ?? options.role
    (options.nonces, options.tokens, options.pixel) = (nonces, tokens ?? .auto, pixel)
    options.subjects = try about.subjects(endpoint.site, options.role, sites: target.sites)
    options.seed = SystemChance.number()
    return CheckRun(options: options, others: [admin?.url, pixel].compactMap { $0 }, sites: target.sites)
  }

  private func postbackRun(_ framework: AdFramework, _ target: CheckTarget) throws -> CheckRun {
    let endpoint = try target.url(url ?? "", "the endpoint")
    guard endpoint.scheme == "https", !endpoint.hasFragment, !endpoint.hasCredentials else {
      throw StartError(
        description: "the endpoint \"\(endpoint.text.visible)\": expected an https URL without a user name and a fragment")
    }
    var options = options(endpoint)
    options.postbacks = try PostbackSubjects(
      framework, endpoint: endpoint, trustsTestKeys: testKeys, seed: SystemChance.number())
    return CheckRun(options: options, others: [], sites: target.sites)
  }

  private func options(_ endpoint: WebURL) -> CheckOptions {
    var options = CheckOptions(endpoint: endpoint)
    (options.route, options.rules) = (network.route, selection)
    return options
  }
}

extension CheckKind: ExpressibleByArgument {}
extension Recipient: ExpressibleByArgument {}
extension CheckOptions.TokenPolicy: ExpressibleByArgument {}
