extension EventKind {
  /// An app was registered, or its registration was replaced.
  public static let appRegistered = Self("app-registered")
  /// Measurement data was removed.
  public static let dataCleared = Self("data-cleared")
  /// A manual clock was advanced.
  public static let clockAdvanced = Self("clock-advanced")
  /// The machine's clock was set back, and the browser's clock stands still until it has caught up.
  public static let clockSetBack = Self("clock-set-back")
  /// A setting was changed.
  public static let settingsChanged = Self("settings-changed")
  /// Old events were removed from the log.
  public static let logTrimmed = Self("log-trimmed")
}

/// The registration of an app with its manifest.
package struct AppRegistered: EventDetail {
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

  init(_ members: inout EventReader) throws {
    bundleIdentifier = try members.text("bundleIdentifier")
    reportEndpoint = try members.optionalText("reportEndpoint")
    findings = try members.json("findings")
  }

  func encode(into event: inout EventWriter) {
    event.member("bundleIdentifier", bundleIdentifier)
    event.member("reportEndpoint", reportEndpoint)
    event.member("findings", json: findings)
  }

  func subjects(at sequence: Int64) -> [EventSubject] { [.app(bundleIdentifier: bundleIdentifier)] }
}

/// Cleared data: all of it, or the data of one site.
package struct DataCleared: EventDetail {
  /// The numbers of what the device forgot: its ads, its installed apps, and the postbacks that had not left.
  package struct DeviceCounts: Hashable, Sendable {
    package let impressions: Int64
    package let installedApps: Int64
    package let postbacks: Int64

    package init(impressions: Int = 0, installedApps: Int = 0, postbacks: Int = 0) {
      self.impressions = Int64(impressions)
      self.installedApps = Int64(installedApps)
      self.postbacks = Int64(postbacks)
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

  init(_ members: inout EventReader) throws {
    site = try members.optionalSite("site")
    clicks = try members.number("clickCount")
    attributions = try members.number("attributionCount")
    reports = try members.number("reportCount")
    // Events from before the device existed lack its counts.
    device = DeviceCounts(
      impressions: Int(try members.optionalNumber("impressionCount") ?? 0),
      installedApps: Int(try members.optionalNumber("installedAppCount") ?? 0),
      postbacks: Int(try members.optionalNumber("postbackCount") ?? 0))
  }

  func encode(into event: inout EventWriter) {
    event.member("site", site)
    event.member("clickCount", clicks)
    event.member("attributionCount", attributions)
    event.member("reportCount", reports)
    event.member("impressionCount", device.impressions)
    event.member("installedAppCount", device.installedApps)
    event.member("postbackCount", device.postbacks)
  }

  func subjects(at sequence: Int64) -> [EventSubject] { site.map { [.site($0)] } ?? [] }
}

/// A move of a manual clock.
package struct ClockAdvanced: EventDetail {
  package let from: Instant
  package let to: Instant

  package init(from: Instant, to: Instant) {
    self.from = from
    self.to = to
  }

  init(_ members: inout EventReader) throws {
    from = try members.instant("from")
    to = try members.instant("to")
  }

  func encode(into event: inout EventWriter) {
    event.member("from", from)
    event.member("to", to)
  }
}

/// The machine's clock was set back. The clock of a browser on the real clock then stands still until it has caught up.
package struct ClockSetBack: EventDetail {
  /// The machine's time after it was set back.
  package let machineTime: Instant

  package init(machineTime: Instant) { self.machineTime = machineTime }

  init(_ members: inout EventReader) throws { machineTime = try members.instant("machineTime") }

  func encode(into event: inout EventWriter) { event.member("machineTime", machineTime) }
}

/// The removal of the oldest events from the log: all events in a range of numbers.
package struct LogTrimmed: EventDetail {
  package let firstSequence: Int64
  package let lastSequence: Int64

  package init(firstSequence: Int64, lastSequence: Int64) {
    self.firstSequence = firstSequence
    self.lastSequence = lastSequence
  }

  init(_ members: inout EventReader) throws {
    let count: Int64 = try members.number("eventCount")
    self.init(firstSequence: try members.number("firstSequence"), lastSequence: try members.number("lastSequence"))
    // Otherwise, the count may not fit into 64 bits.
    guard firstSequence > 0, lastSequence >= firstSequence else { throw members.unexpected("lastSequence") }
    guard count == self.count else { throw members.unexpected("eventCount") }
  }

  package var count: Int64 { lastSequence - firstSequence + 1 }

  func encode(into event: inout EventWriter) {
    event.member("eventCount", count)
    event.member("firstSequence", firstSequence)
    event.member("lastSequence", lastSequence)
  }
}

extension BrowserSettings: EventDetail {
  init(_ members: inout EventReader) throws {
    self.init(
      measurement: MeasurementSettings(
        measurementEnabled: try members.flag("measurementEnabled"), privateBrowsing: try members.flag("privateBrowsing"),
        debugMode: try members.flag("debugMode")),
      deliveryPolicy: try members.word("deliveryPolicy"), reportURL: try members.word("reportURL"),
      logRetention: try members.logRetention())
  }

  func encode(into event: inout EventWriter) {
    event.member("measurementEnabled", measurement.measurementEnabled)
    event.member("privateBrowsing", measurement.privateBrowsing)
    event.member("debugMode", measurement.debugMode)
    event.member("deliveryPolicy", deliveryPolicy.rawValue)
    event.member("reportURL", reportURL.rawValue)
    event.member("logRetention", json: logRetention.json)
  }
}
