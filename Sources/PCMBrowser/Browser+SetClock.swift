import NIOConcurrencyHelpers
import PCMCore
import PCMDevice
import PCMStore

/// A set-back of the machine's clock that a browser has not followed yet.
enum ClockSetBack: Hashable, Sendable {
  /// Everything scheduled before is from the clock that was set back.
  case once(from: Instant)
  /// Some instants may be from the clock between two set-backs, and only the log shows which.
  case repeated

  /// The machine's time before; nil if only the log knows it.
  var before: Instant? {
    switch self {
    case .once(let before): before
    case .repeated: nil
    }
  }
}

extension Browser {
  /// - Parameter before: The machine's time before it was set back; nil if only the log knows it.
  func redating(_ live: inout LiveState, before: Instant? = nil) -> Redating {
    Redating(now: live.now, start: record.start, backoff: live.settings.deliveryPolicy.retries.backoff, before: before)
  }

  /// Notes that the machine's clock was set back. The next run of what is due follows it.
  ///
  /// - Parameter before: The machine's time before.
  func noteClockSetBack(from before: Instant) { note(.once(from: before)) }

  private func note(_ setBack: ClockSetBack) {
    pendingSetBack.withLockedValue { $0 = $0 == nil ? setBack : .repeated }
  }

  /// Recovers after the machine's clock was set back. What the earlier time determined is corrected, and the next round follows
  /// after five seconds, as when a browser starts. Returns after a correction that is under way.
  func followClock() async throws {
    try await following.withLock {
      let setBack = pendingSetBack.withLockedValue { setBack in
        defer { setBack = nil }
        return setBack
      }
      if let setBack { try await follow(setBack) }
    }
  }

  private func follow(_ setBack: ClockSetBack) async throws {
    do {
      let redating = await decide { live in self.redating(&live, before: setBack.before) }
      try await redate(redating)
      let write = await decide { _ in
        submit(isTimed: true) { writer in
          var state = try writer.state()
          guard try state.timer != nil || !writer.earliestAttributions(limit: 1).isEmpty else { return }
          state.reportTimer.start(at: redating.now)
          try writer.save(state)
        }
      }
      try await write.answer()
    } catch {
      note(setBack)
      throw error
    }
  }

  /// Corrects what a clock that was ahead scheduled and recorded, in as many transactions as necessary.
  func redate(_ redating: Redating) async throws {
    var position = try await store.read(record.id) { try redating.beginning(in: $0) }
    if let ahead = position?.ahead { try await redateDevice(redating, by: ahead) }
    while let start = position {
      let write = await decide { live in
        let part = redating.moved(to: live.now)
        return submit(isTimed: true) { try part.run(from: start, in: $0) }
      }
      position = try await write.answer()
    }
  }

  private func redateDevice(_ redating: Redating, by ahead: Interval) async throws {
    let device = device
    guard redating.redated(device, by: ahead) != device else { return }
    try await commitDevice { live in
      let corrected = redating.moved(to: live.now).redated(live.device, by: ahead)
      return (submit { try $0.save(corrected) }, corrected)
    } publish: { live, corrected in
      live.device = corrected
    }
  }
}
