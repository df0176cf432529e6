package import PCMCore

/// What an app's Info.plist says about measurement.
package struct AppManifest: Hashable, Sendable {
  package let bundleIdentifier: String
  /// The value of `NSAdvertisingAttributionReportEndpoint` as written; nil when it is missing or no string.
  package let reportEndpoint: String?
  /// The same when it is a URL, whether or not it can be used.
  package let endpoint: WebURL?
  /// Whether the app runs on a Mac or another device that is no iPhone or iPad: `DeviceSupport` has the rule.
  package let isMacCatalyst: Bool
  /// Errors first, then warnings, then notes. A manifest without errors and warnings is good.
  package let findings: [ManifestFinding]

  package init(
    bundleIdentifier: String, reportEndpoint: String?, endpoint: WebURL?, isMacCatalyst: Bool, findings: [ManifestFinding]
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.reportEndpoint = reportEndpoint
    self.endpoint = endpoint
    self.isMacCatalyst = isMacCatalyst
    self.findings = findings
  }

  /// The app as the rules for clicks see it.
  package var app: AppTap.App {
    AppTap.App(bundleIdentifier: bundleIdentifier, endpoint: tapEndpoint, isMacCatalyst: isMacCatalyst)
  }

  /// The first finding that keeps the endpoint from being used; nil when it can be.
  package var endpointProblem: ManifestFinding? {
    findings.first { $0.severity == .error && $0.code != .macCatalyst }
  }

  private var tapEndpoint: AppTap.Endpoint {
    if let problem = endpointProblem { return problem.code == .endpointMissing ? .missing : .invalid(why: problem.clause) }
    guard let endpoint, let reportEndpoint else { return .missing }
    return .valid(endpoint, written: reportEndpoint)
  }
}
