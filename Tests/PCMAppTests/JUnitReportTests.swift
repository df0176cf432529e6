import PCMCore
import Testing

@testable import PCMApp
@testable import PCMEndpoint
@testable import PCMScenario

@Suite struct JUnitReportTests {
  @Test func theWholeDocument() {
    let report = JUnitReport(
      name: "pcm-browser run",
      suites: [
        JUnitReport.Suite(
          name: "checkout.yaml", timestamp: "2026-11-20T10:00:00.000Z",
          cases: [
            JUnitReport.Case(name: "1 click", className: "checkout", milliseconds: 1_050, outcome: .passed),
            JUnitReport.Case(
              name: "2 trigger", className: "checkout", file: "s/checkout.yaml", line: 12, milliseconds: 7,
              outcome: .failed(message: "expected attributed", type: "expectation", text: "a\nb"), output: "seen"),
          ]),
        JUnitReport.Suite(name: "empty", cases: []),
        JUnitReport.Suite(
          name: "keys", cases: [JUnitReport.Case(name: "key", className: "keys", outcome: .skipped(message: "no tokens"))]),
      ])
    #expect(
      report.xml == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="pcm-browser run" tests="3" failures="1" errors="0" skipped="1" time="1.057">
          <testsuite name="checkout.yaml" tests="2" failures="1" errors="0" skipped="0" time="1.057" timestamp="2026-11-20T10:00:00.000Z">
            <testcase name="1 click" classname="checkout" time="1.050"/>
            <testcase name="2 trigger" classname="checkout" file="s/checkout.yaml" line="12" time="0.007">
              <failure message="expected attributed" type="expectation">a
        b</failure>
              <system-out>seen</system-out>
            </testcase>
          </testsuite>
          <testsuite name="empty" tests="0" failures="0" errors="0" skipped="0">
          </testsuite>
          <testsuite name="keys" tests="1" failures="0" errors="0" skipped="1">
            <testcase name="key" classname="keys">
              <skipped message="no tokens"/>
            </testcase>
          </testsuite>
        </testsuites>

        """)
  }

  @Test func durationsAreRealOnesOfStepsAndFiles() {
    let step = ScenarioResult.StepResult(number: 1, name: "a tap", line: 4, passed: true, duration: .milliseconds(1_200))
    let result = ScenarioResult(name: "taps", rule: nil, seed: "1", steps: [step], failure: nil)
    let summary = RunSummary(files: [
      PlayedFile(path: "taps.yaml", milliseconds: 1_234, result: .success(result), options: [], timeline: nil),
      PlayedFile(path: "bad.yaml", milliseconds: 6, result: .failure(UnreadableScenario("no")), options: [], timeline: nil),
    ])
    for part in [
      #"skipped="0" time="1.240">"#,
      #"<testsuite name="taps.yaml" tests="1" failures="0" errors="0" skipped="0" time="1.234">"#,
      #"<testcase name="a tap" classname="taps_yaml" file="taps.yaml" line="4" time="1.200"/>"#, #"line="1" time="0.006">"#,
    ] {
      #expect(summary.junit.contains(part), "\(part) in \(summary.junit)")
    }
    #expect(!summary.json.text.contains("1200"))
  }

  @Test func aRuleHasTheTimeOfItsExchanges() {
    var evidence = SampleCheckReport.exchange("200, 31 ms")
    evidence.duration = Interval(milliseconds: 31)
    var report = SampleCheckReport.report([SampleCheckReport.finding(SampleCheckReport.key, .passed, [evidence, evidence])])
    report.duration = .seconds(2)
    #expect(
      report.junit.xml.contains(
        #"<testcase name="key-is-served" classname="pcm-browser.check.ads_example.source" time="0.062"/>"#))
    #expect(report.junit.xml.contains(#"skipped="0" time="2.000" timestamp="#), "\(report.junit.xml)")
  }

  @Test(
    arguments: [
      ("a & b", "a &amp; b", "a &amp; b"), ("</failure>", "&lt;/failure&gt;", "&lt;/failure&gt;"),
      ("]]>", "]]&gt;", "]]&gt;"), ("\"quoted\"", "&quot;quoted&quot;", "&quot;quoted&quot;"),
      ("one\r\ntwo\tthree", "one&#10;two&#9;three", "one\ntwo\tthree"),
      ("\0\u{1}\u{1B}[31m\u{7F}\u{85}\u{9F}\u{FFFE}\u{FFFF}", "[31m", "[31m"),
      ("Käse 🧀 e\u{301}", "Käse 🧀 e\u{301}", "Käse 🧀 e\u{301}"),
    ])
  func textIsEscaped(_ text: String, _ attribute: String, _ content: String) {
    let xml = JUnitReport(
      name: text,
      suites: [
        JUnitReport.Suite(
          name: text, timestamp: text,
          cases: [
            JUnitReport.Case(
              name: text, className: text, file: text, outcome: .failed(message: text, type: text, text: text), output: text),
            JUnitReport.Case(name: "skipped", className: "", outcome: .skipped(message: text)),
          ])
      ]
    ).xml
    for part in ["name", "timestamp", "classname", "file", "message", "type"].map({ " \($0)=\"\(attribute)\"" })
      + [">\(content)</failure>", "<system-out>\(content)</system-out>", "<skipped message=\"\(attribute)\"/>"]
    {
      #expect(xml.contains(part), "\(part.debugDescription) in \(xml)")
    }
    #expect(xml.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" || $0 == "\t" })
  }
}
