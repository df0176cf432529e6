package import PCMCore

extension AppConversions {
  /// Corrects the instants that were recorded while the clock was ahead. An instant that is not in the future stays, so a second
  /// correction changes nothing.
  ///
  /// - Parameter ahead: By how much the clock was ahead.
  package mutating func redate(at now: Instant, by ahead: Interval) {
    for index in conversions.indices { conversions[index].redate(at: now, by: ahead) }
    past.installAt = past.installAt?.redated(at: now, by: ahead)
    past.reengagementAt = past.reengagementAt?.redated(at: now, by: ahead)
  }
}

extension Conversion {
  fileprivate mutating func redate(at now: Instant, by ahead: Interval) {
    convertedAt = convertedAt.redated(at: now, by: ahead)
    firstLaunchAt = firstLaunchAt?.redated(at: now, by: ahead)
    switch course {
    case .timer(var timer):
      timer.redate(at: now, by: ahead)
      course = .timer(timer)
    case .windows(var windows):
      windows.redate(at: now, by: ahead)
      course = .windows(windows)
    }
  }
}

extension Instant {
  /// The instant on the corrected clock, which begins at ``earliest``. The past needs no correction.
  package func redated(at now: Instant, by ahead: Interval) -> Instant {
    self > now ? max(min(self - ahead, now), .earliest) : self
  }
}
