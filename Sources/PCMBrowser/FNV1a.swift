import PCMCore

/// FNV-1a with 64 bits (Fowler, Noll and Vo). The same bytes have the same hash on every machine, unlike in the standard library.
@usableFromInline
package enum FNV1a {
  @inlinable package static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  /// Returns a hash whose bits all depend on the last byte, for tables.
  @inlinable package static func mixedHash(_ bytes: some Sequence<UInt8>) -> UInt64 { mix(hash(bytes)) }

  @usableFromInline static func mix(_ hash: UInt64) -> UInt64 { SplitMix64.mix(hash) }
}
