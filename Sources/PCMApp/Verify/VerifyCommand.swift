import ArgumentParser
import PCMCore
import PCMCrypto
import PCMURL
import PCMVerify

struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify postbacks, ad impressions, and reports: one, or the log of a day.",
    discussion: """
      Examples:
        pcm-browser verify postback.json
        pcm-browser verify - < postback.json
        pcm-browser verify --json postbacks.jsonl
        pcm-browser verify --summary --token-key news.example=key.pem log.jsonl.gz
        pcm-browser verify --test-keys postback.json
        pcm-browser verify --key network.pem impression.json

      An item is the JSON of a postback or of a signed ad impression, or a compact
      JSON Web Signature. A file has one item, one on each line, several JSON texts
      one after another, or JSON that contains some: an array, an envelope, or an
      OpenRTB bid. A log has them on lines of any number, in JSON of a collector or
      after words. A folder includes all files in and below it, sorted by name.
      Files may be compressed with gzip.

      The tokens of a report of a click are verified with the keys of --token-key;
      without a key, the report is not-signed. A repeated valid postback or report is
      a duplicate, or a contradiction if its unsigned values differ.

      Postbacks are verified with Apple's keys, with the published test keys of a
      simulated device (--test-keys), or with the keys of --key. Impressions need the
      ad network's key. In an ad impression, members are named as the signed values
      (ad-network-id, itunes-item-id, nonce, …), as in the response for a web ad
      (ad_network_id, …), as in SKAdImpression (adNetworkIdentifier, …), as in the
      dictionary of loadProduct (adNetworkId, adNetworkNonce, …), or as in OpenRTB's
      skadn object (network, itunesitem, …).

      Exit status: 0 no item is invalid or a contradiction; 1 one is, or the only
      item is unverifiable, because its version or key is unknown; 2 a file could not
      be read.
      """)

  @Argument(help: "A file or a folder with postbacks or impressions, or - for standard input.")
  var file: String

  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "A public key to verify with, as PEM, DER, Base64, JWK, or JWKS. Repeatable: the key that signed counts.",
      valueName: "file"))
  var keys: [String] = []

  @Flag(help: "Verify with the published test keys, which sign what simulated devices and the test ad network send.")
  var testKeys = false

  @Option(
    help: ArgumentHelp(
      "The token key of a site, as PEM or as in get-token-public-key; without HOST=, of all others. Repeatable, also for a host.",
      valueName: "[HOST=]FILE"))
  var tokenKey: [String] = []

  @Flag(help: "Print JSON: an object, or for several items one on each line.")
  var json = false

  @Option(help: "Print only the items with this verdict. Repeatable.")
  var only: [JudgedItem.Outcome] = []

  @Flag(help: "Print only the summary, with --json as an object.")
  var summary = false

  @Option(help: ArgumentHelp("Write the summary as a page in one file.", valueName: "file"))
  var html: String?

  @OptionGroup
  var colors: ColorOptions

  /// The kind of file that the command reads, for errors.
  private static let kind = "a file with a postback or an impression"

  func validate() throws {
    guard !testKeys || keys.isEmpty else {
      throw ValidationError("--test-keys: expected no --key, because both name the keys to verify with")
    }
  }

  func run() async throws {
    let judge = ItemJudge(
      verifier: try makeVerifier(), tokenKeys: try TokenKeyFiles.publicKeys(tokenKey, option: "--token-key"))
    let files = file == "-" ? ["-"] : try FolderFiles.find(file, kind: Self.kind)
    guard !files.isEmpty else { throw StartError(description: "no file in \(file); name \(Self.kind)") }
    var reader = SignedItemReader(files: files, areSeveral: files.count > 1 || FolderFiles.isFolder(file))
    let page = try html.map { path in try StartError.naming("--html") { try OutputFile(path: path) } }
    var log = LogSummary()
    let renderer = ItemRenderer(isJSON: json, isSummary: summary, style: colors.style)
    try await OrderedWork.perform {
      try reader.next().map { ($0, reader.areSeveral) }
    } work: { items, areSeveral in
      items.map { item in
        let found = judge.items(in: item, isList: areSeveral)
        let isList = areSeveral || found.count > 1
        return (source: item, found: found.map { ($0, renderer.text($0, isList: isList)) }, isList: isList)
      }
    } finish: { batch in
      var output = ""
      for (source, found, isList) in batch {
        for (item, text) in found {
          let judged = log.count(item, of: source)
          guard only.isEmpty || only.contains(judged.outcome) else { continue }
          output += judged.first == nil ? text : renderer.text(judged, isList: isList)
        }
      }
      if !output.isEmpty { try StandardOutput.write(output) }
    }
    let isList = reader.areSeveral || log.itemCount > 1
    if summary || isList && !json { try StandardOutput.write(json ? log.json.text.withoutSteering + "\n" : log.text) }
    try page?.publish(log.html(title: file == "-" ? "standard input" : file))
    if log.isFailure || !isList && log.outcomes[.unverifiable] != nil { throw ExitCode(1) }
  }

  private func makeVerifier() throws -> SignatureVerifier {
    let given = try NamedKey.read(files: keys, option: "--key")
    do throws(KeyError) {
      return try SignatureVerifier(
        testKeys ? .test : given.isEmpty ? .apple : .given(given),
        domains: SiteParser(publicSuffixList: .builtIn()).registrableDomain(ofHost:))
    } catch {
      throw StartError(description: error.detail)
    }
  }
}

/// The output of an item.
private struct ItemRenderer: Sendable {
  let isJSON: Bool
  let isSummary: Bool
  let style: TerminalStyle

  /// - Parameter isList: Whether there are other items.
  func text(_ item: JudgedItem, isList: Bool) -> String {
    if isSummary { return "" }
    if isJSON { return item.json(isNamed: isList || item.name.contains("#")) }
    return VerdictText(verdict: item.verdict, name: item.name, style: style, judged: item).text + (isList ? "\n" : "")
  }
}
