internal import PCMCore
internal import PCMCrypto

/// The website of a web ad: its registrable domain in lower case.
enum SourceDomain {
  /// Returns the registrable domain of a host in lower case; nil for a public suffix.
  typealias Registry = @Sendable (_ host: String) -> String?

  /// Returns the reason no device sends a domain; nil for a domain that a device can send.
  ///
  /// A local page has a host without a registrable domain, so `localhost` and addresses are valid.
  ///
  /// - Parameters:
  ///   - name: The name of the member.
  ///   - registry: The Public Suffix List; nil to check only the format.
  static func fault(in text: String, name: String, _ registry: Registry?) -> String? {
    let (host, parts) = host(of: text)
    let isForm = isHostName(host)
    let isLocal = host == "localhost" || host.hasPrefix("[") || host.split(separator: ".").last.map(isNumber) == true
    let site = isForm && !isLocal ? registrableDomain(of: host, registry) : host
    guard !parts.isEmpty || !isForm || site != host else { return nil }
    let flaw =
      parts.first
      ?? (!isForm ? "is no host name of letters, digits, and hyphens" : site == nil ? "is a public suffix" : "has a subdomain")
    let right = isForm ? ": \"\(site ?? "example." + host)\"" : ""
    return
      "\(name) is \(JSON.string(text.asShown(upTo: 80)).text), which \(flaw). No device sends it: it must be a registrable domain in "
      + "lower case\(right.asShown(upTo: 90))."
  }

  private static func registrableDomain(of host: String, _ registry: Registry?) -> String? {
    guard host.contains(".") else { return nil }
    return registry.map { $0(host) } ?? (hasWWW(host) ? String(host.dropFirst(4)) : host)
  }

  /// Returns the host of a text in lower case, and the other parts of the text.
  private static func host(of text: String) -> (host: String, parts: [String]) {
    var (rest, parts): (Substring, [String]) = (text[...], [])
    if let colon = rest.firstIndex(of: ":"), rest[..<colon].utf8.allSatisfy({ !isDigit($0) && $0 != UInt8(ascii: ".") }),
      let host = rest[colon...].firstIndex(where: { $0 != ":" && $0 != "/" }), !isNumber(rest[host...]), !rest.hasPrefix("[")
    {
      parts.append("has a scheme")
      rest = rest[host...]
    }
    if let end = rest.firstIndex(where: { "/?#".contains($0) }) {
      parts.append("has a path")
      rest = rest[..<end]
    }
    if !rest.hasPrefix("["), let colon = rest.firstIndex(of: ":") {
      parts.append("has a port")
      rest = rest[..<colon]
    }
    if rest.hasSuffix(".") {
      parts.append("ends with a period")
      rest = rest.dropLast()
    }
    let host = rest.lowercased()
    if host != rest { parts.append("has upper-case letters") }
    if hasWWW(host) { parts.append("begins with www") }
    return (host, parts)
  }

  private static func hasWWW(_ host: String) -> Bool { host.hasPrefix("www.") && host.dropFirst(4).contains(".") }

  private static func isHostName(_ host: String) -> Bool {
    if host.hasPrefix("[") { return host.hasSuffix("]") }
    let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return host.utf8.count <= 253
      && labels.allSatisfy { label in
        (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
          && label.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
      }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || isDigit(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isNumber(_ label: Substring) -> Bool { label.utf8.allSatisfy(isDigit) }
}
