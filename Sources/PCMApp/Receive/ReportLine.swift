import PCMCore
import PCMCrypto
import PCMEndpoint

/// A received report as one line for people.
struct ReportLine {
  private let entry: Entry

  /// - Returns: Nil for another request.
  init?(_ entry: Entry) {
    guard entry.received.kind == .report else { return nil }
    self.entry = entry
  }

  var text: String { entry.line(parts) }

  private var parts: [String] {
    let fault = entry.fault.map { "fault \($0.rawValue)" }
    guard entry.verdict.outcome != .notProcessed else { return ["not processed", fault].compactMap { $0 } }
    return [outcome] + values + tokens + [entry.verdict.error?.detail, fault].compactMap { $0 }
  }

  private var outcome: String {
    entry.verdict.outcome == .refused ? "rejected" : entry.verdict.outcome.rawValue
  }

  /// The members of a valid report.
  private var values: [String] {
    guard let report = try? ReceivedReport(body: entry.received.body) else { return [] }
    return [
      "\(report.sourceSite) to \(report.attributedOnSite)", "source_id \(report.sourceID)",
      "trigger_data \(report.triggerData)", "version \(report.version)",
    ]
  }

  private var tokens: [String] {
    Recipient.allCases.compactMap { recipient in
      entry.verdict.tokens[recipient].map { "\(recipient.rawValue) token \(words(for: $0))" }
    }
  }

  private func words(for verdict: TokenVerdict) -> String {
    switch verdict {
    case .verified: "verified"
    case .duplicate: "received before"
    case .unverified: "not verified: its key is unknown"
    case .rejected(_, let detail): "rejected: \(detail)"
    }
  }
}
