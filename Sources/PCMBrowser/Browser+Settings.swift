package import PCMCore
import PCMStore

extension Browser {
  /// Applies a change of the settings, the labels, and the idle timeout, and then of the device. Earlier decisions are not
  /// affected.
  ///
  /// Changes take effect in the order of the calls, after the operations that are under way.
  package func change(_ change: BrowserChange) async throws {
    if let timeout = change.idleTimeout, timeout.milliseconds > 0 { try checkIdleTimeout() }
    try await lock.excluding {
      try await apply(change)
      if !change.device.isEmpty { try await apply(device: change.device) }
    }
  }

  private func apply(_ change: BrowserChange) async throws {
    let (before, upkeepBefore) = withState { ($0.settings, $0.upkeep) }
    let after = change.settings.applied(to: before)
    let upkeep = upkeepBefore.changed(labels: change.labels, idleTimeout: change.idleTimeout)
    guard after != before || upkeep != upkeepBefore else { return }
    let call = after == before ? nil : journaling.call(CallName.settings, change.settings.json)
    try await withState { save(after, upkeep, before: before, call, at: $0.now) }.answer()
    withState { $0.publish(after, upkeep) }
  }

  /// Throws for `default`, which always exists.
  func checkIdleTimeout() throws(BrowserError) {
    guard record.name == Browsers.defaultName else { return }
    throw .conflict("idleTimeout: \(record.name) always exists and has no idle timeout; use another browser")
  }

  private func save(
    _ after: BrowserSettings, _ upkeep: BrowserUpkeep, before: BrowserSettings, _ call: PendingCall?, at now: Instant
  ) -> PendingWrite<Void> {
    submit(call, isTimed: true) { writer in
      var state = try writer.state()
      state.upkeep = upkeep
      guard after != before else { return try writer.save(state) }
      state.settings = after
      state.reportTimer.change(from: before.measurement, to: after.measurement, at: now)
      try writer.save(state)
      if before.measurement.privateBrowsing, !after.measurement.privateBrowsing { try writer.endPrivateSession(at: now) }
      try writer.append(after, at: now)
    }
  }
}

extension BrowserWriter {
  /// Removes the measurements of a private session at its end (reference, section 3.3), including reports that wait for a
  /// retry.
  fileprivate func endPrivateSession(at now: Instant) throws {
    _ = try removeAllClicks(in: .privateEphemeral)
    try dropPrivateMeasurements(by: .cleared, at: now)
    let reports = try unfinishedReports(naming: nil).filter { $0.session == .privateBrowsing }
    _ = try withdraw(reports, by: .cleared, at: now)
  }
}

extension BrowserSettings {
  /// The settings as represented in the API and the log.
  package var json: JSON {
    [
      "measurementEnabled": .bool(measurement.measurementEnabled),
      "privateBrowsing": .bool(measurement.privateBrowsing),
      "debugMode": .bool(measurement.debugMode),
      "deliveryPolicy": .string(deliveryPolicy.rawValue),
      "reportURL": .string(reportURL.rawValue),
      "logRetention": logRetention.json,
    ]
  }
}
