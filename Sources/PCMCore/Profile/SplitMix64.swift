/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). A seed produces the same
/// numbers on every machine and with every compiler; the standard library does not guarantee that.
package struct SplitMix64: Hashable, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= Self.gamma
    return Self.mix(state)
  }

  /// Returns the next number in `0..<1`, with 53 bits.
  package mutating func unit() -> Double { Self.unit(next()) }

  /// The increment of the state per number. It gives direct access to the n-th number.
  package static let gamma: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Returns the number of a state.
  package static func mix(_ state: UInt64) -> UInt64 {
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number mapped to `0..<1`, with 53 bits.
  package static func unit(_ number: UInt64) -> Double { Double(number >> 11) * 0x1p-53 }
}
