/// A browser's chance: one stream of numbers a purpose, so that one more draw for one purpose shifts no other.
///
/// The n-th number of a stream depends on the seed, the stream's name and n alone. A browser that comes back after a
/// restart therefore needs only the positions to go on as if nothing had happened.
package struct RandomStreams: Hashable, Sendable {
  package enum Stream: String, Hashable, Sendable, CaseIterable {
    case sourceDelay
    case destinationDelay
    case spacing
    case backoff
    case token
  }

  private let seed: UInt64
  /// How many numbers each stream has given.
  package private(set) var positions: [String: Int64]

  package init(seed: String, positions: [String: Int64] = [:]) {
    self.seed = Self.hash(seed)
    self.positions = positions
  }

  /// The next number of a stream: at least 0 and less than 1, with 53 bits.
  package mutating func unit(_ stream: Stream) -> Double {
    Double(next(stream) >> 11) * 0x1p-53
  }

  /// The next bytes of a stream, eight for a number of it.
  package mutating func bytes(_ stream: Stream, count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let number = next(stream)
      bytes += stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
    }
    return Array(bytes.prefix(count))
  }

  private mutating func next(_ stream: Stream) -> UInt64 {
    let position = positions[stream.rawValue, default: 0]
    positions[stream.rawValue] = position + 1
    let start = Self.mix(seed ^ Self.hash(stream.rawValue))
    return Self.mix(start &+ UInt64(bitPattern: position &+ 1) &* Self.gamma)
  }

  /// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
  private static let gamma: UInt64 = 0x9E37_79B9_7F4A_7C15

  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// FNV-1a: fixed for ever, unlike the standard library's hashing.
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }
}
