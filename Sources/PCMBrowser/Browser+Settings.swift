package import PCMCore
import PCMStore

extension Browser {
  /// Applies a change of the settings. Earlier decisions are not affected.
  ///
  /// Changes take effect in the order of the calls. A change becomes visible with its commit, and decisions wait for it.
  package func change(_ change: SettingsChange) async throws {
    try await changed {
      let before = withState { $0.settings }
      let after = change.applied(to: before)
      guard after != before else { return }
      try await commitExclusively {
        save(after, before: before, at: $0.now)
      } publish: { live, _ in
        live.publish(after)
      }
    }
  }

  private func save(_ after: BrowserSettings, before: BrowserSettings, at now: Instant) -> PendingWrite<Void> {
    submitTimed { writer in
      var state = try writer.state()
      state.settings = after
      state.reportTimer.change(from: before.measurement, to: after.measurement, at: now)
      try writer.save(state)
      if before.measurement.privateBrowsing, !after.measurement.privateBrowsing { try writer.endPrivateSession(at: now) }
      try writer.append(.settingsChanged(after), at: now)
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
