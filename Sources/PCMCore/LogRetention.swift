/// How much of a browser's log is kept: an event goes when it is beyond the count or over the age.
package struct LogRetention: Hashable, Sendable {
  /// How many events are kept at least, the newest.
  package var maximumCount: Int64
  /// On the browser's clock.
  package var maximumAge: Interval

  package static let counts: ClosedRange<Int64> = 1_000...1_000_000_000
  package static let ages: ClosedRange<Interval> = .days(1) ... .days(36_500)

  /// A million events take about a gigabyte. 400 days are a year and the time in which its last reports are sent.
  package init(maximumCount: Int64 = 1_000_000, maximumAge: Interval = .days(400)) {
    self.maximumCount = maximumCount
    self.maximumAge = maximumAge
  }

  /// As the API and the log show it.
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
