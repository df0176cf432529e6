extension Interval {
  /// ISO 8601 in hours, minutes, and seconds, such as `PT48H0.5S`. There is no unit for days: a day of
  /// a manual clock always has 24 hours.
  package var text: String {
    // The absolute value of the least number has no signed counterpart.
    let total = milliseconds.magnitude
    let (hours, minutes) = (total / 3_600_000, total / 60_000 % 60)
    let (seconds, fraction) = (total / 1_000 % 60, total % 1_000)
    var text = "PT"
    if hours > 0 { text += "\(hours)H" }
    if minutes > 0 { text += "\(minutes)M" }
    if seconds > 0 || fraction > 0 || text == "PT" {
      text += "\(seconds)"
      if fraction > 0 {
        let digits = String(1_000 + fraction).dropFirst()
        text += "." + (digits.hasSuffix("00") ? digits.dropLast(2) : digits.hasSuffix("0") ? digits.dropLast() : digits)
      }
      text += "S"
    }
    return milliseconds < 0 ? "-" + text : text
  }

  /// The two largest nonzero units without a sign, for use in a sentence: `3 h 12 min`.
  package var words: String {
    let total = milliseconds.magnitude
    let units: [(name: String, length: UInt64)] = [
      ("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1),
    ]
    let first = units.firstIndex { total >= $0.length } ?? units.count - 1
    var rest = total
    var parts: [String] = []
    for unit in units[first...].prefix(2) {
      if rest >= unit.length || parts.isEmpty { parts.append("\(rest / unit.length) \(unit.name)") }
      rest %= unit.length
    }
    return parts.joined(separator: " ")
  }

  /// Parses an ISO 8601 duration of weeks, days, hours, minutes, and seconds with an optional fraction (`P7D`, `PT48H`,
  /// `P1DT2H`, `PT0.5S`). Returns nil for other text: years and months, which have no fixed length, signs, and more than
  /// 10,000 years.
  package init?(text: String) {
    var scanner = TextScanner(text)
    guard scanner.skip("P") else { return nil }
    guard let days = scanner.components([("W", 7 * 86_400_000), ("D", 86_400_000)], fractionOfLast: false) else { return nil }
    guard scanner.skip("T") else {
      guard days.count > 0, scanner.isAtEnd else { return nil }
      self.init(checked: days.milliseconds)
      return
    }
    let units: [(Unicode.Scalar, Int64)] = [("H", 3_600_000), ("M", 60_000), ("S", 1_000)]
    guard let times = scanner.components(units, fractionOfLast: true), times.count > 0, scanner.isAtEnd else { return nil }
    self.init(checked: days.milliseconds + times.milliseconds)
  }

  private init?(checked milliseconds: Int64) {
    guard milliseconds <= Interval.days(3_652_500).milliseconds else { return nil }
    self.init(milliseconds: milliseconds)
  }
}

extension TextScanner {
  /// Reads numbers with unit letters, in the order of the units, each unit at most once.
  fileprivate mutating func components(
    _ units: [(letter: Unicode.Scalar, milliseconds: Int64)], fractionOfLast: Bool
  ) -> (count: Int, milliseconds: Int64)? {
    var (count, sum) = (0, Int64(0))
    var remaining = units[...]
    while let number = number() {
      guard number <= 1_000_000_000 else { return nil }
      var fraction: Int64 = 0
      if fractionOfLast, skip(".") {
        guard let milliseconds = fractionInMilliseconds() else { return nil }
        fraction = milliseconds
        remaining = remaining.suffix(1)
      }
      while let unit = remaining.first, !skip(unit.letter) { remaining.removeFirst() }
      guard let unit = remaining.popFirst() else { return nil }
      sum += number * unit.milliseconds + fraction
      count += 1
    }
    return (count, sum)
  }
}
