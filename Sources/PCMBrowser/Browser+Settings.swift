package import PCMCore
import PCMStore

extension SettingsChange {
  func applied(to settings: BrowserSettings) -> BrowserSettings {
    var changed = settings
    changed.session.measurementEnabled = measurementEnabled ?? settings.session.measurementEnabled
    changed.session.privateBrowsing = privateBrowsing ?? settings.session.privateBrowsing
    changed.session.debugMode = debugMode ?? settings.session.debugMode
    changed.deliveryPolicy = deliveryPolicy ?? settings.deliveryPolicy
    changed.reportURL = reportURL ?? settings.reportURL
    changed.logRetention.maximumCount = logRetention?.maximumCount ?? settings.logRetention.maximumCount
    changed.logRetention.maximumAge = logRetention?.maximumAge ?? settings.logRetention.maximumAge
    return changed
  }
}

extension Browser {
  /// Applies a change of the settings. Earlier decisions are not affected.
  ///
  /// Changes take effect in the order of the calls. A change becomes visible with its commit, and decisions wait for it.
  package func change(_ change: SettingsChange) async throws {
    try await settingsMutex.withLock {
      let (before, after) = (settings, change.applied(to: settings))
      guard after != before else { return }
      let due: Due
      do {
        settingsCommit.begin()
        defer { settingsCommit.end() }
        due = try await save(after, before: before, at: now)
        settings = after
        if before.session.privateBrowsing, !after.session.privateBrowsing { cookies.endPrivateSession() }
      }
      announce(due)
    }
  }

  /// Waits until no change of the settings is being committed.
  ///
  /// Call this before a decision reads the clock, a random number, or the settings. Otherwise, a decision under the old
  /// settings could reach the store after the change.
  func settleSettings() async {
    while settingsCommit.isUnderWay {
      await withCheckedContinuation { settingsCommit.waiting.append($0) }
    }
  }

  private func save(_ after: BrowserSettings, before: BrowserSettings, at now: Instant) async throws -> Due {
    try await commit { writer in
      var state = try writer.state()
      state.settings = after
      state.reportTimer.change(from: before.session, to: after.session, at: now)
      try writer.save(state)
      if before.session.privateBrowsing, !after.session.privateBrowsing { try writer.endPrivateSession(at: now) }
      try writer.append(.settingsChanged(after), at: now)
      return try writer.due()
    }
  }
}

/// A change of settings that is being committed, and the decisions that wait for it.
struct SettingsCommit {
  private(set) var isUnderWay = false
  var waiting: [CheckedContinuation<Void, Never>] = []

  mutating func begin() { isUnderWay = true }

  mutating func end() {
    isUnderWay = false
    for decision in waiting { decision.resume() }
    waiting.removeAll()
  }
}

extension BrowserWriter {
  /// Removes the measurements of a private session at its end (reference, section 3.3), including reports that wait for a
  /// retry.
  fileprivate func endPrivateSession(at now: Instant) throws {
    _ = try removeAllClicks(in: .privateSlot)
    try dropPrivateMeasurements(by: .cleared, at: now)
    let reports = try unfinishedReports(naming: nil).filter { $0.session == .privateBrowsing }
    _ = try withdraw(reports, by: .cleared, at: now)
  }
}

extension BrowserSettings {
  /// The settings as represented in the API and the log.
  package var json: JSON {
    [
      "measurementEnabled": .bool(session.measurementEnabled),
      "privateBrowsing": .bool(session.privateBrowsing),
      "debugMode": .bool(session.debugMode),
      "deliveryPolicy": .string(deliveryPolicy.rawValue),
      "reportURL": .string(reportURL.rawValue),
      "logRetention": logRetention.json,
    ]
  }
}
