#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Brings the host that libcurl found into its one normal form, and refuses what no host can be.
enum HostName {
  /// Nil when the URL has no host.
  static func normal(of curl: CurlURL, locale: UTF8Locale) throws(URLRefusal) -> String? {
    guard let host = try curl.host else { return nil }
    if host.hasPrefix("[") { return try address6(host, hasZone: curl.hasZone) }
    let name = try host.utf8.allSatisfy { $0 < 0x80 } ? host : curl.asciiHost(locale)
    return try normal(name)
  }

  /// Whether a browser takes the host for an IPv4 address: the last label is a decimal or hexadecimal number.
  static func endsInNumber(_ host: String) -> Bool {
    guard let label = host.utf8.split(separator: UInt8(ascii: ".")).last else { return false }
    guard label.starts(with: "0x".utf8) else { return label.allSatisfy(\.isASCIIDigit) }
    return label.dropFirst(2).allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0) }
  }

  private static func normal(_ name: String) throws(URLRefusal) -> String {
    var host = name.lowercased()
    if host.hasSuffix(".") { host.removeLast() }
    try checkGrammar(host)
    guard endsInNumber(host) else { return host }
    // libcurl has read most odd spellings already, but not behind a percent sign, full-width digits or a last dot.
    guard let address = try CurlURL(parsing: "http://\(host)/").host, isDottedDecimal(address) else {
      throw .badHost(.notAnAddress)
    }
    return address
  }

  /// Stricter than a browser, which lets most ASCII through: letters, digits, hyphens and underscores in labels of 1 to
  /// 63 bytes, 253 bytes in all. What a name server can hold, and the underscore that some do.
  private static func checkGrammar(_ host: String) throws(URLRefusal) {
    let isAllowed = { (byte: UInt8) in byte.isASCIILetter || byte.isASCIIDigit || "-_.".utf8.contains(byte) }
    guard host.utf8.allSatisfy(isAllowed) else { throw .badHost(.forbiddenCharacter) }
    guard host.utf8.count <= 253 else { throw .badHost(.tooLong) }
    let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy({ (1...63).contains($0.count) }) else { throw .badHost(.label) }
  }

  private static func isDottedDecimal(_ text: String) -> Bool {
    var address = in_addr()
    return inet_pton(AF_INET, text, &address) == 1
  }

  /// The compressed form of RFC 5952 in brackets. libcurl compresses only where that makes the text shorter.
  private static func address6(_ host: String, hasZone: Bool) throws(URLRefusal) -> String {
    guard !hasZone else { throw .badHost(.zone) }
    var address = in6_addr()
    guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1 else {
      throw .badHost(.forbiddenCharacter)
    }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { throw .badHost(.forbiddenCharacter) }
    return "[" + String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) + "]"
  }
}
