import PCMCore

/// A browser's random numbers: one stream per purpose, so that numbers for one purpose do not affect another.
///
/// The n-th number of a stream depends only on the seed, the name of the stream, and n. After a restart, a browser continues
/// from the stored positions.
package struct RandomStreams: Hashable, Sendable {
  package enum Stream: String, Hashable, Sendable, CaseIterable {
    case sourceDelay
    case destinationDelay
    case spacing
    case backoff
    case token
  }

  private let seed: UInt64
  /// The count of numbers that each stream has produced.
  package private(set) var positions: [String: Int64]

  package init(seed: String, positions: [String: Int64] = [:]) {
    self.seed = Self.hash(seed)
    self.positions = positions
  }

  /// Returns the next number of a stream in `0..<1`, with 53 bits.
  package mutating func unit(_ stream: Stream) -> Double {
    SplitMix64.unit(next(stream))
  }

  /// Returns the next bytes of a stream, eight per number.
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
    positions[stream.rawValue] = position &+ 1
    let start = SplitMix64.mix(seed ^ Self.hash(stream.rawValue))
    return SplitMix64.mix(start &+ UInt64(bitPattern: position &+ 1) &* SplitMix64.gamma)
  }

  /// FNV-1a: stable, unlike the hashing of the standard library.
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }
}
