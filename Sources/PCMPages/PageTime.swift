import PCMCore

// Times for people, in UTC.

extension String {
  /// A time as the API writes it, like `2026-01-05 09:30:00`.
  var shownTime: String { String(dropLast(5)).replacing("T", with: " ") }
}

extension Instant {
  /// Like `2026-01-05 09:30:00`.
  var shown: String { text.shownTime }

  /// Like `09:30`.
  var clock: String { String(text.dropLast(8).suffix(5)) }

  /// Like `Jan 5`.
  var shortDate: String {
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let (month, day) = (text.dropLast(17).suffix(2), text.dropLast(14).suffix(2))
    return "\(names[(Int(month) ?? 1) - 1]) \(Int(day) ?? 1)"
  }

  var isMidnight: Bool { milliseconds.isMultiple(of: 86_400_000) }
}
