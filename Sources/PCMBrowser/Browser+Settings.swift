package import PCMCore
import PCMStore

/// The settings that a caller wants to change; nil leaves one as it is.
package struct SettingsChange: Hashable, Sendable {
  package var measurementEnabled: Bool?
  package var privateBrowsing: Bool?
  package var debugMode: Bool?
  package var deliveryPolicy: DeliveryPolicy?
  package var reportURL: ReportURLChoice?

  package init(
    measurementEnabled: Bool? = nil, privateBrowsing: Bool? = nil, debugMode: Bool? = nil,
    deliveryPolicy: DeliveryPolicy? = nil, reportURL: ReportURLChoice? = nil
  ) {
    self.measurementEnabled = measurementEnabled
    self.privateBrowsing = privateBrowsing
    self.debugMode = debugMode
    self.deliveryPolicy = deliveryPolicy
    self.reportURL = reportURL
  }

  func applied(to settings: BrowserSettings) -> BrowserSettings {
    var changed = settings
    changed.session.measurementEnabled = measurementEnabled ?? settings.session.measurementEnabled
    changed.session.privateBrowsing = privateBrowsing ?? settings.session.privateBrowsing
    changed.session.debugMode = debugMode ?? settings.session.debugMode
    changed.deliveryPolicy = deliveryPolicy ?? settings.deliveryPolicy
    changed.reportURL = reportURL ?? settings.reportURL
    return changed
  }
}

extension Browser {
  /// Applies a change at this instant; decisions that were taken before are not touched.
  package func change(_ change: SettingsChange) async throws {
    let (before, after, now) = (settings, change.applied(to: settings), now)
    guard after != before else { return }
    settings = after
    do {
      try await save(after, before: before, at: now)
      if before.session.privateBrowsing, !after.session.privateBrowsing { cookies.endPrivateSession() }
    } catch {
      settings = before
      throw error
    }
  }

  private func save(_ after: BrowserSettings, before: BrowserSettings, at now: Instant) async throws {
    try await transact { writer in
      var state = try writer.state()
      state.settings = after
      // Sending pauses while measurement is off; after that comes the sweep of a start.
      if after.session.measurementEnabled, !before.session.measurementEnabled, let timer = state.timer, timer < now {
        state.timer = now + SendTimer.afterStart
      }
      try writer.save(state)
      if before.session.privateBrowsing, !after.session.privateBrowsing { try writer.endPrivateSession() }
      try writer.append(.settingsChanged(after), at: now)
    }
  }
}

extension BrowserWriter {
  /// What a private session measured ends with it (reference, section 3.3), and so do reports that would be sent again.
  fileprivate func endPrivateSession() throws {
    _ = try removeAllClicks(in: .privateSlot)
    try dropPrivateMeasurements(as: .cleared)
    _ = try cancel(unfinishedReports(naming: nil).filter { $0.session == .privateBrowsing }, as: .cleared)
  }
}

extension BrowserSettings {
  /// The settings as the API and the log show them.
  package var json: JSON {
    [
      "measurementEnabled": .bool(session.measurementEnabled),
      "privateBrowsing": .bool(session.privateBrowsing),
      "debugMode": .bool(session.debugMode),
      "deliveryPolicy": .string(deliveryPolicy.rawValue),
      "reportURL": .string(reportURL.rawValue),
    ]
  }
}
