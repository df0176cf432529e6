import Foundation
import ServiceSupport
import Testing

/// `pcm-browser load-test` as its users meet it, against `pcm-browser receive`.
@Suite(.timeLimit(.minutes(10))) struct LoadTestCommandTests {
  private struct Summary: Decodable {
    let sent, errors, duplicates, forged, connections: Int
    let statuses, httpVersions: [String: Int]
    let expectations: [Expectation]

    struct Expectation: Decodable {
      let condition: String
      let holds: Bool
    }
  }

  private static func arguments(_ stage: ReceiveStage, _ more: String...) -> [String] {
    [
      "load-test", "https://news.example", "--connect-to", "::127.0.0.1:\(stage.process.port)", "--ca-file",
      stage.files.path + "/ca.pem", "--rate", "200", "--for", "500ms", "--json",
    ] + more
  }

  @Test("The endpoint counts the messages that the summary counts", arguments: ["fresh", "kept"])
  func counts(_ connections: String) async throws {
    try await ReceiveStage.run { stage async throws in
      let html = stage.files.path + "/load.html"
      let run = try await ServiceProcess.run(
        Self.arguments(
          stage, "--kind", "mixed", "--duplicates", "10%", "--forged", "10%", "--connections", connections, "--html", html,
          "--expect", "errors<=0%,p50<60s"))
      let summary = try JSONDecoder().decode(Summary.self, from: Data(run.output.utf8))
      #expect(run.status == 0, "\(run.output)")
      #expect(summary.sent == 100 && summary.errors == 0 && summary.statuses.values.reduce(0, +) == 100)
      #expect(connections == "fresh" ? summary.connections == 100 : summary.connections < 100, "\(summary.connections)")
      let (reports, postbacks) = (try await stage.entries(), try await stage.postbacks())
      #expect(reports.count + postbacks.count == 100)
      #expect(postbacks.filter { $0.verdict == "duplicate" }.count == summary.duplicates, "\(postbacks.map(\.verdict))")
      #expect(try String(contentsOfFile: html, encoding: .utf8).contains("<title>Passed: load test</title>"))
    }
  }

  @Test func aFaultyEndpointFailsTheExpectation() async throws {
    try await ReceiveStage.run { stage async throws in
      try await stage.order(#"{"on":"report","fault":"status","status":503,"times":1000}"#)
      let run = try await ServiceProcess.run(
        Self.arguments(stage, "--expect", "errors<1%").filter { $0 != "--json" })
      #expect(run.status == 1)
      for part in ["503", "http-status", "fails  errors<1%", "POST https://news.example"] {
        #expect(run.output.contains(part), "\(run.output)")
      }
    }
  }

  @Test(
    arguments: [
      (["--rate", "51"], "--connect-to"), (["--rate", "50"], "--yes-i-own-this"), (["--rate", "0"], "--rate"),
      (["--for", "2h"], "--for"), (["--for", "5"], "--for"), (["--duplicates", "1%"], "--kind"),
      (["--tokens", "off", "--forged", "1%"], "--forged"), (["--kind", "skadnetwork", "--tokens", "required"], "--kind"),
      (["--expect", "p99<5"], "--expect"),
      (["--rate", "100000", "--for", "1h"], "--rate"), (["--kind", "mixed", "--forged", "101%"], "--forged"),
    ])
  func aMistakeIsNamedBeforeTheFirstRequest(_ options: [String], _ part: String) async throws {
    let run = try await ServiceProcess.run(["load-test", "https://ads.example"] + options)
    #expect(run.status == 2 && run.output.isEmpty)
    #expect(run.message.contains(part), "\(run.message)")
  }
}
