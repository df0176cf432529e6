package import PCMCore

/// The traffic of a load test, and its limits.
package struct LoadOptions: Sendable {
  /// Any URL of the endpoint. Reports go to the well-known path on its registrable domain, and postbacks to exactly this URL. A URL
  /// without a path stands for the well-known paths.
  package var endpoint: WebURL
  package var kind = TrafficKind.report
  package var role = Recipient.source
  package var subjects = ReportSubjects()
  /// The planned number of requests per second.
  package var rate = 100
  package var duration = Interval.seconds(60)
  /// The share of postbacks that repeat an earlier one, from 0 to 1.
  package var duplicates = 0.0
  /// The share of postbacks, and of reports with tokens, whose signature is invalid, from 0 to 1.
  package var forged = 0.0
  /// The maximum number of tokens that are requested before the first report. Each is in one report.
  package var tokenPool = 1_000
  /// The same seed plans the same messages, except for signatures.
  package var seed: UInt64 = 0

  package init(endpoint: WebURL) { self.endpoint = endpoint }

  package static let maximumRate = 100_000
  package static let maximumDuration = Interval.hours(1)
  package static let maximumCount = 10_000_000
  package static let maximumTokenPool = 100_000

  /// The planned number of requests.
  package var count: Int { max(1, rate * Int(duration.milliseconds) / 1_000) }

  /// The URLs that receive messages.
  package var urls: [String] { kind.shares.map { url(of: $0.kind) } }

  func url(of kind: CheckKind) -> String {
    guard let framework = kind.framework else { return ReportBody.url(at: endpoint.site) }
    return endpoint.path == "/" && endpoint.query == nil ? framework.copyURL(at: endpoint.site) : endpoint.text
  }

  /// Returns the planned instant of a request, in microseconds since the start.
  package func instant(of number: Int) -> Int64 { Int64(number) * 1_000_000 / Int64(rate) }
}

/// The messages of a load test.
package enum TrafficKind: String, Hashable, Sendable, CaseIterable {
  case report
  case skadnetwork
  case adattributionkit
  /// Half reports, and half postbacks of both frameworks.
  case mixed

  /// The kinds of messages with their shares.
  var shares: [(kind: CheckKind, share: Double)] {
    switch self {
    case .report: [(.report, 1)]
    case .skadnetwork: [(.skadnetwork, 1)]
    case .adattributionkit: [(.adattributionkit, 1)]
    case .mixed: [(.report, 0.5), (.skadnetwork, 0.3), (.adattributionkit, 0.2)]
    }
  }

  package var hasReports: Bool { shares.contains { $0.kind == .report } }
  package var hasPostbacks: Bool { shares.contains { $0.kind != .report } }
}
