/// The body of `POST …/clock/advance`: how far a manual clock moves.
package struct ClockAdvance: JSONBody {
  package var by: Interval?
  package var to: Instant?
  package var toNextEvent: Bool?
  package var untilIdle: Bool?
  package var within: Interval?

  package static let definition = BodyDefinition<Self>(
    "How far the clock moves: exactly one of `by`, `to`, `toNextEvent`, and `untilIdle`.",
    [
      .optional(
        "by", \.by, .duration,
        "The distance, an ISO 8601 duration of weeks, days, hours, minutes, and seconds with an optional fraction; "
          + "at most 10,000 years"),
      .optional(
        "to", \.to, .instant, "The new time, RFC 3339, not before the clock's current time and not after the year 9998"),
      .optional("toNextEvent", \.toNextEvent, .yes, "Advances to the next instant at which something happens"),
      .optional("untilIdle", \.untilIdle, .yes, "Advances until no report is left to send"),
      .optional(
        "within", \.within, .duration,
        "The longest distance of `untilIdle`, an ISO 8601 duration. Without it, a report that fails moves the clock by up "
          + "to 30 days, after which its retries end"),
    ],
    rules: [
      .exactlyOne(of: ["by", "to", "toNextEvent", "untilIdle"]),
      .check { body in
        guard body.within != nil, body.untilIdle == nil else { return nil }
        return InputError(["within"], "within limits untilIdle; omit it, or give untilIdle", .conflictingMembers)
      },
    ])

  package init() {}

  package static func by(_ interval: Interval) -> Self {
    var advance = Self()
    advance.by = interval
    return advance
  }

  package static func to(_ instant: Instant) -> Self {
    var advance = Self()
    advance.to = instant
    return advance
  }

  package static var toNextEvent: Self {
    var advance = Self()
    advance.toNextEvent = true
    return advance
  }

  package static func untilIdle(within interval: Interval? = nil) -> Self {
    var advance = Self()
    (advance.untilIdle, advance.within) = (true, interval)
    return advance
  }
}
