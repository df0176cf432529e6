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

/// What happens to a report after a failed attempt.
package enum DeliveryPolicy: String, Hashable, Sendable, CaseIterable {
  /// Sends each report at most once, as WebKit does. A failed attempt loses the report (reference, section 6).
  case webkit
  /// Retries with growing delays until a 2xx response.
  case reliable
}

/// The URL for the source's copy of a report.
package enum ReportURLChoice: String, Hashable, Sendable, CaseIterable {
  /// The well-known path at the registrable domain, as documented by Apple.
  case wellKnown
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
  case memory
}
