/// A click and its trigger, to be reported to two recipients (reference, section 5).
package struct Attribution: Hashable, Identifiable, Sendable {
  private let parts: Boxed<Parts>
  /// The source's half; nil after it is sent.
  package var source: PendingHalf?
  /// The destination's half; nil after it is sent.
  package var destination: PendingHalf?

  package var id: Int64 { parts.value.id }
  package var click: KeptClick { parts.value.click }
  package var trigger: Trigger { parts.value.trigger }
  /// The token that the destination site signed for the triggering event. The click has the source's token.
  package var destinationToken: SecretToken? { parts.value.destinationToken }
  package var attributedAt: Instant { parts.value.attributedAt }

  package init(
    id: Int64, click: KeptClick, trigger: Trigger, destinationToken: SecretToken? = nil, attributedAt: Instant,
    source: PendingHalf?, destination: PendingHalf?
  ) {
    parts = Boxed(
      Parts(id: id, click: click, trigger: trigger, destinationToken: destinationToken, attributedAt: attributedAt))
    self.source = source
    self.destination = destination
  }

  private struct Parts: Hashable, Sendable {
    let id: Int64
    let click: KeptClick
    let trigger: Trigger
    let destinationToken: SecretToken?
    let attributedAt: Instant
  }

  /// A report that is still to be sent.
  package struct PendingHalf: Hashable, Sendable {
    package let report: Int64
    package let dueAt: Instant

    package init(report: Int64, dueAt: Instant) {
      self.report = report
      self.dueAt = dueAt
    }
  }

  package var key: ClickKey { parts.value.click.click.key }

  /// Whether one report was sent. From then on, another trigger alone changes nothing (section 5.2, step 5).
  package var isHalfSent: Bool { source == nil || destination == nil }

  /// The half to send next: the earlier one, or the destination's at equal times (section 6). Nil when both were sent.
  package var next: (recipient: Recipient, half: PendingHalf)? {
    switch (source, destination) {
    case (nil, nil): nil
    case (let source?, nil): (.source, source)
    case (nil, let destination?): (.destination, destination)
    case (let source?, let destination?):
      source.dueAt < destination.dueAt ? (.source, source) : (.destination, destination)
    }
  }

  package mutating func markSent(_ recipient: Recipient) {
    switch recipient {
    case .source: source = nil
    case .destination: destination = nil
    }
  }
}

/// The two sites that receive the same report.
package enum Recipient: String, Hashable, Sendable, CaseIterable {
  case source
  case destination
}

/// When the two reports of an attribution are due: 24 to 48 hours after it, at independent random times (reference, section
/// 1).
package struct SendTimes: Hashable, Sendable {
  package let source: Instant
  package let destination: Instant

  package typealias Draws = (source: Double, destination: Double)

  package static let shortestDelay = Interval.hours(24)
  package static let delayRange = Interval.hours(24)

  /// Returns a delay of at least 24 and less than 48 hours.
  static func delay(_ draw: Double) -> Interval {
    shortestDelay + Interval(milliseconds: Int64(draw * Double(delayRange.milliseconds)))
  }
}

extension SendTimes {
  /// - Parameter draws: Two independent random numbers in `0..<1`.
  package init(after now: Instant, draws: Draws) {
    (source, destination) = (now + Self.delay(draws.source), now + Self.delay(draws.destination))
  }
}
