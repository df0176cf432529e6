extension Instant {
  /// RFC 3339 in UTC with milliseconds, `2026-11-20T10:00:00.000Z`: the only format that the service writes.
  ///
  /// A year outside 0 to 9999 has a sign, as in the expanded representation of ISO 8601: `+12027-11-20T10:00:00.000Z`. The
  /// service accepts no such instant, but a certificate can contain one.
  package var text: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(24)
    write(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the text in UTF-8.
  package func write(into bytes: inout [UInt8]) {
    let dayLength: Int64 = 86_400_000
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: dayLength)
    let isBefore = remainder < 0
    let inDay = isBefore ? remainder + dayLength : remainder
    let date = CivilDate(daysSince1970: isBefore ? quotient - 1 : quotient)
    if (0...9_999).contains(date.year) {
      bytes.append(twoDigits: date.year / 100)
      bytes.append(twoDigits: date.year % 100)
    } else {
      let digits = String(date.year.magnitude).utf8
      bytes.append(UInt8(ascii: date.year < 0 ? "-" : "+"))
      for _ in digits.count..<max(4, digits.count) { bytes.append(UInt8(ascii: "0")) }
      bytes.append(contentsOf: digits)
    }
    bytes.append("-", twoDigits: date.month)
    bytes.append("-", twoDigits: date.day)
    bytes.append("T", twoDigits: inDay / 3_600_000)
    bytes.append(":", twoDigits: inDay / 60_000 % 60)
    bytes.append(":", twoDigits: inDay / 1_000 % 60)
    bytes.append(".", twoDigits: inDay % 1_000 / 10)
    bytes.append(48 + UInt8(truncatingIfNeeded: inDay % 10))
    bytes.append(UInt8(ascii: "Z"))
  }

  /// Parses RFC 3339: any offset, any number of fraction digits (truncated to milliseconds), `T` and `Z` in either case.
  /// Returns nil for other text, for a date that does not exist, and for years outside 1970 to 9999.
  package init?(text: String) {
    var scanner = TextScanner(text)
    guard
      let year = scanner.number(digits: 4), scanner.skip("-"),
      let month = scanner.number(digits: 2), scanner.skip("-"),
      let day = scanner.number(digits: 2), scanner.skip("T") || scanner.skip("t"),
      let hour = scanner.number(digits: 2), scanner.skip(":"),
      let minute = scanner.number(digits: 2), scanner.skip(":"),
      let second = scanner.number(digits: 2),
      let fraction = scanner.skip(".") ? scanner.fractionInMilliseconds() : 0,
      let offset = scanner.offsetInMinutes(), scanner.isAtEnd,
      hour < 24, minute < 60, second < 60,
      let days = CivilDate(year: year, month: month, day: day).daysSince1970
    else { return nil }
    let minutes = (days * 24 + hour) * 60 + minute - offset
    self.init(milliseconds: (minutes * 60 + second) * 1_000 + fraction)
    guard self >= .earliest, self <= .latest else { return nil }
  }
}

/// A date in the proleptic Gregorian calendar. The conversions use eras of 400 years that begin on March 1, which makes the
/// leap day the last day of its year.
struct CivilDate: Equatable {
  let year: Int64
  let month: Int64
  let day: Int64

  init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  init(daysSince1970 days: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchBasedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * marchBasedMonth + 2) / 5 + 1
    month = marchBasedMonth < 10 ? marchBasedMonth + 3 : marchBasedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Nil when the date does not exist.
  var daysSince1970: Int64? {
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    return CivilDate(daysSince1970: days) == self ? days : nil
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ character: Unicode.Scalar, twoDigits number: Int64) {
    append(UInt8(ascii: character))
    append(twoDigits: number)
  }

  /// Appends a number from 0 to 99.
  fileprivate mutating func append(twoDigits number: Int64) {
    append(48 + UInt8(truncatingIfNeeded: number / 10))
    append(48 + UInt8(truncatingIfNeeded: number % 10))
  }
}
