/// The times that ad networks sign: milliseconds since 1970.
package enum SignedTime {
  /// Before this number, which is in 1973, a number is no time in milliseconds.
  package static let first: Int64 = 100_000_000_000
  /// The numbers that are most likely seconds: from 1973 to 2286.
  private static let seconds: Range<Int64> = 100_000_000..<10_000_000_000

  /// Returns a number that is most likely a time in seconds in milliseconds; nil for any other number.
  package static func milliseconds(ofSeconds number: Int64) -> Int64? {
    seconds.contains(number) ? number * 1_000 : nil
  }
}
