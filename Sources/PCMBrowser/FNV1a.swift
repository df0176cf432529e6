import PCMCore

/// FNV-1a with 64 bits (Fowler, Noll and Vo). The same bytes have the same hash on every machine, unlike in the standard library.
package enum FNV1a {
  package static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.withContiguousStorageIfAvailable(hashOfBuffer) ?? Array(bytes).withUnsafeBufferPointer(hashOfBuffer)
  }

  /// Hashes bytes in memory. A generic loop would call a function for each byte.
  private static func hashOfBuffer(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return hash
  }

  /// Returns a hash whose bits all depend on the last byte, for tables.
  package static func mixedHash(_ bytes: some Sequence<UInt8>) -> UInt64 { SplitMix64.mix(hash(bytes)) }
}
