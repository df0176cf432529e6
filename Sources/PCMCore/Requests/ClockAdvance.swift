/// The body of `POST …/clock/advance`: how far a manual clock moves.
package struct ClockAdvance: JSONBody {
  package var by: Interval?
  package var to: Instant?
  package var toNextEvent: Bool?
  package var untilIdle: Bool?

  package static let definition = BodyDefinition<Self>(
    "Exactly one of the four members. A null member counts as absent.",
    [
      .optional(
        "by", \.by, .duration,
        "The distance, an ISO 8601 duration of weeks, days, hours, minutes, and seconds with an optional fraction; "
          + "at most 10,000 years"),
      .optional(
        "to", \.to, .instant, "The new time, RFC 3339, not before the clock's current time and not after the year 9998"),
      .optional("toNextEvent", \.toNextEvent, .yes, "Advances to the next instant at which something happens"),
      .optional("untilIdle", \.untilIdle, .yes, "Advances until no report is left to send, at most 30 days"),
    ], rules: [.exactlyOne])

  package init() {}

  package init(by interval: Interval) { by = interval }
  package init(to instant: Instant) { to = instant }

  package static var toNextEvent: Self {
    var advance = Self()
    advance.toNextEvent = true
    return advance
  }

  package static var untilIdle: Self {
    var advance = Self()
    advance.untilIdle = true
    return advance
  }
}
