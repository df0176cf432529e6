import PCMCore

@testable import PCMEndpoint

/// A report with every verdict, and responses of a hostile endpoint.
enum SampleCheckReport {
  static let accepted = CheckRule(
    "post-is-accepted", "A report is accepted", .error, .apple("page"), fix: "Answer a POST of a report with 200.")
  static let status = CheckRule(
    "status-is-2xx", "The status of the answer is 2xx", .error, .webkit("page"), fix: "Answer 200 once the report is stored.")
  static let fast = CheckRule(
    "answer-within-two-seconds", "The answer comes within two seconds", .warning, .ours("advice"),
    fix: "Answer first, and work on the report afterwards.")
  static let key = CheckRule(
    "key-is-served", "The token key is served", .error, .draft("page"), fix: "Answer GET with token_public_key.")
  static let keySize = CheckRule(
    "key-size", "The token key has 2048 to 4096 bits", .error, .draft("page"), fix: "Make a key of 2048 to 4096 bits.")
  static let pixel = CheckRule(
    "pixel-redirects", "The pixel redirects to the trigger path", .error, .apple("page"), fix: "Answer the pixel with a 302.")

  static let body = #"{"source_engagement_type":"click","source_site":"ads.example","version":3}"#

  static func exchange(_ answer: String, _ answerBody: String = "") -> CheckReport.Evidence {
    CheckReport.Evidence(
      request: "POST https://ads.example/.well-known/private-click-measurement/report-attribution/ HTTP/2",
      requestHeaders: ["accept: */*", "content-length: 74"], requestBody: body, answer: answer,
      answerHeaders: answerBody.isEmpty ? [] : ["server: nginx"], answerBody: answerBody)
  }

  static let all = report([
    finding(accepted, .passed, [exchange("200 application/json, 31 ms", "{}")]),
    finding(
      fast, .failed("the slowest of 9 answers took 2.4 s"),
      [exchange("200, 2400 ms"), exchange("200, 2300 ms"), exchange("200, 2200 ms")]),
    finding(
      status, .failed("the answer was 404"), [exchange("404 text/html, 12 ms", "<b>\u{1B}[2J\u{202E}no\0</b>\r\n& more")]),
    finding(key, .failed("a < b & c"), []),
    finding(keySize, .notReached("key-is-served"), []),
    finding(pixel, .notApplicable("no --pixel was given"), []),
  ])

  static func report(
    _ findings: [CheckReport.Finding], kind: CheckKind = .report, insecure: Bool = false
  ) -> CheckReport {
    CheckReport(
      endpoint: "https://ads.example/.well-known/private-click-measurement/report-attribution/", kind: kind, role: .source,
      startedAt: Instant(milliseconds: 1_795_168_800_000), plannedRequests: 60, sentRequests: 17, insecure: insecure,
      findings: findings)
  }

  static func finding(_ rule: CheckRule, _ verdict: CheckReport.Verdict, _ evidence: [CheckReport.Evidence] = [])
    -> CheckReport.Finding
  {
    CheckReport.Finding(rule: rule, verdict: verdict, evidence: evidence)
  }
}
