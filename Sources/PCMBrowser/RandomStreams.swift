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
    case conversion

    /// The hashes of the names.
    fileprivate static let hashes = allCases.map { FNV1a.hash($0.rawValue.utf8) }
    /// The index in `allCases`.
    fileprivate var index: Int {
      switch self {
      case .sourceDelay: 0
      case .destinationDelay: 1
      case .spacing: 2
      case .backoff: 3
      case .token: 4
      case .conversion: 5
      }
    }
  }

  private let seed: UInt64
  /// The count of numbers that each stream has produced.
  private var counts = SIMD8<Int64>()

  package init(seed: String, positions: [String: Int64] = [:]) {
    self.seed = FNV1a.hash(seed.utf8)
    for stream in Stream.allCases { counts[stream.index] = positions[stream.rawValue] ?? 0 }
  }

  /// The counts of the streams that have produced numbers, by name.
  package var positions: [String: Int64] {
    Stream.allCases.reduce(into: [:]) { positions, stream in
      if counts[stream.index] != 0 { positions[stream.rawValue] = counts[stream.index] }
    }
  }

  /// Returns the next number of a stream in `0..<1`, with 53 bits.
  package mutating func unit(_ stream: Stream) -> Double {
    SplitMix64.unit(next(stream))
  }

  /// Returns the next number of a stream.
  mutating func number(_ stream: Stream) -> Int64 { Int64(bitPattern: next(stream)) }

  /// Returns the numbers of a triggering event.
  mutating func delays() -> SendTimes.Draws { (source: unit(.sourceDelay), destination: unit(.destinationDelay)) }

  /// Returns the numbers of a wake-up.
  mutating func gaps() -> ReportTimer.Draws { (afterSending: unit(.spacing), betweenReports: unit(.spacing)) }

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
    let position = counts[stream.index] &+ 1
    counts[stream.index] = position
    let start = SplitMix64.mix(seed ^ Stream.hashes[stream.index])
    return SplitMix64.mix(start &+ UInt64(bitPattern: position) &* SplitMix64.gamma)
  }

  /// Draws that depend on the seed and a name only. They take no position, so a transaction can draw as many as its rows need.
  var named: NamedDraws { NamedDraws(seed: seed) }
}

/// Random numbers by name: the same seed and the same name have the same numbers, however many others are drawn.
struct NamedDraws: Hashable, Sendable {
  fileprivate let seed: UInt64

  /// Returns the first two numbers with a name.
  private func numbers(_ name: String) -> (first: UInt64, second: UInt64) {
    let start = SplitMix64.mix(seed ^ FNV1a.hash(name.utf8))
    return (SplitMix64.mix(start &+ SplitMix64.gamma), SplitMix64.mix(start &+ 2 &* SplitMix64.gamma))
  }

  /// Returns a number in `0..<1` with 53 bits.
  func unit(_ name: String) -> Double { SplitMix64.unit(numbers(name).first) }

  /// Returns a random UUID (version 4) in lower case.
  func uuid(_ name: String) -> String {
    let numbers = numbers(name)
    let (high, low) = (numbers.first & ~0xF000 | 0x4000, numbers.second & ~(3 << 62) | 2 << 62)
    return String(unsafeUninitializedCapacity: 36) { text in
      var end = 0
      for place in 0..<32 {
        if place == 8 || place == 12 || place == 16 || place == 20 {
          text[end] = UInt8(ascii: "-")
          end += 1
        }
        let digit = (place < 16 ? high : low) >> (60 - UInt64(place % 16) * 4) & 15
        text[end] = Hexadecimal.digit(UInt8(digit))
        end += 1
      }
      return end
    }
  }
}
