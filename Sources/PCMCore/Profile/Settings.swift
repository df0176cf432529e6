/// The settings of a browser, which can change at any time.
package struct BrowserSettings: Hashable, Sendable {
  package var measurement: MeasurementSettings
  package var deliveryPolicy: DeliveryPolicy
  package var reportURL: ReportURLChoice
  package var logRetention: LogRetention

  package init(
    measurement: MeasurementSettings = MeasurementSettings(), deliveryPolicy: DeliveryPolicy = .webkit,
    reportURL: ReportURLChoice = .wellKnown, logRetention: LogRetention = LogRetention()
  ) {
    self.measurement = measurement
    self.deliveryPolicy = deliveryPolicy
    self.reportURL = reportURL
    self.logRetention = logRetention
  }
}

/// The settings of measurement.
package struct MeasurementSettings: Hashable, Sendable {
  package var measurementEnabled: Bool
  package var privateBrowsing: Bool
  package var debugMode: Bool

  package init(measurementEnabled: Bool = true, privateBrowsing: Bool = false, debugMode: Bool = false) {
    self.measurementEnabled = measurementEnabled
    self.privateBrowsing = privateBrowsing
    self.debugMode = debugMode
  }

  /// The rules that every decision checks first.
  package static let rules = rules(
    "measurement is switched off in this browser's settings (measurementEnabled)", .webkit("PrivateClickMeasurementManager.cpp")
  )
  package static let sendRules = rules(
    "measurement is switched off in this browser's settings; sending pauses",
    .ours("in WebKit, only the next attribution continues the sending of reports"))

  private static func rules(_ detail: String, _ origin: RuleOrigin) -> [Rule<MeasurementSettings>] {
    [
      Rule(
        "measurement-is-enabled", "The setting measurementEnabled is on.", origin,
        reasons: ["measurement-disabled": "set measurementEnabled to true in the browser's settings"],
        inputs: ["measurementEnabled": { .bool($0.measurementEnabled) }]
      ) { settings in
        settings.measurementEnabled
          ? nil : Violation("measurement-disabled", detail)
      }
    ]
  }
}

/// The treatment of a report after a failed attempt.
package enum DeliveryPolicy: String, Hashable, Sendable, CaseIterable {
  /// Sends each report at most once, as WebKit does. A failed attempt loses the report (reference, section 6).
  case webkit
  /// Retries with growing delays until a 2xx response, for 30 days.
  case reliable
}

/// The URL for the source's copy of a report.
package enum ReportURLChoice: String, Hashable, Sendable, CaseIterable {
  /// The well-known path at the registrable domain, as documented by Apple.
  case wellKnown = "well-known"
  /// The endpoint exactly as in the manifest, for staging environments.
  case manifest
}

/// The clock of a browser.
package enum ClockMode: String, Hashable, Sendable, CaseIterable {
  /// The clock follows the machine's time.
  case real
  /// The clock moves only by `clock/advance`.
  case manual
}

/// Whether a browser persists across restarts. Fixed at creation.
package enum StorageKind: String, Hashable, Sendable, CaseIterable {
  case durable
  case ephemeral
}

/// How much of a browser's log is kept: events beyond the count or above the age are removed.
package struct LogRetention: Hashable, Sendable {
  /// The minimum number of newest events to keep, unless they exceed the age.
  package var maximumCount: Int64
  /// The maximum age of an event on the browser's clock.
  package var maximumAge: Interval

  package static let counts: ClosedRange<Int64> = 1_000...1_000_000_000
  package static let ages: ClosedRange<Interval> = .days(1) ... .days(36_500)

  /// A million events take about a gigabyte. 400 days cover a year and the delay of its last reports.
  package init(maximumCount: Int64 = 1_000_000, maximumAge: Interval = .days(400)) {
    self.maximumCount = maximumCount
    self.maximumAge = maximumAge
  }

  /// The representation in the API and the log.
  package var json: JSON {
    ["maximumCount": .number(maximumCount), "maximumAge": .string(maximumAge.text)]
  }
}

extension LogRetention: EventPart {
  package init(_ retention: Self?, _ members: inout EventMembers) throws {
    maximumCount = try members.required("maximumCount", retention?.maximumCount, .number)
    maximumAge = try members.required("maximumAge", retention?.maximumAge, .interval)
  }
}
