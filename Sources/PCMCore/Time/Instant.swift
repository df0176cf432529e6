/// A point in time: milliseconds since 1970-01-01T00:00:00Z, on whichever clock produced it.
///
/// The control API also writes milliseconds, so an instant from a response stays exact when a client sends it back.
///
/// ```swift
/// let clickedAt = Instant(milliseconds: 1_795_168_800_000)
/// assert(clickedAt.text == "2026-11-20T10:00:00.000Z")
/// assert(clickedAt + .days(7) - clickedAt == .hours(168))
/// ```
package struct Instant: Hashable, Comparable, Sendable {
  package let milliseconds: Int64

  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  package static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }
  package static func + (instant: Instant, interval: Interval) -> Instant {
    Instant(milliseconds: instant.milliseconds + interval.milliseconds)
  }
  package static func - (instant: Instant, interval: Interval) -> Instant {
    Instant(milliseconds: instant.milliseconds - interval.milliseconds)
  }
  package static func - (left: Instant, right: Instant) -> Interval {
    Interval(milliseconds: left.milliseconds - right.milliseconds)
  }

  /// The first instant with a text that can be read; the last is in 9999. Every sum of such an instant and an interval that
  /// can be read fits into 64 bits.
  package static let earliest = Instant(milliseconds: 0)
  package static let latest = Instant(milliseconds: 253_402_300_799_999)

  /// The last instant of a manual clock, one year before ``latest``: the expiry of a click, the due time of a report, and
  /// the time of a retry can also be read.
  package static let latestOfClock = Instant(milliseconds: 253_370_764_799_999)
}

/// A signed length of time in milliseconds.
package struct Interval: Hashable, Comparable, Sendable {
  package let milliseconds: Int64

  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  package static func seconds(_ count: Int64) -> Interval { Interval(milliseconds: count * 1_000) }
  package static func minutes(_ count: Int64) -> Interval { seconds(count * 60) }
  package static func hours(_ count: Int64) -> Interval { minutes(count * 60) }
  package static func days(_ count: Int64) -> Interval { hours(count * 24) }

  package static func < (left: Interval, right: Interval) -> Bool { left.milliseconds < right.milliseconds }
  package static func + (left: Interval, right: Interval) -> Interval {
    Interval(milliseconds: left.milliseconds + right.milliseconds)
  }
  package static func - (left: Interval, right: Interval) -> Interval {
    Interval(milliseconds: left.milliseconds - right.milliseconds)
  }
}

/// The stored form: milliseconds. A damaged time, whose sums may not fit into 64 bits, cannot be read.
extension Instant: Codable {
  package init(from decoder: any Decoder) throws {
    self.init(milliseconds: try decoder.milliseconds(in: Self.earliest.milliseconds...Self.latest.milliseconds))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(milliseconds)
  }
}

extension Interval: Codable {
  package init(from decoder: any Decoder) throws {
    // An interval that can be added to any instant of a clock.
    self.init(milliseconds: try decoder.milliseconds(in: 0...(Instant.latest - Instant.latestOfClock).milliseconds))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(milliseconds)
  }
}

extension Decoder {
  fileprivate func milliseconds(in range: ClosedRange<Int64>) throws -> Int64 {
    let container = try singleValueContainer()
    let value = try container.decode(Int64.self)
    guard range.contains(value) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "out of range")
    }
    return value
  }
}
