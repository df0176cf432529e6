internal import PCMCrypto

/// The formats in which programs write a number.
enum NumberText {
  /// The exponential notations of programs, with all digits, and with the six digits of C.
  @Sendable static func exponentials(_ text: String) -> [String?] {
    guard let number = Int64(text), number > 999_999 else { return [] }
    let exponent = text.utf8.count - 1
    func notation(_ digits: String, keepingZeros: Bool = false) -> String {
      var rest = digits.dropFirst()
      while !keepingZeros, rest.last == "0" { rest.removeLast() }
      return digits.prefix(1) + (rest.isEmpty ? "" : "." + rest)
    }
    // Rounded digits do not carry into the first digit here.
    let scale = (0..<exponent - 6).reduce(Int64(1)) { scale, _ in scale * 10 }
    let (seven, six) = ("\((number + scale / 2) / scale)", "\((number + scale * 5) / (scale * 10))")
    let (exact, fixed, general) = (notation(text), notation(seven, keepingZeros: true), notation(six))
    let java = exact.contains(".") ? exact : exact + ".0"
    let two = exponent < 10 ? "0\(exponent)" : "\(exponent)"
    return ["\(java)E\(exponent)"] + [exact, fixed, general].map { "\($0)e+\(two)" } + [
      "\(exact)e\(exponent)", "\(exact)E+\(two)",
    ]
  }

  static func grouped(_ text: String, _ separator: String) -> String {
    text.enumerated().map { index, digit in
      index > 0 && (text.count - index) % 3 == 0 ? separator + String(digit) : String(digit)
    }.joined()
  }

  /// Converts a time in another unit to milliseconds.
  @Sendable static func milliseconds(_ text: String) -> [String?] {
    Int64(text).flatMap(SignedTime.converted).map { ["\($0.milliseconds)"] } ?? []
  }

  /// Returns whether a number exceeds a signed 32-bit integer.
  static func isWide(_ text: String) -> Bool { Int64(text).map { $0 > Int64(Int32.max) } ?? false }

  /// Returns an integer after a conversion to 32 bits: the remainder, and the nearest floating-point number.
  @Sendable static func inThirtyTwoBits(_ text: String) -> [String?] {
    guard let number = Int64(text) else { return [] }
    let remainders = ["\(Int32(truncatingIfNeeded: number))", "\(UInt32(truncatingIfNeeded: number))"]
    let float = Int64(exactly: Float(number)).map { ["\($0)", "\(Float(number))", "\($0).0"] } ?? []
    return (isWide(text) ? remainders : []) + (float.first == text ? [] : float)
  }
}

/// The results of converting a larger number to 32 bits: the largest integer, a remainder, or the nearest floating-point
/// number.
enum ThirtyTwoBits {
  /// The candidate times in milliseconds: from 2018 to 2038.
  private static let years: ClosedRange<Int64> = 1_514_764_800_000...2_145_916_800_000
  /// The times in seconds, from 2014 to 2036, which are not remainders.
  private static let seconds: ClosedRange<Int64> = 1_400_000_000...2_100_000_000
  private static let size: Int64 = 1 << 32

  /// Returns the times whose conversion can have this result, some 150; none if the number shows no conversion. A rounded
  /// time is found only if it is a whole second.
  @Sendable static func times(_ text: String) -> [String?] {
    guard let number = Int64(text), !seconds.contains(number) else { return [] }
    if number < size {
      let remainder = number & (size - 1)
      return (years.lowerBound / size...years.upperBound / size).map { "\($0 * size + remainder)" }
    }
    guard let unit = unit(number, ofTime: true) else { return [] }
    return stride(from: (number - unit + 999) / 1_000 * 1_000, through: number + unit, by: 1_000).map { "\($0)" }
  }

  /// Returns the app identifiers whose conversion can have this result.
  @Sendable static func apps(_ text: String) -> [String?] {
    guard let number = Int64(text), (1..<size).contains(number) else { return [] }
    return ["\(number + size)"]
  }

  /// Returns the evidence of a conversion to 32 bits in a number; nil without evidence.
  static func sign(of number: Int64, isTime: Bool) -> String? {
    if number == Int64(Int32.max) { return "\(number) is the largest 32-bit integer" }
    if number == Int64(UInt32.max) { return "\(number) is the largest 32-bit integer without a sign" }
    if number < 0 { return "\(number) is negative" }
    return unit(number, ofTime: isTime).map {
      "\(number) is a multiple of \($0), as 32-bit floating-point numbers of this size are"
    }
  }

  /// Returns the spacing of floating-point numbers, if it divides a number that exceeds 32 bits; nil for other numbers. A
  /// time can have an additional binary digit, as after a division.
  private static func unit(_ number: Int64, ofTime isTime: Bool) -> Int64? {
    guard number >= size else { return nil }
    let unit = Int64(Float(number).ulp) / (isTime ? 2 : 1)
    return unit > 0 && number % unit == 0 ? unit : nil
  }
}
