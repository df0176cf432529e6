/// A scanner for instants and durations.
struct TextScanner {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  var isAtEnd: Bool { position == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
    position += 1
    return true
  }

  /// Reads a fixed number of decimal digits.
  mutating func number(digits: Int) -> Int64? {
    guard position + digits <= bytes.count else { return nil }
    var number: Int64 = 0
    for byte in bytes[position..<position + digits] {
      guard byte >= 48, byte <= 57 else { return nil }
      number = number * 10 + Int64(byte - 48)
    }
    position += digits
    return number
  }

  /// Reads one to twelve decimal digits. The limit prevents overflow in sums of such numbers of days.
  mutating func number() -> Int64? {
    let end = bytes[position...].firstIndex { $0 < 48 || $0 > 57 } ?? bytes.count
    guard end > position, end - position <= 12 else { return nil }
    return number(digits: end - position)
  }

  /// Reads the digits after a decimal point, truncated after the third.
  mutating func fractionInMilliseconds() -> Int64? {
    var milliseconds: Int64 = 0
    var unit: Int64 = 100
    let start = position
    while let digit = number(digits: 1) {
      milliseconds += digit * unit
      unit /= 10
    }
    return position > start ? milliseconds : nil
  }

  /// Reads an offset from UTC: `Z`, or hours and minutes with a sign (`+02:00`).
  mutating func offsetInMinutes() -> Int64? {
    if skip("Z") || skip("z") { return 0 }
    let sign: Int64
    if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
    guard let hours = number(digits: 2), skip(":"), let minutes = number(digits: 2), hours < 24, minutes < 60
    else { return nil }
    return sign * (hours * 60 + minutes)
  }
}
