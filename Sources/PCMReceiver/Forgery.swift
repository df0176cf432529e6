import PCMTokens

/// What faults make of the right bytes.
enum Forgery {
  /// A key of the same size that browsers can blind with and that nobody has the private part of: the modulus with one
  /// bit flipped.
  ///
  /// Most numbers have a small factor, and a browser whose blinding factor has it too refuses the key as unusable. That is
  /// another fault, and it would come by chance: a modulus without factors below 10,000 lets it come once in 100,000 times.
  static func key(like key: TokenPrivateKey) -> String {
    guard let spki = Base64URL.decode(key.publicKeyWire), let place = spki.firstRange(of: key.publicKey.modulus) else {
      return key.publicKeyWire
    }
    // The first byte keeps the size, the last one the number odd. Of all bits, not of one in each byte: the powers of 256
    // are all alike to 3, 5 and 17, so that each of those numbers could have one of them as a factor.
    let candidates = (8..<place.count * 8 - 8).reversed().lazy.map { bit in
      var modulus = key.publicKey.modulus
      modulus[bit / 8] ^= 1 << (bit % 8)
      return modulus
    }
    guard let modulus = candidates.first(where: { !hasSmallFactor($0) }) else { return key.publicKeyWire }
    return Base64URL.encode(Array(spki[..<place.lowerBound] + modulus + spki[place.upperBound...]))
  }

  /// - Parameter number: big-endian.
  static func hasSmallFactor(_ number: [UInt8]) -> Bool {
    // In pieces of 32 bits from the front, the first one short if need be.
    let padding = [UInt8](repeating: 0, count: (4 - number.count % 4) % 4)
    let bytes = padding + number
    let words = stride(from: 0, to: bytes.count, by: 4).map { start in
      bytes[start..<start + 4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    return stride(from: UInt64(3), to: 10_000, by: 2).contains { divisor in
      words.reduce(UInt64(0)) { ($0 << 32 | $1) % divisor } == 0
    }
  }

  static func signature(_ signature: [UInt8]) -> [UInt8] {
    guard let last = signature.last else { return signature }
    return Array(signature.dropLast()) + [last ^ 1]
  }
}
