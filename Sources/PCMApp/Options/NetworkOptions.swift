import ArgumentParser
import PCMCrypto
import PCMCurl
import PCMNetwork

/// The options for targets and connections of every command that sends requests.
struct NetworkOptions: ParsableArguments {
  @Option(
    name: .customLong("connect-to"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Connect to HOST2:PORT2 instead of HOST1:PORT1, as in curl. An empty part matches any or keeps the same. May be repeated.",
      valueName: "HOST1:PORT1:HOST2:PORT2"))
  var connectTo: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Use an address for a host and port, as in curl. May be repeated.", valueName: "HOST:PORT:ADDRESS"))
  var resolve: [String] = []

  @Option(
    name: .customLong("forward-to"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Send requests to HOST, or to every host, without TLS to a plain HTTP server, as a proxy that ends TLS does: "
        + "news.example=http://127.0.0.1:8000. May be repeated.", valueName: "[HOST=]http://ADDRESS[:PORT]"))
  var forwardTo: [String] = []

  @Option(help: "A PEM file of certificate authorities to trust instead of the system's.")
  var caFile: String?

  @Flag(help: "Do not verify certificates. Logs a warning and marks each attempt.")
  var insecure = false

  @Flag(help: "Allow private, loopback, and link-local addresses as targets.")
  var allowPrivateNetworks = false

  @Flag(inversion: .prefixedNo, help: "Open a connection for each report, so that connections do not link reports.")
  var freshConnections = true

  /// Throws for values that would make every request fail or reach the real host.
  func validate() throws {
    for entry in connectTo { try Self.check(entry, .connectTo, option: "--connect-to") }
    for entry in resolve { try Self.check(entry, .resolve, option: "--resolve") }
    for entry in forwardTo { try Self.check(entry, .forwardTo, option: "--forward-to") }
    var hosts: Set<String> = []
    for forward in forwards where !hosts.insert(forward.host).inserted {
      throw ValidationError("--forward-to has two entries for \(forward.subject); omit one")
    }
    guard let caFile else { return }
    do throws(StartError) {
      try CertificateFile.check(caFile)
    } catch {
      throw ArgumentError("--ca-file", caFile, expected: "a PEM file with certificates", error.description)
    }
  }

  private static func check(_ entry: String, _ kind: RouteEntry, option: String) throws {
    do throws(RouteEntry.FormError) {
      try kind.check(entry)
    } catch {
      throw ArgumentError(option, entry, expected: kind.form, error.detail)
    }
  }

  /// The entries, which `validate` has checked.
  private var forwards: [Forward] { forwardTo.compactMap { try? RouteEntry.forward($0) } }

  /// The options as arguments of a command line.
  var arguments: [String] {
    var words = connectTo.flatMap { ["--connect-to", $0] }
    words += resolve.flatMap { ["--resolve", $0] }
    words += forwardTo.flatMap { ["--forward-to", $0] }
    if let caFile { words += ["--ca-file", caFile] }
    if insecure { words.append("--insecure") }
    if allowPrivateNetworks { words.append("--allow-private-networks") }
    if !freshConnections { words.append("--no-fresh-connections") }
    return words
  }

  /// Whether an option differs from its default.
  var isUsed: Bool { route != NetworkRoute() }

  var route: NetworkRoute {
    NetworkRoute(
      connectTo: connectTo, resolve: resolve, forwardTo: forwards, caFile: caFile, insecure: insecure,
      allowPrivateNetworks: allowPrivateNetworks, freshConnections: freshConnections)
  }
}

/// A PEM file of certificate authorities.
enum CertificateFile {
  /// Checks that a client can use the certificates in a file.
  ///
  /// - Throws: ``StartError`` with only a sentence about the cause.
  static func check(_ path: String) throws(StartError) {
    guard !path.isEmpty else { throw StartError(description: "The path is empty.") }
    guard !FolderFiles.isFolder(path) else { throw StartError(description: "It is a directory.") }
    let bytes: [UInt8]
    do throws(StartError) {
      bytes = try TextFile.bytes(of: path, upTo: TextFile.pemLimit + 1)
    } catch {
      throw StartError(description: error.description.prefix(1).uppercased() + error.description.dropFirst() + ".")
    }
    guard bytes.count <= TextFile.pemLimit else {
      throw StartError(description: "It is larger than \(TextFile.pemLimit) bytes.")
    }
    do throws(AuthorityBundle.ReadError) {
      try AuthorityBundle.check(bytes)
    } catch {
      throw StartError(description: error.sentence(path))
    }
  }
}

extension AuthorityBundle.ReadError {
  fileprivate func sentence(_ path: String) -> String {
    switch self {
    case .isDER: "The file is in DER form; convert it with openssl x509 -inform der -in \(path) -out ca.pem."
    case .hasNoCertificate: "The file has no certificate."
    case .unreadable(let number): "Certificate \(number) of the file cannot be read."
    }
  }
}
