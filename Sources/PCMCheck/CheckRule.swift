/// One thing that is true of a good report endpoint.
package struct CheckRule: Hashable, Sendable {
  /// Stable, kebab-case: `report-status-is-2xx`.
  package let id: String
  /// What is true when it passes, as a sentence without its full stop.
  package let title: String
  package let severity: Severity
  package let origin: Origin
  /// What to do when it fails, in one sentence.
  package let fix: String

  package enum Severity: String, Hashable, Sendable, CaseIterable {
    /// Reports are lost, or what they say cannot be trusted.
    case error
    /// Works today, and will hurt.
    case warning
  }

  /// Who says so.
  package enum Origin: String, Hashable, Sendable, CaseIterable {
    /// Apple's documents.
    case apple
    /// What WebKit does.
    case webkit
    /// The draft of Private Click Measurement, or an RFC.
    case draft
    /// This project.
    case ours
  }

  package init(_ id: String, _ title: String, _ severity: Severity, _ origin: Origin, fix: String) {
    self.id = id
    self.title = title
    self.severity = severity
    self.origin = origin
    self.fix = fix
  }
}
