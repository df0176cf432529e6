import PCMCore

/// The reading of times: ISO 8601, or seconds, milliseconds, or microseconds since 1970. Dates repeat, and each is read once.
struct EventTime {
  /// Midnights by their dates as numbers, such as 20261120, in the places of their days.
  private var midnights = [(date: Int, midnight: Instant)](repeating: (-1, .earliest), count: 32 * 13)

  /// The smallest number that is read as milliseconds: as seconds, it would be in the year 5138.
  private static let smallestMilliseconds: Int64 = 100_000_000_000

  /// Returns the time of a cell; nil if it is none.
  mutating func read(_ cell: ArraySlice<UInt8>) -> Instant? {
    let found =
      cell.withUnsafeBufferPointer { usual($0) }
      ?? (cell.allSatisfy(Self.isDigit) ? Self.number(cell) : Self.text(cell) ?? Self.fraction(cell))
    return found.flatMap { (Instant.earliest...Instant.latestOfClock).contains($0) ? $0 : nil }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  /// A time in seconds or milliseconds, such as `2026-11-20T10:00:00.000`, with `T` or a space, and with or without `Z`. Returns nil for
  /// any other.
  private mutating func usual(_ cell: UnsafeBufferPointer<UInt8>) -> Instant? {
    let count = cell.last == UInt8(ascii: "Z") ? cell.count - 1 : cell.count
    guard count == 19 || count == 23 && cell[19] == UInt8(ascii: "."),
      [UInt8(ascii: "T"), UInt8(ascii: " ")].contains(cell[10]),
      cell[4] == UInt8(ascii: "-"), cell[7] == UInt8(ascii: "-"), cell[13] == UInt8(ascii: ":"), cell[16] == UInt8(ascii: ":")
    else { return nil }
    func two(_ index: Int) -> Int {
      let (tens, ones) = (cell[index] &- UInt8(ascii: "0"), cell[index + 1] &- UInt8(ascii: "0"))
      return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : 100
    }
    let (century, year, month, day) = (two(0), two(2), two(5), two(8))
    let (hours, minutes, seconds) = (two(11), two(14), two(17))
    let milliseconds = count == 19 ? 0 : two(20) * 10 + Int(cell[22]) - 48
    guard count == 19 || two(20) < 100 && two(21) < 100, century < 100, year < 100, month < 13, day < 32, hours < 24,
      minutes < 60, seconds < 60
    else { return nil }
    let (date, place) = (((century * 100 + year) * 100 + month) * 100 + day, month * 32 + day)
    if midnights[place].date != date {
      guard let midnight = Instant(text: String(decoding: cell[..<10], as: UTF8.self) + "T00:00:00Z") else { return nil }
      midnights[place] = (date, midnight)
    }
    let time = ((hours * 60 + minutes) * 60 + seconds) * 1_000 + milliseconds
    return midnights[place].midnight + Interval(milliseconds: Int64(time))
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Instant? {
    guard (1...16).contains(digits.count) else { return nil }
    let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 & 15) }
    // As milliseconds, a number of 16 digits would be after the year 9999.
    guard digits.count < 16 else { return Instant(milliseconds: number / 1_000) }
    return Instant(milliseconds: number < smallestMilliseconds ? number * 1_000 : number)
  }

  /// Seconds with a fraction.
  private static func fraction(_ cell: ArraySlice<UInt8>) -> Instant? {
    let parts = cell.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }), let seconds = number(parts[0]),
      parts[0].count < 12
    else { return nil }
    let digits = parts[1].prefix(3)
    let fraction = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 & 15) } * [100, 10, 1][digits.count - 1]
    return Instant(milliseconds: seconds.milliseconds + fraction)
  }

  /// A date and a time with `T` or a space between them, and without an offset in UTC.
  private static func text(_ cell: ArraySlice<UInt8>) -> Instant? {
    guard cell.count >= 19 else { return nil }
    let mark = cell[cell.startIndex + 10]
    guard mark == UInt8(ascii: "T") || mark == UInt8(ascii: "t") || mark == UInt8(ascii: " ") else { return nil }
    let (date, time) = (String(decoding: cell.prefix(10), as: UTF8.self), String(decoding: cell.dropFirst(11), as: UTF8.self))
    return Instant(text: "\(date)T\(withOffset(time))")
  }

  /// Returns a time with its offset in the form of RFC 3339. Databases and shops also write `+01`, ` +0100`, and ` UTC`.
  private static func withOffset(_ text: String) -> String {
    let end = text.firstIndex { " +-Zz".contains($0) } ?? text.endIndex
    let (time, offset) = (text[..<end], text[end...].drop { $0 == " " })
    guard offset.hasPrefix("+") || offset.hasPrefix("-") else {
      return offset.isEmpty || offset == "UTC" ? "\(time)Z" : "\(time)\(offset)"
    }
    switch offset.count {
    case 3: return "\(time)\(offset):00"
    case 5: return "\(time)\(offset.prefix(3)):\(offset.suffix(2))"
    default: return "\(time)\(offset)"
    }
  }
}
