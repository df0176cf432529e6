/// The body of `PUT /v1/browsers/{browser}`: what a caller says of a browser when creating or updating it. What is absent
/// leaves the default, or what is.
package struct BrowserSpecification: JSONBody {
  /// When it names the browser, it must name the one of the path.
  package var name: String?
  package var storage: StorageKind?
  package var seed: String?
  package var clock: ClockSpecification?
  package var settings = SettingsChange()

  package static let definition = BodyDefinition<Self>(
    "What a browser is to be. Storage, seed and clock are fixed at creation: saying them again is fine, saying something else "
      + "is 409. A member that is null counts as absent.",
    [
      .optional("name", \.name, .string(component: "BrowserName"), "When given, the name in the path"),
      .optional(
        "storage", \.storage, .choice(StorageKind.self, component: "StorageKind"), "`durable` when absent at creation"),
      .optional(
        "seed", \.seed, .string(lengths: 1...128, error: "a seed has 1 to 128 characters", component: "Seed"),
        "Drawn when absent at creation"),
      .optional(
        "clock", \.clock, .object("an object with mode and now", component: "ClockSpecification"),
        "The real clock when absent at creation"),
      .defaulted(
        "settings", \.settings, .object("an object", component: "SettingsChange"),
        "The settings to change; the others keep what they are"),
    ])

  package init() {}

  package init(
    storage: StorageKind? = nil, seed: String? = nil, clockMode: ClockMode? = nil, now: Instant? = nil,
    settings: SettingsChange = SettingsChange()
  ) {
    self.storage = storage
    self.seed = seed
    if clockMode != nil || now != nil { clock = ClockSpecification(mode: clockMode ?? .real, now: now) }
    self.settings = settings
  }
}

/// Which clock a browser has, and what it shows first.
package struct ClockSpecification: JSONBody {
  package var mode = ClockMode.real
  package var now: Instant?

  package static let definition = BodyDefinition<Self>(
    "Only a manual clock can be set.",
    [
      .defaulted("mode", \.mode, .choice(ClockMode.self), "`real` when absent"),
      .optional(
        "now", \.now, .instant, "RFC 3339, any offset, in the years 1970 to 9999; the machine's time when absent"),
    ],
    rules: [
      .check { clock in
        guard clock.now != nil, clock.mode != .manual else { return nil }
        return InputError(["now"], "only a manual clock can be set; the real one shows the machine's time")
      }
    ])

  package init() {}

  package init(mode: ClockMode, now: Instant?) {
    self.mode = mode
    self.now = now
  }
}

/// The settings that a caller wants to change; nil leaves one as it is.
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
        "measurementEnabled", \.measurementEnabled, .flag, "Off: clicks and triggers are dropped, and what is due waits"),
      .optional(
        "privateBrowsing", \.privateBrowsing, .flag,
        "On: every click waits in the private session's slot. Switching it off ends that session"),
      .optional("debugMode", \.debugMode, .flag, "On: reports go out after ten seconds"),
      .optional(
        "deliveryPolicy", \.deliveryPolicy, .choice(DeliveryPolicy.self, component: "DeliveryPolicy"),
        "What happens to a report whose sending fails"),
      .optional(
        "reportURL", \.reportURL, .choice(ReportURLChoice.self, component: "ReportURLChoice"),
        "Where the source's copy of a report goes"),
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

/// How much of the log is to be kept; what is nil stays as it is.
package struct LogRetentionChange: JSONBody {
  package var maximumCount: Int64?
  package var maximumAge: Interval?

  package static let definition = BodyDefinition<Self>(
    "How much of the event log is kept. Events go in blocks of 1,024 when all of a block are beyond the count or over the age: "
      + "the log is looked at whenever it has grown by 1,024 events, and never becomes empty. What is absent stays as it is.",
    [
      .optional(
        "maximumCount", \.maximumCount,
        .integer(
          "an integer from \(LogRetention.counts.lowerBound) to \(LogRetention.counts.upperBound)", in: LogRetention.counts,
          keywords: [
            .init("minimum", .number(LogRetention.counts.lowerBound)),
            .init("maximum", .number(LogRetention.counts.upperBound)),
          ]), "How many events are kept at least, the newest; 1,000,000 in a new browser"),
      .optional(
        "maximumAge", \.maximumAge, .duration(in: LogRetention.ages),
        "How old an event may become on the browser's clock: an ISO 8601 duration of weeks, days, hours, minutes and seconds "
          + "from P1D to P36500D; 400 days in a new browser"),
    ])

  package init() {}

  package init(maximumCount: Int64? = nil, maximumAge: Interval? = nil) {
    self.maximumCount = maximumCount
    self.maximumAge = maximumAge
  }
}

extension BodyValue<String> {
  /// The bundle identifier of an app that a page runs under; the browser checks its length.
  package static let bundleIdentifier = string(
    keywords: [.init("minLength", 1), .init("maxLength", 255), .init("format", "bundle-identifier")])
}
