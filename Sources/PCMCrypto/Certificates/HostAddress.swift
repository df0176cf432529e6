/// The addresses that a certificate can contain, as text.
enum HostAddress {
  static func bytes(ofIPv4 text: String) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { UInt8($0) }
    return parts.count == 4 && bytes.count == 4 ? bytes : nil
  }

  /// Parses an address in hexadecimal groups, where `::` replaces groups of zeros, and an IPv4 address may replace the last two
  /// groups (RFC 4291, section 2.2).
  static func bytes(ofIPv6 text: String) -> [UInt8]? {
    if let colon = text.lastIndex(of: ":"), let last = bytes(ofIPv4: String(text[colon...].dropFirst())) {
      let groups = [0, 2].map { String(Int(last[$0]) << 8 | Int(last[$0 + 1]), radix: 16) }
      return bytes(ofIPv6: text[...colon] + groups.joined(separator: ":"))
    }
    let halves = text.split(separator: "::", omittingEmptySubsequences: false).map { half in
      half.split(separator: ":", omittingEmptySubsequences: false).filter { !half.isEmpty || !$0.isEmpty }
    }
    let known = halves.joined().count
    guard halves.count == 2 ? known < 8 : halves.count == 1 && known == 8 else { return nil }
    let groups = halves.map { $0.map { UInt16($0, radix: 16) } }
    let zeros = [UInt16?](repeating: 0, count: 8 - known)
    let all = (groups.count == 2 ? groups[0] + zeros + groups[1] : groups[0]).compactMap { $0 }
    return all.count == 8 ? all.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } : nil
  }
}
