import Foundation
import ServiceSupport
import Testing

/// `pcm-browser check` as its users meet it, against `pcm-browser receive`.
@Suite(.timeLimit(.minutes(10))) struct CheckCommandTests {
  private static func arguments(_ stage: ReceiveStage, _ more: String...) -> [String] {
    [
      "check", "https://news.example", "--connect-to", "::127.0.0.1:\(stage.process.port)", "--ca-file",
      stage.files.path + "/ca.pem", "--token-admin", "https://127.0.0.1:\(stage.process.port)/admin",
    ] + more
  }

  @Test func aGoodEndpointPassesInEveryForm() async throws {
    try await ReceiveStage.run { stage async throws in
      let (junit, html) = (stage.files.path + "/check.xml", stage.files.path + "/check.html")
      let run = try await ServiceProcess.run(Self.arguments(stage, "--json", "--junit", junit, "--html", html))
      let report = try JSONDecoder().decode(CheckReportView.self, from: Data(run.output.utf8))
      #expect(run.status == 0)
      #expect(report.findings.filter { $0.verdict == "failed" } == [])
      #expect(report.grade == "pass")
      #expect(report.endpoint == "https://news.example" + ReceiveStage.folder + "report-attribution/")
      #expect(report.requests.sent > 50 && report.requests.sent <= report.requests.atMost)
      let xml = try String(contentsOfFile: junit, encoding: .utf8)
      #expect(xml.contains(#"tests="\#(report.findings.count)" failures="0""#))
      #expect(try String(contentsOfFile: html, encoding: .utf8).contains("<title>Pass: news.example</title>"))
    }
  }

  @Test func aFaultyEndpointFailsAndTheTextSaysWhatToDo() async throws {
    try await ReceiveStage.run { stage async throws in
      try await stage.order(#"{"on":"report","fault":"status","status":503}"#)
      let junit = stage.files.path + "/check.xml"
      let run = try await ServiceProcess.run(Self.arguments(stage, "--rules", "report", "--junit", junit))
      #expect(run.status == 1)
      for part in ["FAIL", "What to fix first", "503", "   fix     "] { #expect(run.output.contains(part), "\(run.output)") }
      #expect(!run.output.contains("\u{1B}"))
      #expect(try String(contentsOfFile: junit, encoding: .utf8).contains("<failure message="))
    }
  }

  @Test(arguments: ["skadnetwork", "adattributionkit"])
  func anEndpointOfPostbacksPasses(_ kind: String) async throws {
    try await ReceiveStage.run { stage async throws in
      let run = try await ServiceProcess.run([
        "check", "https://news.example", "--connect-to", "::127.0.0.1:\(stage.process.port)", "--ca-file",
        stage.files.path + "/ca.pem", "--kind", kind, "--test-keys",
      ])
      #expect(run.status == 0)
      #expect(run.output.contains("kind: \(kind), "), "\(run.output)")
      #expect(run.output.contains("\nnote: whether the endpoint verifies signatures"), "\(run.output)")
      #expect(run.output.contains("\nPASS"), "\(run.output)")
    }
  }

  @Test(
    arguments: [
      ["--kind", "skadnetwork", "--pixel", "https://ads.example/"], ["--kind", "skadnetwork", "--role", "source"],
      ["--kind", "adattributionkit", "--tokens", "auto"], ["--kind", "adattributionkit", "--source-id", "7"],
      ["--test-keys"], ["--kind", "skadnetwork", "--rules", "report-"],
    ])
  func anOptionWithoutEffectIsRejected(_ options: [String]) async throws {
    let run = try await ServiceProcess.run(["check", "https://ads.example/p"] + options)
    #expect(run.status == 2)
    #expect(run.message.contains(options.count == 1 ? options[0] : options[2]), "\(run.message)")
  }

  /// These rules look at the URL alone, so nothing is sent and no confirmation is needed.
  @Test func aWarningIsNoFailure() async throws {
    let run = try await ServiceProcess.run(["check", "https://reports.news.example/", "--rules", "endpoint-", "--json"])
    #expect(run.status == 0)
    let report = try JSONDecoder().decode(CheckReportView.self, from: Data(run.output.utf8))
    #expect(report.grade == "pass-with-warnings")
    #expect(report.requests == CheckReportView.RequestsView(sent: 0, atMost: 0))
    #expect(!report.findings.isEmpty && report.findings.allSatisfy { $0.rule.hasPrefix("endpoint-") })
    let strict = try await ServiceProcess.run(["check", "https://reports.news.example/", "--rules", "endpoint-", "--strict"])
    #expect(strict.status == 1)
  }

  @Test(
    arguments: [
      ("news-reader", "news.example"), ("subdomain-and-path", "weather.example"), ("no-endpoint", nil), ("http-endpoint", nil),
      ("not-a-plist", nil),
    ])
  func anAppNamesTheEndpoint(_ fixture: String, _ domain: String?) async throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/manifests/\(fixture)/Info.plist").path
    let run = try await ServiceProcess.run(["check", "--manifest", file, "--rules", "endpoint-", "--json"])
    #expect(run.status == (domain == nil ? 2 : 0))
    guard let domain else { return }
    let report = try JSONDecoder().decode(CheckReportView.self, from: Data(run.output.utf8))
    #expect(report.endpoint == "https://\(domain)" + ReceiveStage.folder + "report-attribution/")
  }

  /// Nothing may be sent, and a name that does not exist would be asked for.
  @Test func aHostOfOthersIsNotExaminedWithoutAYes() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/check.html"
    let run = try await ServiceProcess.run(["check", "https://ads.example", "--html", file])
    #expect(run.status == 2)
    #expect(run.output.isEmpty)
    for part in ["ads.example", "--yes-i-own-this"] { #expect(run.message.contains(part), "\(run.message)") }
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test(
    arguments: [
      ["https://127.0.0.1:8443"], ["https://localhost"], ["https://[::1]:8443", "--json"],
      ["https://ads.example", "--connect-to", "ads.example:443:127.0.0.1:1", "--pixel", "https://127.0.0.1/pixel"],
    ])
  func anAddressThatIsNotPublicIsNotExaminedAndTheReasonIsGiven(_ arguments: [String]) async throws {
    let run = try await ServiceProcess.run(["check"] + arguments)
    #expect(run.status == 2)
    #expect(run.output.isEmpty)
    for part in ["is a loopback address", "--allow-private-networks", "--connect-to ads.example:443:127.0.0.1:8443"] {
      #expect(run.message.contains(part), "\(run.message)")
    }
  }

  @Test func theHelpSendsTheReaderToAnAddressThatIsExamined() async throws {
    let help = try await ServiceProcess.run(["check", "--help"]).output
    #expect(help.contains("--connect-to ads.example:443:127.0.0.1:8443"))
    #expect(help.contains("--allow-private-networks"))
    #expect(!help.contains("check https://127.0.0.1") && !help.contains("check https://localhost"))
    for line in help.split(separator: "\n").prefix(60) { #expect(line.count <= 100, "\(line)") }
  }

  @Test func theRulesAreListed() async throws {
    let plain = try await ServiceProcess.run(["check", "--list"])
    let json = try await ServiceProcess.run(["check", "--list", "--json"])
    #expect(plain.status == 0 && json.status == 0)
    let rules = try JSONDecoder().decode([String: [RuleView]].self, from: Data(json.output.utf8))["rules"] ?? []
    #expect(rules.count > 30)
    for rule in rules { #expect(plain.output.contains("\(rule.rule) (\(rule.severity); "), "\(rule.rule)") }
    for line in plain.output.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
    let some = try await ServiceProcess.run(["check", "--list", "--json", "--rules", " \(rules[3].rule) ,"])
    #expect(try JSONDecoder().decode([String: [RuleView]].self, from: Data(some.output.utf8))["rules"] == [rules[3]])
  }
}

private struct RuleView: Decodable, Hashable {
  let rule: String
  let verdict: String?
  let seen: String?
  let title: String
  let severity: String
  let origin: String
  let fix: String
}

private struct CheckReportView: Decodable {
  let endpoint: String
  let grade: String
  let requests: RequestsView
  let findings: [RuleView]

  struct RequestsView: Decodable, Equatable {
    let sent: Int
    let atMost: Int
  }
}
