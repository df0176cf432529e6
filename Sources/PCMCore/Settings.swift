/// What a browser's owner may switch at any time.
package struct BrowserSettings: Hashable, Sendable {
  package var session: Session
  package var deliveryPolicy: DeliveryPolicy
  package var reportURL: ReportURLChoice
  package var logRetention: LogRetention

  package init(
    session: Session = Session(), deliveryPolicy: DeliveryPolicy = .webkit, reportURL: ReportURLChoice = .wellKnown,
    logRetention: LogRetention = LogRetention()
  ) {
    self.session = session
    self.deliveryPolicy = deliveryPolicy
    self.reportURL = reportURL
    self.logRetention = logRetention
  }
}

/// What happens to a report whose sending fails.
package enum DeliveryPolicy: String, Hashable, Sendable, CaseIterable {
  /// Each report is sent at most once and lost on any failure, as WebKit does (reference, section 6).
  case webkit
  /// Sent again, later and later, until an answer of the 2xx class.
  case reliable
}

/// Where the source's copy of a report goes.
package enum ReportURLChoice: String, Hashable, Sendable, CaseIterable {
  /// The well-known path at the registrable domain, as Apple documents.
  case wellKnown
  /// The manifest's endpoint exactly as written, for staging set-ups.
  case manifest
}

/// Who moves a browser's time.
package enum ClockMode: String, Hashable, Sendable, CaseIterable {
  /// The machine's time.
  case real
  /// Only `clock/advance`.
  case manual
}

/// Whether a browser outlives the process. Fixed when it is created.
package enum StorageKind: String, Hashable, Sendable, CaseIterable {
  case durable
  case memory
}
