extension Instant {
  /// RFC 3339 in UTC with milliseconds, `2026-11-20T10:00:00.000Z`: the only format that the service writes.
  ///
  /// A year outside 0 to 9999 has a sign, as in the expanded representation of ISO 8601: `+12027-11-20T10:00:00.000Z`. The
  /// service accepts no such instant, but a certificate can contain one.
  package var text: String {
    let dayLength: Int64 = 86_400_000
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: dayLength)
    let isBefore = remainder < 0
    let inDay = isBefore ? remainder + dayLength : remainder
    let date = CivilDate(daysSince1970: isBefore ? quotient - 1 : quotient)
    let isExpanded = !(0...9_999).contains(date.year)
    return String(unsafeUninitializedCapacity: isExpanded ? Self.longestText : 24) { buffer in
      var writer = DigitWriter(buffer: buffer)
      if isExpanded { writer.character(date.year < 0 ? "-" : "+") }
      writer.number(date.year.magnitude, digits: isExpanded ? max(4, String(date.year.magnitude).utf8.count) : 4)
      writer.character("-")
      writer.number(date.month, digits: 2)
      writer.character("-")
      writer.number(date.day, digits: 2)
      writer.character("T")
      writer.number(inDay / 3_600_000, digits: 2)
      writer.character(":")
      writer.number(inDay / 60_000 % 60, digits: 2)
      writer.character(":")
      writer.number(inDay / 1_000 % 60, digits: 2)
      writer.character(".")
      writer.number(inDay % 1_000, digits: 3)
      writer.character("Z")
      return writer.count
    }
  }

  /// The length of `+292278994-08-17T07:12:55.807Z`.
  private static let longestText = 30

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

/// Writes fixed-width decimal numbers into the storage of a string.
private struct DigitWriter {
  let buffer: UnsafeMutableBufferPointer<UInt8>
  var count = 0

  mutating func character(_ character: Unicode.Scalar) {
    buffer[count] = UInt8(truncatingIfNeeded: character.value)
    count += 1
  }

  mutating func number(_ number: some FixedWidthInteger, digits: Int) {
    var rest = number
    for position in stride(from: count + digits - 1, through: count, by: -1) {
      buffer[position] = 48 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += digits
  }
}
