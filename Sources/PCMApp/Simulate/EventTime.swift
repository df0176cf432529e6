import PCMCore

/// The reading of times: ISO 8601, or seconds or milliseconds since 1970. Dates repeat, and each is read once.
struct EventTime {
  private var date: [UInt8] = []
  private var midnight = Instant.earliest

  /// The smallest number that is read as milliseconds: as seconds, it would be in the year 5138.
  private static let smallestMilliseconds: Int64 = 100_000_000_000

  /// Returns the time of a cell; nil if it is none.
  mutating func read(_ cell: ArraySlice<UInt8>) -> Instant? {
    let found =
      usual(cell) ?? (cell.allSatisfy(Self.isDigit) ? Self.number(cell) : text(cell) ?? Self.fraction(cell))
    return found.flatMap { (Instant.earliest...Instant.latestOfClock).contains($0) ? $0 : nil }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  /// A time in whole seconds on the date that was read last: `2026-11-20T10:00:00`, with or without `Z`.
  private func usual(_ cell: ArraySlice<UInt8>) -> Instant? {
    cell.withUnsafeBufferPointer { cell in
      guard cell.count == 19 || cell.count == 20 && cell[19] == UInt8(ascii: "Z"), cell[10] == UInt8(ascii: "T"),
        cell[13] == UInt8(ascii: ":"), cell[16] == UInt8(ascii: ":"), date.count == 10
      else { return nil }
      for index in 0..<10 where cell[index] != date[index] { return nil }
      func two(_ index: Int) -> Int64 {
        let (tens, ones) = (cell[index] &- UInt8(ascii: "0"), cell[index + 1] &- UInt8(ascii: "0"))
        return tens < 10 && ones < 10 ? Int64(tens) * 10 + Int64(ones) : .max
      }
      let (hours, minutes, seconds) = (two(11), two(14), two(17))
      guard hours < 24, minutes < 60, seconds < 60 else { return nil }
      return midnight + Interval(milliseconds: ((hours * 60 + minutes) * 60 + seconds) * 1_000)
    }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Instant? {
    guard (1...15).contains(digits.count) else { return nil }
    let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 & 15) }
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
  private mutating func text(_ cell: ArraySlice<UInt8>) -> Instant? {
    guard cell.count >= 19 else { return nil }
    let (day, time) = (cell.prefix(10), cell.dropFirst(11))
    if !day.elementsEqual(date) {
      guard let instant = Instant(text: String(decoding: day, as: UTF8.self) + "T00:00:00Z") else { return nil }
      (date, midnight) = (Array(day), instant)
    }
    guard let mark = cell.dropFirst(10).first, [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(mark) else {
      return nil
    }
    guard let past = Self.timeOfDay(time) else {
      return Instant(text: String(decoding: day, as: UTF8.self) + "T" + String(decoding: time, as: UTF8.self))
    }
    return midnight + past
  }

  /// Returns the time since midnight of `10:00:00`, with up to three digits of a fraction and with or without `Z`; nil for another
  /// form.
  private static func timeOfDay(_ text: ArraySlice<UInt8>) -> Interval? {
    let time = text.last == UInt8(ascii: "Z") ? text.dropLast() : text
    let start = time.startIndex
    func two(_ offset: Int) -> Int64? {
      let (tens, ones) = (time[start + offset], time[start + offset + 1])
      return isDigit(tens) && isDigit(ones) ? Int64(tens & 15) * 10 + Int64(ones & 15) : nil
    }
    guard time.count == 8 || (10...12).contains(time.count), time[start + 2] == UInt8(ascii: ":"),
      time[start + 5] == UInt8(ascii: ":"), let hours = two(0), let minutes = two(3), let seconds = two(6), hours < 24,
      minutes < 60, seconds < 60
    else { return nil }
    var milliseconds: Int64 = 0
    if time.count > 8 {
      let digits = time.dropFirst(9)
      guard time[start + 8] == UInt8(ascii: "."), digits.allSatisfy(isDigit) else { return nil }
      milliseconds = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 & 15) } * [100, 10, 1][digits.count - 1]
    }
    return Interval(milliseconds: ((hours * 60 + minutes) * 60 + seconds) * 1_000 + milliseconds)
  }
}
