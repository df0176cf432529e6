import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMHTTP

/// The files with the token keys of an endpoint: the current key, followed by earlier keys.
struct TokenKeyFiles: Sendable {
  private let sharedFile: String?
  private let files: [String: String]
  private let size: TokenPrivateKey.Size

  /// - Parameter arguments: `FILE` or `HOST=FILE`; the last argument for a host applies.
  init(arguments: [String], size: TokenPrivateKey.Size) {
    let pairs = arguments.map(Self.split)
    sharedFile = pairs.last { $0.host == nil }?.file
    files = Dictionary(pairs.compactMap { pair in pair.host.map { ($0, pair.file) } }, uniquingKeysWith: { $1 })
    self.size = size
  }

  private static func split(_ argument: String) -> (host: String?, file: String) {
    guard let equals = argument.firstIndex(of: "=") else { return (nil, argument) }
    return (argument[..<equals].lowercased(), String(argument[argument.index(after: equals)...]))
  }

  /// The keys for files that do not exist yet.
  struct NewFiles {
    fileprivate var series: [String: KeySeries] = [:]
    fileprivate(set) var files: [PreparedFile] = []
  }

  /// Returns all keys of the endpoint. Missing files are prepared, and appear when they are committed.
  func ring(names: [String], others: [String], new: inout NewFiles) throws -> KeyRing {
    let shared = try sharedFile.map { try namedSeries(in: $0, &new) } ?? KeySeries(current: try generate())
    let byHost = try files.mapValues { try namedSeries(in: $0, &new) }
    let others = try Self.publicKeys(others, option: "--other-key")
    let known = others.compactMap { host, keys in host.flatMap { host in keys.last.map { (host, $0) } } }
    return KeyRing(
      common: shared, byHost: byHost, names: names, others: Dictionary(known) { $1 }, anyOther: others[String?.none]?.last)
  }

  /// Returns the public keys in files, by host; those without a host are of all other hosts.
  static func publicKeys(_ arguments: [String], option: String) throws -> [String?: [TokenPublicKey]] {
    var keys: [String?: [TokenPublicKey]] = [:]
    for (host, file) in arguments.map(split) {
      keys[host, default: []] += try StartError.naming(option) { try publicKeys(in: file) }
    }
    return keys
  }

  func generate() throws -> TokenPrivateKey {
    do throws(TokenKeyError) {
      return try TokenPrivateKey(generating: size)
    } catch {
      throw StartError(description: error.detail)
    }
  }

  /// Stores the keys after a rotation. Keys without a file exist as long as the process.
  func save(_ series: KeySeries, host: String?) throws {
    guard let file = host.map({ files[$0] }) ?? sharedFile else { return }
    try TextFile.write(series.all.map { $0.pem.trimmed + "\n" }.joined(), to: file, isSecret: true)
  }

  private func namedSeries(in file: String, _ new: inout NewFiles) throws -> KeySeries {
    try StartError.naming("--key") { try series(in: file, &new) }
  }

  private func series(in file: String, _ new: inout NewFiles) throws -> KeySeries {
    // Several hosts may name one file.
    if let series = new.series[file] { return series }
    guard TextFile.exists(file) else {
      let series = KeySeries(current: try generate())
      new.files.append(try PreparedFile(series.current.pem.trimmed + "\n", for: file, isSecret: true))
      new.series[file] = series
      return series
    }
    let blocks = Self.blocks(of: try TextFile.read(file, upTo: TextFile.pemLimit))
    do throws(TokenKeyError) {
      let keys = try blocks.map { text throws(TokenKeyError) in
        try TokenPrivateKey(pem: text)
      }
      guard let current = keys.first else { throw .notPrivateKey }
      return KeySeries(current: current, earlier: Array(keys.dropFirst()))
    } catch {
      throw StartError(description: "\(file): \(error.detail)")
    }
  }

  /// The consecutive PEM texts in a file.
  private static func blocks(of text: String) -> [String] {
    var blocks: [String] = []
    var lines: [Substring] = []
    for line in text.split(whereSeparator: \.isNewline) {
      lines.append(line)
      if line.hasPrefix("-----END") {
        blocks.append(lines.joined(separator: "\n") + "\n")
        lines = []
      }
    }
    return blocks
  }

  /// Parses a key as an endpoint serves it, or in PEM, which contains the same bytes in base64, or the keys of an endpoint's file.
  private static func publicKeys(in file: String) throws -> [TokenPublicKey] {
    let text = try TextFile.read(file, upTo: TextFile.pemLimit)
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
    let wire = lines.joined().trimmed.replacing("+", with: "-").replacing("/", with: "_")
    do throws(TokenKeyError) {
      guard text.contains("PRIVATE KEY") else { return [try TokenPublicKey(wire: wire)] }
      return try blocks(of: text).map { pem throws(TokenKeyError) in try TokenPrivateKey(pem: pem).publicKey }
    } catch {
      throw StartError(description: "\(file): \(error.detail)")
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    let end = lastIndex { !$0.isWhitespace }
    return end.map { String(self[...$0]) } ?? ""
  }
}

extension EndpointAPI.Machine {
  /// This machine's clock and randomness, and the endpoint's key files.
  init(_ files: TokenKeyFiles) {
    self.init(
      sleep: { try await SystemTime.sleep(for: $0) }, mintNonce: { Base64URL.encode(SystemChance.bytes(16)) },
      generateKey: { try files.generate() }, saveKeys: { try files.save($1, host: $0) })
  }
}
