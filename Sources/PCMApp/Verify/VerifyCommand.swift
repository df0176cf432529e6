import ArgumentParser
import PCMCore
import PCMCrypto
import PCMURL
import PCMVerify

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify postbacks and ad impressions of SKAdNetwork and AdAttributionKit.",
    discussion: """
      Examples:
        pcm-browser verify postback.json
        pcm-browser verify - < postback.json
        pcm-browser verify --json postbacks.jsonl
        pcm-browser verify --test-keys postback.json
        pcm-browser verify --key network.pem impression.json

      An item is the JSON of a postback or of a signed ad impression, or a compact
      JSON Web Signature. A file has one item, one on each line, several JSON texts
      one after another, or JSON that contains some: an array, an envelope, or an
      OpenRTB bid. A folder includes all files in and below it, sorted by name.

      Postbacks are verified with Apple's keys, with the published test keys of a
      simulated device (--test-keys), or with the keys of --key. Impressions need the
      ad network's key. In an ad impression, members are named as the signed values
      (ad-network-id, itunes-item-id, nonce, …), as in the response for a web ad
      (ad_network_id, …), as in SKAdImpression (adNetworkIdentifier, …), as in the
      dictionary of loadProduct (adNetworkId, adNetworkNonce, …), or as in OpenRTB's
      skadn object (network, itunesitem, …).

      Exit status: 0 all items are valid; 1 an item is invalid, or its version or key
      is unknown; 2 a file could not be read.
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

  @Flag(help: "Print JSON: an object, or for several items one on each line.")
  var json = false

  @OptionGroup
  var colors: ColorOptions

  /// The kind of file that the command reads, for errors.
  private static let kind = "a file with a postback or an impression"
  /// The limit for the bytes of a file with one item on each line.
  static let fileLimit = 64 * SignatureVerifier.sizeLimit

  func validate() throws {
    guard !testKeys || keys.isEmpty else {
      throw ValidationError("--test-keys: expected no --key, because both name the keys to verify with")
    }
  }

  func run() throws {
    let verifier = try makeVerifier()
    let files = file == "-" ? ["-"] : try FolderFiles.find(file, kind: Self.kind)
    guard !files.isEmpty else { throw StartError(description: "no file in \(file); name \(Self.kind)") }
    let style = colors.style
    var counts: [SignatureVerdict.Outcome: Int] = [:]
    var isList = files.count > 1 || FolderFiles.isFolder(file)
    for path in files {
      let (items, areSeveral) = SignedItems.items(of: try Self.bytes(of: path), file: path == "-" ? "standard input" : path)
      isList = isList || areSeveral
      for item in items {
        let verdicts = verifier.verdicts(on: item.bytes)
        isList = isList || verdicts.count > 1
        for (pointer, verdict) in verdicts {
          let name = pointer.isEmpty ? item.name : "\(item.name)#\(pointer)"
          let text = VerdictText(verdict: verdict, name: name, style: style).text + (isList ? "\n" : "")
          try StandardOutput.write(json ? Self.json(verdict, isList || !pointer.isEmpty ? name : nil) : text)
          counts[verdict.outcome, default: 0] += 1
        }
      }
    }
    if isList, !json { try StandardOutput.write(Self.summary(counts)) }
    if counts[.invalid] != nil || counts[.unverifiable] != nil { throw ExitCode(1) }
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

  private static func bytes(of path: String) throws(StartError) -> [UInt8] {
    let bytes: [UInt8]
    do throws(StartError) {
      bytes = path == "-" ? try TextFile.standardInput(upTo: fileLimit + 1) : try TextFile.bytes(of: path, upTo: fileLimit + 1)
    } catch {
      throw StartError(description: "cannot read \(path): \(error.description)")
    }
    guard bytes.count <= fileLimit else {
      throw StartError(description: "\(path) has more than \(fileLimit) bytes; divide it into several files")
    }
    return bytes
  }

  /// - Parameter name: The name of one item of several.
  private static func json(_ verdict: SignatureVerdict, _ name: String?) -> String {
    let item = name.map { [JSON.Member("item", .string($0))] } ?? []
    let members = verdict.json.members.map { $0.name == "fix" ? JSON.Member("fix", .string(VerdictText.fix(verdict))) : $0 }
    return JSON.object(item + members).text.withoutSteering + "\n"
  }

  private static func summary(_ counts: [SignatureVerdict.Outcome: Int]) -> String {
    let parts = SignatureVerdict.Outcome.allCases.compactMap { outcome in counts[outcome].map { "\($0) \(outcome.rawValue)" } }
    return "\(counted(counts.values.reduce(0, +), "item")): \(parts.joined(separator: ", "))\n"
  }
}
