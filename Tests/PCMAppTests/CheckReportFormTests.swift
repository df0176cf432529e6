import Foundation
import PCMCore
import PCMPages
import Testing

@testable import PCMApp
@testable import PCMEndpoint

/// JSON, JUnit, and HTML.
@Suite struct CheckReportFormTests {
  @Test func theJSONContainsAllMembers() throws {
    let rest = SampleCheckReport.all.findings.filter {
      [.failed("a < b & c"), .notReached("key-is-served")].contains($0.verdict)
    }
    #expect(
      SampleCheckReport.report(rest).json.text == """
        {"endpoint":"https://ads.example/.well-known/private-click-measurement/report-attribution/","kind":"report",\
        "role":"source",\
        "startedAt":"2026-11-20T10:00:00.000Z","requests":{"sent":17,"atMost":60},"grade":"fail","insecure":false,\
        "forwardedTo":null,"strict":false,"note":null,\
        "counts":{"passed":0,"errors":1,"warnings":0,"notApplicable":0,"not-reached":1},"findings":[\
        {"rule":"key-is-served","title":"The token key is served","severity":"error","origin":"draft",\
        "fix":"Answer GET with token_public_key.","verdict":"failed","seen":"a < b & c","notReachedBecauseOf":null,"dependsOn":[],"evidence":[]},\
        {"rule":"key-size","title":"The token key has 2048 to 4096 bits","severity":"error","origin":"draft",\
        "fix":"Make a key of 2048 to 4096 bits.","verdict":"not-reached","seen":"not reached, because key-is-served failed",\
        "notReachedBecauseOf":"key-is-served","dependsOn":[],"evidence":[]}]}
        """)
  }

  @Test func theJSONIsValid() throws {
    let bytes = Data(SampleCheckReport.all.json.bytes)
    let object = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    let findings = try #require(object["findings"] as? [[String: Any]])
    #expect(
      findings.map { $0["verdict"] as? String } == ["passed", "failed", "failed", "failed", "not-reached", "not-applicable"])
    let exchanges = try #require(findings[2]["evidence"] as? [[String: Any]])
    #expect(exchanges.first?["requestHeaders"] as? [String] == ["accept: */*", "content-length: 74"])
    #expect(exchanges.first?["answerHeaders"] as? [String] == ["server: nginx"])
    #expect(exchanges.first?["answerBody"] as? String == "<b>\u{1B}[2J\u{202E}no\0</b>\r\n& more")
  }

  /// JSON itself escapes nothing above U+001F; xterm takes U+009B for the beginning of a control sequence.
  @Test(arguments: ["\u{9B}31m", "\u{7F}", "\u{202E}\u{2066}", "\u{FEFF}\u{2028}", "\u{E0001}\u{10FFFF}", "é 😀 \n\u{1B}\"\\"])
  func theJSONContainsNoControlCharacters(_ text: String) throws {
    let shown = JSON.array([.string(text)]).text.withoutSteering
    #expect(try JSONDecoder().decode([String].self, from: Data(shown.utf8)) == [text])
    for scalar in shown.unicodeScalars {
      #expect(
        ![.control, .format, .lineSeparator, .privateUse, .unassigned].contains(scalar.properties.generalCategory), "\(shown)")
    }
  }

  @Test func onlyErrorsAreFailures() {
    let xml = SampleCheckReport.all.junit.xml
    #expect(xml.contains(#"tests="6" failures="2" errors="0" skipped="2""#))
    #expect(xml.contains(#"<testcase name="status-is-2xx" classname="pcm-browser.check.ads_example.source" time="0.000">"#))
    #expect(xml.contains(#"<failure message="the answer was 404" type="error">"#))
    #expect(xml.contains("<system-out>warning: the slowest of 9 answers took 2.4 s\n"))
    #expect(xml.contains(#"<skipped message="not reached, because key-is-served failed"/>"#))
    #expect(xml.contains(#"<skipped message="not applicable: no --pixel was given"/>"#))
  }

  @Test func strictWarningsAreFailures() {
    let warning = SampleCheckReport.finding(SampleCheckReport.fast, .failed("it took 3 s"))
    var report = SampleCheckReport.report([SampleCheckReport.finding(SampleCheckReport.key, .passed), warning])
    #expect(report.junit.xml.contains(#"failures="0""#))
    #expect(CheckReportText(report, isColored: false).text.hasSuffix("\nPASS WITH WARNINGS: 1 warning; 1 rule passed\n"))
    report.isStrict = true
    #expect(report.junit.xml.contains(#"<failure message="it took 3 s" type="warning">"#))
    #expect(
      CheckReportText(report, isColored: false).text.hasSuffix(
        "\nFAIL (STRICT: warnings count as errors): 1 warning; 1 rule passed\n"))
    #expect(report.json.text.contains(#""grade":"fail","insecure":false,"forwardedTo":null,"strict":true"#))
    #expect(report.html.contains("<title>Fail: ads.example</title>"))
  }

  @Test func aFixOfAFindingReplacesThatOfItsRule() {
    let finding = CheckReport.Finding(
      rule: SampleCheckReport.status, verdict: .failed("403"), fix: "Require no authentication.", evidence: [])
    let report = SampleCheckReport.report([finding])
    for text in [CheckReportText(report, isColored: false).text, report.json.text, report.junit.xml, report.html] {
      #expect(text.contains("Require no authentication.") && !text.contains(SampleCheckReport.status.fix), "\(text)")
    }
  }

  @Test func everyFormatContainsTheHeaders() {
    for text in [
      CheckReportText(SampleCheckReport.all, isColored: false).text, SampleCheckReport.all.json.text,
      SampleCheckReport.all.junit.xml, SampleCheckReport.all.html,
    ] {
      #expect(text.contains("accept: */*") && text.contains("server: nginx"), "\(text)")
    }
  }

  @Test func aSelectionThatDoesNotApplyHasNoResult() {
    let report = SampleCheckReport.report([SampleCheckReport.finding(SampleCheckReport.pixel, .notApplicable("no pixel"))])
    #expect(
      CheckReportText(report, isColored: false).text.hasSuffix("\nNO RESULT: no rule passed, 1 not applicable\n"))
    #expect(report.json.text.contains(#""grade":"no-result""#))
  }

  @Test func thePageContainsTheFixesAndAllRules() throws {
    let html = SampleCheckReport.all.html
    let fixes = html.matches(of: /id="fix-([a-z0-9-]+)"/).map { String($0.1) }
    #expect(fixes == ["status-is-2xx", "key-is-served", "answer-within-two-seconds"])
    let rows = html.matches(of: /<tr><td><span class="badge [a-z]+">([a-z ]+)</).map { String($0.1) }
    #expect(rows == ["passed", "warning", "error", "error", "not reached", "not applicable"])
    for part in [
      "<title>Fail: ads.example</title>", "a &lt; b &amp; c", #"&lt;b&gt;\u{1B}[2J\u{202E}no\u{0}&lt;/b&gt;"#,
      "1 more exchange", "<b>2</b> errors",
    ] {
      #expect(html.contains(part), "\(part)")
    }
  }

  @Test func everyFormatNotesUnverifiedCertificates() {
    let report = SampleCheckReport.report(
      [SampleCheckReport.finding(SampleCheckReport.key, .passed)], insecure: true)
    let text = CheckReportText(report, isColored: false).text
    #expect(text.hasSuffix("\nPASS (INSECURE: certificates were not verified): 1 rule passed\n"))
    #expect(report.json.text.contains(#""grade":"pass","insecure":true,"forwardedTo":null,"strict":false,"note":null,"#))
    #expect(report.junit.xml.contains("(source, insecure: certificates were not verified)"))
    let html = report.html
    for part in [
      "<title>Pass (insecure): ads.example</title>", #"<span class="badge doubtful">Pass (insecure)</span>"#,
      "certificates were not verified (--insecure)",
    ] {
      #expect(html.contains(part), "\(part)")
    }
  }

  @Test func everyFormatNotesWhatAPassDoesNotShow() throws {
    let report = SampleCheckReport.report([SampleCheckReport.finding(SampleCheckReport.key, .passed)], kind: .skadnetwork)
    let note = "whether the endpoint verifies signatures and what it counts is not visible"
    #expect(CheckReportText(report, isColored: false).text.contains("note: whether the endpoint verifies"))
    #expect(report.json["note"]?.string == note)
    #expect(report.junit.xml.contains(#"<property name="note" value="\#(note)"/>"#))
    #expect(report.html.contains("Note: \(note)"))
    var forwarded = report
    forwarded.forwardedTo = "127.0.0.1:8000"
    #expect(
      forwarded.json["note"]?.string
        == "TLS, HTTP/2, and certificates were not examined: requests went to 127.0.0.1:8000 without TLS (--forward-to); \(note)"
    )
    #expect(!SampleCheckReport.all.junit.xml.contains("<properties>"))
  }
}
