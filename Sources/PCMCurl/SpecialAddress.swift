/// The kind of an address that is not on the public internet.
///
/// The names follow IANA's registries of special-purpose addresses (RFC 6890 and its updates).
package enum SpecialAddress: String, Hashable, Sendable, CaseIterable {
  case unspecified = "an unspecified"
  case loopback = "a loopback"
  case privateUse = "a private"
  case sharedSpace = "a shared (CGNAT)"
  case linkLocal = "a link-local"
  case uniqueLocal = "a unique-local"
  case multicast = "a multicast"
  case broadcast = "a broadcast"
  case documentation = "a documentation"
  case benchmarking = "a benchmarking"
  case reserved = "a reserved"

  /// Classifies an address in network byte order: 4 bytes for IPv4, 16 for IPv6. Returns nil for a public address. Addresses
  /// of other lengths count as reserved.
  ///
  /// An IPv6 address that contains an IPv4 address (mapped, translated, NAT64, 6to4) has the kind of that address, because
  /// packets arrive there.
  package init?(bytes: [UInt8]) {
    let kind =
      switch bytes.count {
      case 4: Self.kind(of: bytes[...], in: Self.ranges4)
      case 16: Self.kind(ofIPv6: bytes)
      default: Self.reserved
      }
    guard let kind else { return nil }
    self = kind
  }

  private static func kind(ofIPv6 bytes: [UInt8]) -> Self? {
    for (prefix, position) in embeddings where bytes.starts(with: prefix) {
      return kind(of: bytes[position..<position + 4], in: ranges4)
    }
    if let kind = kind(of: bytes[...], in: ranges6) { return kind }
    // Only 2000::/3 is allocated for the public internet.
    return bytes[0] & 0xE0 == 0x20 ? nil : .reserved
  }

  private static func kind(of bytes: ArraySlice<UInt8>, in ranges: [Range]) -> Self? {
    ranges.first { $0.contains(bytes) }?.kind
  }

  private struct Range {
    let prefix: [UInt8]
    let bits: Int
    let kind: SpecialAddress

    init(_ prefix: [UInt8], _ bits: Int, _ kind: SpecialAddress) {
      self.prefix = prefix
      self.bits = bits
      self.kind = kind
    }

    func contains(_ bytes: ArraySlice<UInt8>) -> Bool {
      let whole = bits / 8
      guard bytes.starts(with: prefix.prefix(whole)) else { return false }
      guard bits % 8 > 0 else { return true }
      let mask = UInt8.max << UInt8(8 - bits % 8)
      return bytes[bytes.startIndex + whole] & mask == prefix[whole] & mask
    }
  }

  /// The ranges. The first range that contains an address decides.
  private static let ranges4: [Range] = [
    Range([0], 8, .unspecified),
    Range([10], 8, .privateUse),
    Range([100, 64], 10, .sharedSpace),
    Range([127], 8, .loopback),
    Range([169, 254], 16, .linkLocal),
    Range([172, 16], 12, .privateUse),
    Range([192, 0, 0], 24, .reserved),
    Range([192, 0, 2], 24, .documentation),
    Range([192, 88, 99], 24, .reserved),
    Range([192, 168], 16, .privateUse),
    Range([198, 18], 15, .benchmarking),
    Range([198, 51, 100], 24, .documentation),
    Range([203, 0, 113], 24, .documentation),
    Range([224], 4, .multicast),
    Range([255, 255, 255, 255], 32, .broadcast),
    Range([240], 4, .reserved),
  ]

  private static let ranges6: [Range] = [
    Range([UInt8](repeating: 0, count: 16), 128, .unspecified),
    Range([UInt8](repeating: 0, count: 15) + [1], 128, .loopback),
    Range([0xFC], 7, .uniqueLocal),
    Range([0xFE, 0x80], 10, .linkLocal),
    Range([0xFE, 0xC0], 10, .privateUse),
    Range([0xFF], 8, .multicast),
    Range([0x00, 0x64, 0xFF, 0x9B, 0x00, 0x01], 48, .privateUse),
    Range([0x20, 0x01, 0x0D, 0xB8], 32, .documentation),
    Range([0x3F, 0xFF, 0x00], 20, .documentation),
    Range([0x20, 0x01, 0x00, 0x02, 0x00, 0x00], 48, .benchmarking),
    // Protocol assignments, including Teredo, in which the final address is at no fixed position.
    Range([0x20, 0x01, 0x00], 23, .reserved),
  ]

  /// The prefixes of addresses that contain an IPv4 address, and its position.
  private static let embeddings: [(prefix: [UInt8], position: Int)] = [
    ([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF], 12),  // ::ffff:0:0/96, mapped
    ([UInt8](repeating: 0, count: 8) + [0xFF, 0xFF, 0, 0], 12),  // ::ffff:0:0:0/96, translated
    ([0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8), 12),  // 64:ff9b::/96, NAT64
    ([0x20, 0x02], 2),  // 2002::/16, 6to4
  ]
}
