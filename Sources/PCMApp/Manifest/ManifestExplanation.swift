import PCMCore
import PCMManifest

/// The explanation of an app's manifest.
struct ManifestExplanation {
  private let manifest: ManifestReview
  private let bundleIdentifier: String?

  /// - Parameter bundleIdentifier: The identifier of an app whose manifest does not contain it.
  init(_ manifest: ManifestReview, named bundleIdentifier: String? = nil) {
    self.manifest = manifest
    self.bundleIdentifier = manifest.bundleIdentifier ?? bundleIdentifier
  }

  /// - Parameters:
  ///   - strict: Whether warnings are errors.
  ///   - measurements: The measurements that must work; all in which the app takes part, if empty.
  func isBad(strict: Bool, for measurements: [Measurement] = []) -> Bool {
    let required = Set(measurements.isEmpty ? Measurement.allCases : measurements)
    let judgments = manifest.judgments.filter { required.contains($0.participation.measurement) }
    let hasWarning = manifest.findings.contains { finding in
      let concerned = Set(finding.participations.map(\.measurement))
      return finding.severity == .warning && (concerned.isEmpty || !concerned.isDisjoint(with: required))
    }
    return judgments.contains { $0.verdict == .bad } || strict && hasWarning
      || measurements.contains { measurement in !works(judgments.filter { $0.participation.measurement == measurement }) }
  }

  /// Whether the app takes part in a measurement, and each part works.
  private func works(_ judgments: [Judgment]) -> Bool {
    judgments.contains { $0.verdict == .good } && judgments.allSatisfy { $0.verdict == .good || $0.verdict == .unused }
  }

  private var endpoint: WebURL? {
    guard case .valid(let endpoint, _) = manifest.clickEndpoint else { return nil }
    return endpoint
  }

  var json: JSON {
    [
      "bundleIdentifier": .string(bundleIdentifier),
      "reportEndpoint": .string(manifest.reportEndpoint),
      "sourceSite": .string(endpoint?.site.domain),
      "reportURL": .string(endpoint.map { ReportBody.url(at: $0.site) }),
      "adAttribution": manifest.adAttribution.json,
      "participations": .array(
        manifest.judgments.map {
          [
            "participation": .string($0.participation.rawValue), "measurement": .string($0.participation.measurement.rawValue),
            "verdict": .string($0.verdict.rawValue), "detail": .string($0.detail),
          ]
        }),
      "findings": .array(
        manifest.findings.map {
          ["code": .string($0.code.rawValue), "severity": .string($0.severity.rawValue), "detail": .string($0.detail)]
        }),
    ]
  }

  var text: String { text(in: .plain) }

  func text(in style: TerminalStyle) -> String {
    let takesPart = manifest.judgments.contains { $0.participation == .clicks && $0.verdict != .unused }
    let none = takesPart ? "none: clicks are discarded" : "none"
    let isInvalid = manifest.findings.contains { $0.code == .bundleIdentifierInvalid }
    let unnamed =
      isInvalid
      ? "unknown (CFBundleIdentifier is invalid)"
      : "unknown (CFBundleIdentifier is missing or a build setting): name it with --bundle-identifier"
    var lines = [
      "app              \(bundleIdentifier ?? unnamed)",
      "report endpoint  \(manifest.reportEndpoint ?? "none (NSAdvertisingAttributionReportEndpoint)")",
      "click source     \(endpoint?.site.domain ?? none)",
      "reports go to    \(endpoint.map { ReportBody.url(at: $0.site) } ?? "nowhere")",
    ]
    lines += AdAttributionText(values: manifest.adAttribution).lines
    lines += manifest.findings.map { "\(style.severity($0.severity.rawValue)): \($0.detail) [\($0.code.rawValue)]" }
    let width = Participation.allCases.map(\.title.count).max() ?? 0
    lines += manifest.judgments.map { judgment in
      let title = judgment.participation.title
      return title + String(repeating: " ", count: width - title.count + 2)
        + "\(style.severity(judgment.verdict.rawValue)): \(judgment.detail)"
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension TerminalStyle {
  /// The word for a severity or a verdict in its color.
  fileprivate func severity(_ word: String) -> String {
    switch word {
    case "error", "bad": red(word)
    case "warning": yellow(word)
    case "good": green(word)
    default: word
    }
  }
}
