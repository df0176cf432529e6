/// How much of a browser's log is kept: events beyond the count or above the age are removed.
package struct LogRetention: Hashable, Sendable {
  /// The minimum number of newest events to keep, unless they exceed the age.
  package var maximumCount: Int64
  /// The maximum age of an event on the browser's clock.
  package var maximumAge: Interval

  package static let counts: ClosedRange<Int64> = 1_000...1_000_000_000
  package static let ages: ClosedRange<Interval> = .days(1) ... .days(36_500)

  /// A million events take about a gigabyte. 400 days cover a year and the delay of its last reports.
  package init(maximumCount: Int64 = 1_000_000, maximumAge: Interval = .days(400)) {
    self.maximumCount = maximumCount
    self.maximumAge = maximumAge
  }

  /// The representation in the API and the log.
  package var json: JSON {
    ["maximumCount": .number(maximumCount), "maximumAge": .string(maximumAge.text)]
  }
}

extension LogRetention: Decodable {
  package init(from decoder: any Decoder) throws {
    var members = try EventReader(decoder)
    self.init(maximumCount: try members.number("maximumCount"), maximumAge: try members.interval("maximumAge"))
    try members.finish()
  }
}
