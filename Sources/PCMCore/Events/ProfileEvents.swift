extension EventKind {
  /// An app was registered, or its registration was replaced.
  package static let appRegistered = Self("app-registered")
  /// Measurement data was removed.
  package static let dataCleared = Self("data-cleared")
  /// A manual clock was advanced.
  package static let clockAdvanced = Self("clock-advanced")
  /// The machine's clock was set back, and the browser's clock stands still until it has caught up.
  package static let clockSetBack = Self("clock-set-back")
  /// A setting was changed.
  package static let settingsChanged = Self("settings-changed")
  /// Old events were removed from the log.
  package static let logTrimmed = Self("log-trimmed")
}

extension EventType {
  static let registrations = [EventType(.appRegistered, AppRegistered.self)]

  static let profile = [
    EventType(.dataCleared, DataCleared.self), EventType(.clockAdvanced, ClockAdvanced.self),
    EventType(.clockSetBack, ClockSetBack.self), EventType(.settingsChanged, BrowserSettings.self),
    EventType(.logTrimmed, LogTrimmed.self),
  ]
}

/// The registration of an app with its manifest.
package struct AppRegistered: BrowserEvent {
  package var kind: EventKind { .appRegistered }
  package let bundleIdentifier: String
  /// The endpoint as in the manifest; nil when it has none.
  package let reportEndpoint: String?
  /// An array of findings.
  package let findings: JSON

  package init(bundleIdentifier: String, reportEndpoint: String?, findings: JSON) {
    self.bundleIdentifier = bundleIdentifier
    self.reportEndpoint = reportEndpoint
    self.findings = findings
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    bundleIdentifier = try members.required("bundleIdentifier", event?.bundleIdentifier, .text)
    reportEndpoint = try members.optional("reportEndpoint", event?.reportEndpoint, .text)
    findings = try members.required("findings", event?.findings, .json)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { [.app(bundleIdentifier: bundleIdentifier)] }
}

/// Cleared data: all of it, or the data of one site.
package struct DataCleared: BrowserEvent {
  package var kind: EventKind { .dataCleared }
  /// The numbers of forgotten records of the device: its ads, its installed apps, and the postbacks that had not left.
  package struct DeviceCounts: Hashable, Sendable {
    package let impressions: Int64
    package let installedApps: Int64
    package let postbacks: Int64

    package init(impressions: Int64 = 0, installedApps: Int64 = 0, postbacks: Int64 = 0) {
      self.impressions = impressions
      self.installedApps = installedApps
      self.postbacks = postbacks
    }
  }

  /// Nil when everything was cleared.
  package let site: Site?
  package let clicks: Int64
  package let attributions: Int64
  package let reports: Int64
  package let device: DeviceCounts

  package init(site: Site?, clicks: Int64, attributions: Int64, reports: Int64, device: DeviceCounts = DeviceCounts()) {
    self.site = site
    self.clicks = clicks
    self.attributions = attributions
    self.reports = reports
    self.device = device
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    site = try members.optional("site", event?.site, .site)
    clicks = try members.required("clickCount", event?.clicks, .number)
    attributions = try members.required("attributionCount", event?.attributions, .number)
    reports = try members.required("reportCount", event?.reports, .number)
    device = DeviceCounts(
      impressions: try members.required("impressionCount", event?.device.impressions, .number),
      installedApps: try members.required("installedAppCount", event?.device.installedApps, .number),
      postbacks: try members.required("postbackCount", event?.device.postbacks, .number))
  }

  package func subjects(at sequence: Int64) -> [EventSubject] { site.map { [.site($0)] } ?? [] }
}

/// A move of a manual clock.
package struct ClockAdvanced: BrowserEvent {
  package var kind: EventKind { .clockAdvanced }
  package let from: Instant
  package let to: Instant

  package init(from: Instant, to: Instant) {
    self.from = from
    self.to = to
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    from = try members.required("from", event?.from, .instant)
    to = try members.required("to", event?.to, .instant)
  }
}

/// The machine's clock was set back. The clock of a browser on the real clock then stands still until it has caught up.
package struct ClockSetBack: BrowserEvent {
  package var kind: EventKind { .clockSetBack }
  /// The machine's time after it was set back.
  package let machineTime: Instant

  package init(machineTime: Instant) { self.machineTime = machineTime }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    machineTime = try members.required("machineTime", event?.machineTime, .instant)
  }
}

/// The removal of the oldest events from the log: all events in a range of numbers.
package struct LogTrimmed: BrowserEvent {
  package var kind: EventKind { .logTrimmed }
  package let firstSequence: Int64
  package let lastSequence: Int64

  package init(firstSequence: Int64, lastSequence: Int64) {
    self.firstSequence = firstSequence
    self.lastSequence = lastSequence
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    let count = try members.required("eventCount", event?.count, .number)
    firstSequence = try members.required("firstSequence", event?.firstSequence, .number)
    lastSequence = try members.required("lastSequence", event?.lastSequence, .number)
    // Otherwise, the count may not fit into 64 bits.
    guard firstSequence > 0, lastSequence >= firstSequence else { throw UnexpectedMember("lastSequence") }
    guard count == self.count else { throw UnexpectedMember("eventCount") }
  }

  package var count: Int64 { lastSequence - firstSequence + 1 }
}

extension BrowserSettings: BrowserEvent {
  package var kind: EventKind { .settingsChanged }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    measurement = MeasurementSettings(
      measurementEnabled: try members.required("measurementEnabled", event?.measurement.measurementEnabled, .flag),
      privateBrowsing: try members.required("privateBrowsing", event?.measurement.privateBrowsing, .flag),
      debugMode: try members.required("debugMode", event?.measurement.debugMode, .flag))
    deliveryPolicy = try members.required("deliveryPolicy", event?.deliveryPolicy, .word())
    reportURL = try members.required("reportURL", event?.reportURL, .word())
    logRetention = try members.required("logRetention", event?.logRetention, .object())
  }
}
