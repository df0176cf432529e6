import PCMCore

// Times for people, in UTC.

extension String {
  /// A time as the API writes it, without its fraction: `2026-01-05T09:30:00Z`.
  var shownTime: String { "\(dropLast(5))Z" }
}

extension Instant {
  /// Like `2026-01-05T09:30:00Z`.
  var shown: String { text.shownTime }

  /// Like `2026-01-05`.
  var date: String { String(text.prefix { $0 != "T" }) }

  /// Like `09:30:00`.
  var time: String { String(text.dropLast(5).suffix(8)) }

  /// Like `09:30`.
  var clock: String { String(time.prefix(5)) }

  var isMidnight: Bool { milliseconds.isMultiple(of: 86_400_000) }
}
