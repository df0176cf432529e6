/// Multiplication of large numbers by doubling and adding: slow, short, and written without the library that is tested.
struct ModularArithmetic {
  /// Little-endian, with one word more than the modulus needs.
  private let modulus: [UInt32]

  init(modulus: [UInt8]) {
    self.modulus = Self.words(modulus, count: modulus.count / 4 + 1)
  }

  /// a * b mod n; both below n, all numbers big-endian, the result with as many bytes as `a`.
  func product(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    let b = Self.words(b, count: modulus.count)
    var sum = [UInt32](repeating: 0, count: modulus.count)
    for byte in a {
      for bit in (0..<8).reversed() {
        add(sum, to: &sum)
        if byte >> UInt8(bit) & 1 == 1 { add(b, to: &sum) }
      }
    }
    return Self.bytes(sum, count: a.count)
  }

  private func add(_ other: [UInt32], to sum: inout [UInt32]) {
    var carry: UInt64 = 0
    for index in sum.indices {
      carry += UInt64(sum[index]) + UInt64(other[index])
      sum[index] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    if !sum.reversed().lexicographicallyPrecedes(modulus.reversed()) { subtractModulus(from: &sum) }
  }

  private func subtractModulus(from sum: inout [UInt32]) {
    var borrow: Int64 = 0
    for index in sum.indices {
      borrow += Int64(sum[index]) - Int64(modulus[index])
      sum[index] = UInt32(truncatingIfNeeded: borrow)
      borrow >>= 32
    }
  }

  private static func words(_ bytes: [UInt8], count: Int) -> [UInt32] {
    var words = [UInt32](repeating: 0, count: count)
    for (index, byte) in bytes.reversed().enumerated() { words[index / 4] |= UInt32(byte) << UInt32(index % 4 * 8) }
    return words
  }

  private static func bytes(_ words: [UInt32], count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: words[$0 / 4] >> UInt32($0 % 4 * 8)) }
  }
}
