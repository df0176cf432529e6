internal import Crypto

/// The nonces of deterministic ECDSA, from HMAC with SHA-256 (RFC 6979, section 3.2).
///
/// The nonces depend only on the private key and the digest. Without the key, they are unpredictable.
package struct NonceGenerator {
  /// Big-endian.
  private let order: [UInt8]
  private var key = SymmetricKey(data: [UInt8](repeating: 0, count: SHA256.byteCount))
  private var value = [UInt8](repeating: 1, count: SHA256.byteCount)

  /// - Parameters:
  ///   - privateKey: The number of the private key, big-endian, with as many bytes as the order.
  ///   - digest: The SHA-256 of the message.
  ///   - order: The order of the curve's base point, big-endian without leading zeros, of at most 32 bytes.
  package init(privateKey: [UInt8], digest: [UInt8], order: [UInt8]) {
    self.order = order
    let seed = privateKey + reduced(number(digest))
    update([0] + seed)
    update([1] + seed)
  }

  /// Returns the next nonce, big-endian, with as many bytes as the order. It is positive and less than the order.
  package mutating func next() -> [UInt8] {
    while true {
      value = code(of: value)
      let candidate = number(value)
      update([0])
      if candidate.contains(where: { $0 != 0 }), candidate.lexicographicallyPrecedes(order) { return candidate }
    }
  }

  private mutating func update(_ data: [UInt8]) {
    key = SymmetricKey(data: code(of: value + data))
    value = code(of: value)
  }

  private func code(of data: [UInt8]) -> [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: data, using: key)) }

  /// The first bits of a digest, as a number with as many bits as the order.
  private func number(_ digest: [UInt8]) -> [UInt8] {
    let bytes = digest.prefix(order.count)
    return zip([0] + bytes, bytes).map { previous, byte in
      UInt8(truncatingIfNeeded: (UInt16(previous) << 8 | UInt16(byte)) >> order[0].leadingZeroBitCount)
    }
  }

  /// A number with as many bits as the order, modulo the order.
  private func reduced(_ number: [UInt8]) -> [UInt8] {
    guard !number.lexicographicallyPrecedes(order) else { return number }
    var borrow = 0
    let digits = zip(number, order).reversed().map { digit, subtrahend in
      let difference = Int(digit) - Int(subtrahend) - borrow
      borrow = difference < 0 ? 1 : 0
      return UInt8(truncatingIfNeeded: difference)
    }
    return digits.reversed()
  }
}
