/// The body of `POST …/forks`.
package struct ForkSpecification: JSONBody {
  package var name: String?

  package static let definition = BodyDefinition<Self>(
    "The specification of a copy of a browser.",
    [.optional("name", \.name, .string(component: "BrowserName"), "The name of the copy; generated when absent")])

  package init() {}
}

/// The body of `PUT /v1/browsers/{browser}` and `POST /v1/browsers`, which create a browser.
package struct BrowserSpecification: JSONBody {
  /// The name; when present, it must match the path.
  package var name: String?
  package var storage: StorageKind?
  package var seed: String?
  package var clock: ClockSpecification?
  package var settings = SettingsChange()
  package var device = DeviceChange()
  package var labels: Labels?
  package var idleTimeout: Interval?

  package static let definition = BodyDefinition<Self>(
    "The specification of a browser. If the browser exists, PUT confirms the members that are present: a value that differs "
      + "from the original one returns 409.",
    [
      .optional("name", \.name, .browserName, "The name; it must match the path, and is absent in POST"),
      .optional(
        "storage", \.storage, .choice(StorageKind.self, component: "StorageKind"), "`durable` when absent at creation"),
      .optional(
        "seed", \.seed, .string(component: "Seed", error: Seed.error(in:)), "Random when absent at creation"),
      .optional(
        "clock", \.clock, .object("an object with mode and start", component: "ClockSpecification"),
        "The real clock when absent at creation"),
      .defaulted(
        "settings", \.settings, .object("an object", component: "SettingsChange"),
        "The initial settings; other settings have their defaults"),
      .defaulted(
        "device", \.device, .object("an object", component: "DeviceChange"),
        "The properties of the device on which the browser runs; others have their defaults"),
      .optional("labels", \.labels, .labels, "Up to 16 labels, by which lists of browsers are filtered"),
      .optional(
        "idleTimeout", \.idleTimeout, .idleTimeout,
        "The time without any request after which the browser is removed: an ISO 8601 duration from PT1M to P30D. Never when "
          + "absent or PT0S"),
    ])

  package init() {}

  package init(
    storage: StorageKind? = nil, seed: String? = nil, clockMode: ClockMode? = nil, start: Instant? = nil,
    settings: SettingsChange = SettingsChange(), labels: Labels? = nil, idleTimeout: Interval? = nil
  ) {
    self.storage = storage
    self.seed = seed
    self.labels = labels
    self.idleTimeout = idleTimeout
    if clockMode != nil || start != nil { clock = ClockSpecification(mode: clockMode ?? .real, start: start) }
    self.settings = settings
  }
}

/// The body of `PATCH /v1/browsers/{browser}`, which changes a browser.
package struct BrowserChange: JSONBody {
  package var settings = SettingsChange()
  package var device = DeviceChange()
  package var labels: Labels?
  package var idleTimeout: Interval?

  package static let definition = BodyDefinition<Self>(
    "A change of a browser. Storage, seed, and clock are fixed at creation.",
    [
      .defaulted(
        "settings", \.settings, .object("an object", component: "SettingsChange"),
        "The settings to change; other settings stay as they are"),
      .defaulted(
        "device", \.device, .object("an object", component: "DeviceChange"),
        "The properties of the device to change; others stay as they are"),
      .optional("labels", \.labels, .labels, "Replaces all labels; without it, the labels stay as they are"),
      .optional(
        "idleTimeout", \.idleTimeout, .idleTimeout,
        "The time without any request after which the browser is removed: an ISO 8601 duration from PT1M to P30D, or PT0S for "
          + "never; without it, the timeout stays as it is"),
    ])

  package init() {}

  package init(settings: SettingsChange = SettingsChange(), labels: Labels? = nil, idleTimeout: Interval? = nil) {
    self.settings = settings
    self.labels = labels
    self.idleTimeout = idleTimeout
  }
}

/// The clock of a browser and its initial time.
package struct ClockSpecification: JSONBody {
  package var mode = ClockMode.real
  package var start: Instant?

  package static let definition = BodyDefinition<Self>(
    "Only a manual clock has a chosen start.",
    [
      .defaulted("mode", \.mode, .choice(ClockMode.self), "`real` when absent"),
      .optional(
        "start", \.start, .instant,
        "The initial time, RFC 3339, any offset, in the years 1970 to 9998; the machine's time when absent"),
    ],
    rules: [
      .check { clock in
        guard clock.start != nil, clock.mode != .manual else { return nil }
        return InputError(["start"], "only a manual clock has a chosen start; a real clock starts at the machine's time")
      }
    ])

  package init() {}

  package init(mode: ClockMode, start: Instant?) {
    self.mode = mode
    self.start = start
  }
}

/// A change of settings. A nil setting stays as it is.
package struct SettingsChange: JSONBody {
  package var measurementEnabled: Bool?
  package var privateBrowsing: Bool?
  package var debugMode: Bool?
  package var deliveryPolicy: DeliveryPolicy?
  package var reportURL: ReportURLChoice?
  package var logRetention: LogRetentionChange?

  package static let definition = BodyDefinition<Self>(
    "The settings to change.",
    [
      .optional(
        "measurementEnabled", \.measurementEnabled, .flag, "Off: clicks and triggers are discarded, and due reports wait"),
      .optional(
        "privateBrowsing", \.privateBrowsing, .flag,
        "On: every click is an ephemeral click of the private session. Switching it off ends that session"),
      .optional("debugMode", \.debugMode, .flag, "On: sends reports after ten seconds"),
      .optional(
        "deliveryPolicy", \.deliveryPolicy, .choice(DeliveryPolicy.self, component: "DeliveryPolicy"),
        "What happens to a report after a failed attempt"),
      .optional(
        "reportURL", \.reportURL, .choice(ReportURLChoice.self, component: "ReportURLChoice"),
        "The URL for the source's copy of a report"),
      .optional(
        "logRetention", \.logRetention,
        .object("an object with maximumCount and maximumAge", component: "LogRetentionChange"),
        "How much of the event log is kept"),
    ])

  package init() {}

  package init(
    measurementEnabled: Bool? = nil, privateBrowsing: Bool? = nil, debugMode: Bool? = nil,
    deliveryPolicy: DeliveryPolicy? = nil, reportURL: ReportURLChoice? = nil, logRetention: LogRetentionChange? = nil
  ) {
    self.measurementEnabled = measurementEnabled
    self.privateBrowsing = privateBrowsing
    self.debugMode = debugMode
    self.deliveryPolicy = deliveryPolicy
    self.reportURL = reportURL
    self.logRetention = logRetention
  }
}

extension SettingsChange {
  /// Creates the change that sets all settings.
  package init(to settings: BrowserSettings) {
    self.init(
      measurementEnabled: settings.measurement.measurementEnabled, privateBrowsing: settings.measurement.privateBrowsing,
      debugMode: settings.measurement.debugMode, deliveryPolicy: settings.deliveryPolicy, reportURL: settings.reportURL,
      logRetention: LogRetentionChange(
        maximumCount: settings.logRetention.maximumCount, maximumAge: settings.logRetention.maximumAge))
  }

  package func applied(to settings: BrowserSettings) -> BrowserSettings {
    var changed = settings
    changed.measurement.measurementEnabled = measurementEnabled ?? settings.measurement.measurementEnabled
    changed.measurement.privateBrowsing = privateBrowsing ?? settings.measurement.privateBrowsing
    changed.measurement.debugMode = debugMode ?? settings.measurement.debugMode
    changed.deliveryPolicy = deliveryPolicy ?? settings.deliveryPolicy
    changed.reportURL = reportURL ?? settings.reportURL
    changed.logRetention.maximumCount = logRetention?.maximumCount ?? settings.logRetention.maximumCount
    changed.logRetention.maximumAge = logRetention?.maximumAge ?? settings.logRetention.maximumAge
    return changed
  }
}

/// A change of the log retention. A nil member stays as it is.
package struct LogRetentionChange: JSONBody {
  package var maximumCount: Int64?
  package var maximumAge: Interval?

  package static let definition = BodyDefinition<Self>(
    "How much of the event log is kept. After every 1,024 events, the browser removes blocks of 1,024 events that are entirely "
      + "beyond the count or above the age. The log never becomes empty. Absent members stay as they are.",
    [
      .optional(
        "maximumCount", \.maximumCount,
        .integer(
          "an integer from \(LogRetention.counts.lowerBound) to \(LogRetention.counts.upperBound)", in: LogRetention.counts,
          keywords: [
            .init("minimum", .number(LogRetention.counts.lowerBound)),
            .init("maximum", .number(LogRetention.counts.upperBound)),
          ]), "The minimum number of newest events to keep; 1,000,000 in a new browser"),
      .optional(
        "maximumAge", \.maximumAge, .duration(in: LogRetention.ages),
        "The maximum age of an event on the browser's clock: an ISO 8601 duration of weeks, days, hours, minutes, and seconds "
          + "from P1D to P36500D; 400 days in a new browser"),
    ])

  package init() {}

  package init(maximumCount: Int64? = nil, maximumAge: Interval? = nil) {
    self.maximumCount = maximumCount
    self.maximumAge = maximumAge
  }
}

extension BodyValue<String> {
  /// The name of a browser, in the words of `BrowserName`.
  static let browserName = string(component: "BrowserName") { BrowserName($0).error }

  /// The bundle identifier of the app in which a page runs. The browser checks its length and its characters.
  package static let bundleIdentifier = string(
    keywords: [
      .init("minLength", 1), .init("maxLength", .number(Int64(BundleIdentifier.maximumLength))),
      .init("pattern", "^[A-Za-z0-9._-]+$"), .init("format", "bundle-identifier"),
    ])
}
