import PCMCore

/// The explanation of the browser's decisions, as lines of text.
enum ScenarioExplanation {
  /// Returns the explanation of the first subject that the browser can explain; empty when there is none.
  ///
  /// - Parameter subjects: Names of subjects, such as `click-12` or `shop.example`.
  static func lines(of subjects: [String?], browser: PlayedBrowser) async throws -> [String] {
    for subject in subjects.compactMap({ $0 }) {
      let response = try await browser.explanation(of: subject)
      if response.isAccepted { return lines(response.json, start: browser.start) }
    }
    let reports = try? await browser.reports(in: ["failed"])
    guard let failed = reports?.last?["id"]?.string else { return [] }
    let response = try await browser.explanation(of: failed)
    return response.isAccepted ? lines(response.json, start: browser.start) : []
  }

  static func lines(_ explanation: JSON, start: Instant) -> [String] {
    let summary = explanation["summary"]?.string.map { [$0] } ?? []
    return summary + (explanation["steps"]?.items ?? []).flatMap { lines(ofStep: $0, start: start) }
  }

  /// The rules that passed are counted.
  private static func lines(ofStep step: JSON, start: Instant) -> [String] {
    let at = step["at"]?.string.flatMap(Instant.init(text:)).map { ", \(($0 - start).text) after the start" } ?? ""
    let heading = "\(step["id"]?.string ?? ""): \(step["outcome"]?.string ?? "")\(at)"
    let rules = step["rules"]?.items ?? []
    let passed = rules.count { $0["verdict"] == "passed" }
    guard let failed = rules.first(where: { $0["verdict"] == "failed" }) else {
      return [heading + ", all \(passed) rules passed"]
    }
    let reason = failed["reason"] ?? .null
    var lines = [heading]
    if passed > 0 { lines.append("  \(passed) \(passed == 1 ? "rule" : "rules") passed") }
    lines.append(
      "  FAILED: \(failed["rule"]?.string ?? "") (\(reason["code"]?.string ?? "")): \(reason["detail"]?.string ?? "")")
    lines += (failed["saw"]?.members ?? []).map { "  saw:    \($0.name) = \(Words.short($0.value))" }
    if let change = failed["change"]?.string { lines.append("  change: \(change)") }
    return lines
  }
}
