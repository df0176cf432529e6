package import PCMCore
import PCMStore

extension Browser {
  /// Applies a change of the settings, the labels, and the idle timeout, and then of the device. Earlier decisions are not
  /// affected.
  ///
  /// Changes take effect in the order of the calls, after the operations that are under way.
  ///
  /// - Returns: The browser after the change.
  @discardableResult
  package func change(_ change: BrowserChange) async throws -> BrowserSnapshot {
    if let timeout = change.idleTimeout, timeout.milliseconds > 0 { try checkIdleTimeout() }
    return try await lock.excluding {
      let changed = try await apply(change)
      return change.device.isEmpty ? changed : try await apply(device: change.device)
    }
  }

  private func apply(_ change: BrowserChange) async throws -> BrowserSnapshot {
    let call = journaling.call(CallName.settings, change.settings.json)
    let (applied, changed) = try await submit(
      call, isTimed: true, progress: { $0.0.isChange ? CallProgress() : nil }
    ) { [self] writer, state in
      let applied = try writer.apply(change, at: state.now)
      if store.isShared, applied.endsPrivateSession { try writer.changeCookies { $0.endPrivateSession() } }
      return (applied, try configuration(writer))
    }.answer()
    withState { live in
      live.upkeep = applied.upkeep
      if applied.endsPrivateSession { live.cookies.endPrivateSession() }
    }
    return changed
  }

  /// Throws for `default`, which always exists.
  func checkIdleTimeout() throws(BrowserError) {
    guard record.name == Browsers.defaultName else { return }
    throw .conflict("idleTimeout: \(record.name) always exists and has no idle timeout; use another browser")
  }
}

/// The result of a change of the settings, the labels, and the idle timeout.
private struct AppliedChange: Sendable {
  let upkeep: BrowserUpkeep
  /// Whether settings changed.
  var isChange = false
  var endsPrivateSession = false
}

extension BrowserWriter {
  fileprivate func apply(_ change: BrowserChange, at now: Instant) throws -> AppliedChange {
    var state = try state()
    let (before, after) = (state.settings, change.settings.applied(to: state.settings))
    state.upkeep = state.upkeep.changed(labels: change.labels, idleTimeout: change.idleTimeout)
    var applied = AppliedChange(upkeep: state.upkeep)
    guard after != before else {
      try save(state)
      return applied
    }
    applied.isChange = true
    state.settings = after
    try save(state)
    var rows = StoredMeasurement(self)
    applied.endsPrivateSession = try rows.apply(after.measurement, after: before.measurement, at: now)
    try append(after, at: now)
    return applied
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
