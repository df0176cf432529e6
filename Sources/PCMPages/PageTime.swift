/// A time for people, in UTC: milliseconds since 1970.
struct PageTime: Hashable, Sendable {
  let milliseconds: Int64

  private static let day: Int64 = 86_400_000

  private var minutes: Int64 { (milliseconds - days * Self.day) / 60_000 }
  private var days: Int64 { (milliseconds >= 0 ? milliseconds : milliseconds - Self.day + 1) / Self.day }

  /// Like `2026-01-05`.
  var date: String {
    let (year, month, day) = calendar
    return "\(year)-\(Self.padded(Int64(month)))-\(Self.padded(Int64(day)))"
  }

  /// Like `Jan 5`.
  var shortDate: String {
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return "\(names[calendar.month - 1]) \(calendar.day)"
  }

  /// Like `09:30`.
  var clock: String { "\(Self.padded(minutes / 60)):\(Self.padded(minutes % 60))" }

  /// Like `2026-01-05 09:30:00`.
  var text: String {
    let seconds = (milliseconds - days * Self.day) / 1_000 % 60
    return "\(date) \(clock):\(Self.padded(seconds))"
  }

  var isMidnight: Bool { milliseconds == days * Self.day }

  private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// The date of the proleptic Gregorian calendar, by Hinnant's algorithm `civil_from_days`.
  private var calendar: (year: Int64, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), Int(month), Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))
  }
}
