import PCMCore
import PCMManifest

/// The explanation of an app's manifest.
struct ManifestExplanation {
  private let manifest: AppManifest

  init(_ manifest: AppManifest) {
    self.manifest = manifest
  }

  /// - Parameter strict: Whether warnings are errors.
  func isBad(strict: Bool) -> Bool {
    manifest.findings.contains { $0.severity == .error || strict && $0.severity == .warning }
  }

  private var endpoint: WebURL? {
    guard case .valid(let endpoint, _) = manifest.app.endpoint else { return nil }
    return endpoint
  }

  var json: JSON {
    [
      "bundleIdentifier": .string(manifest.bundleIdentifier),
      "reportEndpoint": .string(manifest.reportEndpoint),
      "sourceSite": .string(endpoint?.site.domain),
      "reportURL": .string(endpoint.map { ReportBody.url(at: $0.site) }),
      "adAttribution": manifest.adAttribution.json,
      "findings": .array(
        manifest.findings.map {
          ["code": .string($0.code.rawValue), "severity": .string($0.severity.rawValue), "detail": .string($0.detail)]
        }),
    ]
  }

  var text: String {
    var lines = [
      "app              \(manifest.bundleIdentifier)",
      "report endpoint  \(manifest.reportEndpoint ?? "none (NSAdvertisingAttributionReportEndpoint)")",
      "click source     \(endpoint?.site.domain ?? "none: clicks are discarded")",
      "reports go to    \(endpoint.map { ReportBody.url(at: $0.site) } ?? "nowhere")",
    ]
    lines += AdAttributionText(manifest.adAttribution).lines
    lines += manifest.findings.map { "\($0.severity.rawValue): \($0.detail) [\($0.code.rawValue)]" }
    if manifest.findings.allSatisfy({ $0.severity == .info }) { lines.append("good: a browser keeps clicks from this app") }
    return lines.joined(separator: "\n") + "\n"
  }
}
