import PCMCore
import PCMPages
import Testing

@testable import PCMApp
@testable import PCMEndpoint

@Suite struct CheckReportTextTests {
  @Test func theWholeReport() {
    #expect(
      CheckReportText(SampleCheckReport.all, isColored: false).text == """
        https://ads.example/.well-known/private-click-measurement/report-attribution/
        role: source, 2026-11-20T10:00:00.000Z, 17 of at most 60 requests sent

          ok      post-is-accepted
          warn    answer-within-two-seconds                     the slowest of 9 answers took 2.4 s
          FAIL    status-is-2xx                                 the answer was 404
          FAIL    key-is-served                                 a < b & c
          -       key-size                                      not reached, because key-is-served failed
          n/a     pixel-redirects                               no --pixel was given

        What to fix first

        1. status-is-2xx (error; WebKit)
           rule    The status of the answer is 2xx.
           seen    the answer was 404.
           fix     Answer 200 once the report is stored.
           sent    POST https://ads.example/.well-known/private-click-measurement/report-attribution/ HTTP/2
                     accept: */*
                     content-length: 74
                     {"source_engagement_type":"click","source_site":"ads.example","version":3}
           answer  404 text/html, 12 ms
                     server: nginx
                     <b>\\u{1B}[2J\\u{202E}no\\u{0}</b>
                     & more

        2. key-is-served (error; draft or standard)
           rule    The token key is served.
           seen    a < b & c.
           fix     Answer GET with token_public_key.
           hides   key-size

        3. answer-within-two-seconds (warning; pcm-browser)
           rule    The answer comes within two seconds.
           seen    the slowest of 9 answers took 2.4 s.
           fix     Answer first, and work on the report afterwards.
           sent    POST https://ads.example/.well-known/private-click-measurement/report-attribution/ HTTP/2
                     accept: */*
                     content-length: 74
                     {"source_engagement_type":"click","source_site":"ads.example","version":3}
           answer  200, 2400 ms
           sent    POST https://ads.example/.well-known/private-click-measurement/report-attribution/ HTTP/2
                     {"source_engagement_type":"click","source_site":"ads.example","version":3}
           answer  200, 2300 ms
                   and 1 exchange more, which --html and --json show

        FAIL: 2 errors, 1 warning; 1 rule passed, 1 not applicable, 1 not reached

        """)
  }

  @Test func aSentenceEndsWithOnePeriod() {
    let finding = SampleCheckReport.finding(SampleCheckReport.key, .failed("a 503 came back."))
    let report = SampleCheckReport.report([finding])
    #expect(CheckReportText(report, isColored: false).text.contains("   seen    a 503 came back.\n"))
    #expect(report.html.contains("<dd>a 503 came back.</dd>"))
  }

  @Test(arguments: [(0, "0 requests"), (1, "1 request"), (2, "2 requests")])
  func numbersAgreeWithTheirNouns(_ number: Int, _ words: String) {
    let report = CheckReport(
      endpoint: "https://ads.example/", role: .source, startedAt: SampleCheckReport.all.startedAt, plannedRequests: number,
      sentRequests: 0, findings: [])
    #expect(report.requestCount == "0 of at most \(words) sent")
    #expect(
      CheckRun.announcement(requests: number, hosts: ["ads.example", "cdn.example"])
        == "pcm-browser check: at most \(words) to ads.example and cdn.example\n")
  }

  @Test func colorsDoNotChangeTheText() {
    let colored = CheckReportText(SampleCheckReport.all, isColored: true).text
    #expect(colored.contains("\u{1B}[1;31mFAIL"))
    #expect(
      colored.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") == CheckReportText(SampleCheckReport.all, isColored: false).text)
  }

  /// The text of an endpoint may be of any length and have no spaces.
  @Test(arguments: [5, 40, 60, 200])
  func noLineIsWiderThanATerminal(_ length: Int) {
    let word = String(repeating: "x", count: length)
    let rule = CheckRule(
      String(repeating: "r", count: min(length, 60)), "\(word) \(word)", .error, .apple("page"), fix: "\(word) \(word) \(word)."
    )
    let evidence = CheckReport.Evidence(
      request: "POST https://\(word).example/\(word)", requestBody: "\(word) \(word)", answer: word,
      answerBody: "{\n  \(word)\n}")
    let text = CheckReportText(
      SampleCheckReport.report([
        SampleCheckReport.finding(rule, .failed("\(word) \(word) and \(word)"), [evidence]),
        SampleCheckReport.finding(SampleCheckReport.key, .notReached(word)),
      ]), isColored: false
    ).text
    for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
    #expect(text.filter { $0 == "x" }.count >= 18 * length, "nothing is lost: \(text)")
  }

  /// Dozens of rules may rest on one.
  @Test func rulesThatWereNotReachedAreGrouped() {
    let hidden = (1...7).map { CheckRule("hidden-rule-\($0)", "x", .error, .ours("advice"), fix: "x.") }
    let text = CheckReportText(
      SampleCheckReport.report(
        [SampleCheckReport.finding(SampleCheckReport.key, .failed("404"))]
          + hidden.map { SampleCheckReport.finding($0, .notReached("key-is-served")) }
          + [SampleCheckReport.finding(SampleCheckReport.pixel, .notReached("status-is-2xx"))]), isColored: false
    ).text
    #expect(
      text.contains(
        """
          -       not reached, because key-is-served failed:
                    hidden-rule-1, hidden-rule-2, hidden-rule-3, hidden-rule-4, hidden-rule-5,
                    hidden-rule-6, hidden-rule-7
          -       pixel-redirects                               not reached, because status-is-2xx failed
        """), "\(text)")
    #expect(text.contains("   hides   7 rules that were not reached\n"), "\(text)")
  }

  @Test func longResponsesAreTruncated() {
    let page = (1...40).map { "line \($0)" }.joined(separator: "\n")
    let text = CheckReportText(
      SampleCheckReport.report([
        SampleCheckReport.finding(SampleCheckReport.status, .failed("404"), [SampleCheckReport.exchange("404", page)])
      ]), isColored: false
    ).text
    #expect(text.contains("line 6\n             …\n"), "\(text)")
    #expect(!text.contains("line 7"))
  }

  @Test(
    arguments: [
      ([.passed], "PASS: 1 rule passed"), ([.passed, .passed], "PASS: 2 rules passed"),
      ([.notApplicable("why")], "NO RESULT: no rule passed, 1 not applicable"),
      ([.failed("x")], "FAIL: 1 error; no rule passed"),
      ([.passed, .failed("x"), .notReached("r")], "FAIL: 1 error; 1 rule passed, 1 not reached"),
    ] as [([CheckReport.Verdict], String)])
  func theLastLineIsTheGrade(_ verdicts: [CheckReport.Verdict], _ line: String) {
    let report = SampleCheckReport.report(verdicts.map { SampleCheckReport.finding(SampleCheckReport.key, $0) })
    #expect(CheckReportText(report, isColored: false).text.hasSuffix("\n\(line)\n"))
  }

  @Test func aWarningIsNotAFailure() {
    let report = SampleCheckReport.report([SampleCheckReport.finding(SampleCheckReport.fast, .failed("slow"))])
    #expect(
      CheckReportText(report, isColored: false).text.hasSuffix("\nPASS WITH WARNINGS: 1 warning; no rule passed\n"))
  }
}
