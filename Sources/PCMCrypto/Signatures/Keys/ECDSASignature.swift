internal import SwiftASN1

/// An ECDSA signature: two positive integers. SKAdNetwork encodes them in DER, a JSON Web Signature as raw bytes.
package struct ECDSASignature: Hashable, Sendable {
  /// Big-endian without leading zeros.
  private let r: [UInt8]
  /// Big-endian without leading zeros.
  private let s: [UInt8]

  /// Reads the SEQUENCE of two INTEGERs; nil for other bytes.
  package init?(der: [UInt8]) {
    let numbers = try? DER.sequence(DER.parse(der), identifier: .sequence) { nodes in
      (Array(try ArraySlice<UInt8>(derEncoded: &nodes)), Array(try ArraySlice<UInt8>(derEncoded: &nodes)))
    }
    guard let numbers else { return nil }
    self.init(r: numbers.0, s: numbers.1)
  }

  /// Reads both numbers with the same number of bytes; nil for an odd number of bytes.
  package init?(raw: [UInt8]) {
    guard raw.count % 2 == 0, !raw.isEmpty else { return nil }
    self.init(r: Array(raw[..<(raw.count / 2)]), s: Array(raw[(raw.count / 2)...]))
  }

  private init(r: [UInt8], s: [UInt8]) {
    self.r = Array(r.drop { $0 == 0 })
    self.s = Array(s.drop { $0 == 0 })
  }

  /// The SEQUENCE of two INTEGERs.
  package var der: [UInt8] {
    var serializer = DER.Serializer()
    // Serializing an integer does not fail.
    try? serializer.appendConstructedNode(identifier: .sequence) { numbers in
      try numbers.serialize(r[...])
      try numbers.serialize(s[...])
    }
    return serializer.serializedBytes
  }

  /// Both numbers with the same number of bytes; nil for a number with more bytes.
  package func raw(byteCount: Int) -> [UInt8]? {
    guard r.count <= byteCount, s.count <= byteCount else { return nil }
    return [r, s].flatMap { [UInt8](repeating: 0, count: byteCount - $0.count) + $0 }
  }
}
