import Foundation
import ServiceSupport
import Testing

/// `pcm-browser run` as its users meet it.
@Suite struct RunTests {
  private static let good = """
    scenario: A tap is stored   # as it should be
    apps:
      com.example.news: { reportEndpoint: "https://news.example" }
    steps:
      - event-attribution: { bundleIdentifier: com.example.news, sourceIdentifier: 4, destinationURL: "https://shop.example/" }
        expect: { outcome: stored, reasons: [] }
      - at: PT1H
        expect: { reports: [], sent: [] }

    """
  /// The same with a tap that no view covers, and still the old expectation.
  private static let bad = good.replacing("sourceIdentifier: 4,", with: "sourceIdentifier: 4, tapVerified: false,")
  private static let broken = good.replacing("outcome:", with: "outcom:")

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func write(_ files: [String: String]) throws {
    for (name, text) in files {
      let url = URL(fileURLWithPath: "\(folder.path)/\(name)")
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: url, atomically: false, encoding: .utf8)
    }
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)"), encoding: .utf8)
  }

  @Test func aFolderIsPlayedInTheOrderOfItsNames() async throws {
    try write([
      "b/2.yml": Self.good, "a.yaml": Self.good, "c.json": #"{"scenario":"empty","steps":[{"expect":{"nothing":true}}]}"#,
      "x.schema.json": "{}", "notes.txt": "no scenario", ".hidden/d.yaml": Self.broken,
    ])
    let run = try await ServiceProcess.run(["run", folder.path])
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n")
    #expect(
      lines.map { $0.prefix { $0 != "(" } } == ["a.yaml", "b/2.yml", "c.json"].map { "ok    \(folder.path)/\($0)  " } + [
        "3 scenarios: 3 passed"
      ])
  }

  @Test(arguments: [good, #"  {"scenario":"a tap","steps":[{"expect":{"nothing":true}}]}"#])
  func standardInputIsAScenario(_ text: String) async throws {
    let run = try await ServiceProcess.run(["run", "-", "--color", "always"], input: text)
    #expect(run.status == 0)
    #expect(run.output.contains("\u{1B}[32mok  \u{1B}[0m  <standard input>  ("), "\(run)")
    #expect(run.output.hasSuffix("\u{1B}[32m1 scenario: 1 passed\u{1B}[0m\n"), "\(run)")
  }

  @Test func anErrorInStandardInputHasItsPlace() async throws {
    let broken = try await ServiceProcess.run(["run", "-"], input: Self.broken)
    #expect(broken.status == 2 && broken.output.contains("<standard input>:6:"), "\(broken)")
    let failed = try await ServiceProcess.run(["run", "-"], input: Self.bad)
    #expect(failed.status == 1 && failed.output.contains("pcm-browser run - --seed 'A tap is stored'"), "\(failed)")
    #expect(try await ServiceProcess.run(["run", "--watch", "-"]).status == 2)
  }

  @Test func theHTMLReportHasTheFailureFirstAndTimelines() async throws {
    try write(["a.yaml": Self.good, "bad.yaml": Self.bad, "broken.yaml": Self.broken])
    let run = try await ServiceProcess.run(["run", folder.path, "--html", "\(folder.path)/run.html"])
    #expect(run.status == 2)
    let html = try text("run.html")
    let places = try ["bad.yaml</code>", "broken.yaml</code>", "a.yaml</code>"].map {
      try #require(html.firstRange(of: $0)).lowerBound
    }
    #expect(places == places.sorted())
    #expect(html.contains("news.example → shop.example</text>") && html.contains("Discarded clicks</text>"))
    #expect(html.contains("--seed") && html.contains("tap-not-verified"))
  }

  @Test func aFailureSaysWhereWhyAndHowToSeeItAgain() async throws {
    try write(["bad.yaml": Self.bad])
    let file = "\(folder.path)/bad.yaml"
    let run = try await ServiceProcess.run(["run", file])
    #expect(run.status == 1)
    for part in [
      "FAIL  \(file)", "step 1: event-attribution",
      "\(file):6:24: expected outcome stored, but the outcome is discarded (tap-not-verified: ",
      "FAILED: tap-is-verified (tap-not-verified)", "change: cover the tapped control",
      "pcm-browser run \(file) --seed 'A tap is stored'",
      "1 scenario: 0 passed, 1 failed",
    ] {
      #expect(run.output.contains(part), "\(part) in \(run.output)")
    }
  }

  @Test func aFailedScenarioLeavesATrace() async throws {
    try write(["good.yaml": Self.good, "sub/bad 1.yaml": Self.bad, "broken.yaml": Self.broken])
    let traces = "\(folder.path)/traces/new"
    let run = try await ServiceProcess.run(["run", folder.path, "--trace", traces])
    let names = try FileManager.default.contentsOfDirectory(atPath: traces)
    #expect(run.status == 2 && names.count == 1 && names.allSatisfy { $0.hasSuffix("sub-bad-1.yaml.html") }, "\(names)")
    #expect(run.output.contains("trace\n          \(traces)/\(names.first ?? "")"), "\(run.output)")
    let trace = try text("traces/new/\(names.first ?? "")")
    #expect(trace.hasPrefix("<!doctype html>") && trace.contains("id=\"trace\""))
    let taken = try await ServiceProcess.run(["run", folder.path, "--trace", "\(folder.path)/good.yaml"])
    #expect(taken.status == 2 && taken.message.contains("--trace: cannot create the folder"), "\(taken)")
  }

  @Test func theActualValuesOfAFailureCanBePasted() async throws {
    try write(["bad.yaml": Self.bad])
    let run = try await ServiceProcess.run(["run", folder.path])
    let block = try #require(run.output.components(separatedBy: "actual, to paste into expect\n").dropFirst().first)
    let lines = block.split(separator: "\n").prefix { $0.hasPrefix("          ") }
    let pasted = "expect:\n" + lines.joined(separator: "\n")
    try write(["bad.yaml": Self.bad.replacing("expect: { outcome: stored, reasons: [] }", with: pasted)])
    let file = try text("bad.yaml")
    #expect(try await ServiceProcess.run(["run", folder.path]).status == 0, "\(file)")
  }

  @Test func aFileThatIsNoScenarioIsTheWorst() async throws {
    try write(["bad.yaml": Self.bad, "broken.yaml": Self.broken, "good.yaml": Self.good])
    let run = try await ServiceProcess.run(["run", folder.path])
    #expect(run.status == 2)
    #expect(run.output.contains("BAD   \(folder.path)/broken.yaml"))
    #expect(run.output.contains("broken.yaml:6:15: "))
    #expect(run.output.contains("3 scenarios: 1 passed, 1 failed, 1 could not be read"))
  }

  @Test func aFolderWithTheNameOfAScenarioIsOnlyAFolder() async throws {
    try write(["a.yaml/b.yaml": Self.good])
    #expect(try await ServiceProcess.run(["run", folder.path]).output.contains("1 scenario: 1 passed"))
  }

  @Test func aReportThatCannotBeWrittenIsSaidBeforeAnythingIsPlayed() async throws {
    try write(["good.yaml": Self.good])
    let run = try await ServiceProcess.run(["run", "--junit", folder.path + "/missing/x.xml", folder.path])
    #expect(run.status == 2)
    #expect(!run.output.contains("good.yaml"), "\(run.output)")
  }

  @Test(arguments: ["missing.plist", "."])
  func aManifestThatCannotBeReadIsSaidInWords(_ path: String) async throws {
    try write(["app.yaml": "scenario: x\nsteps:\n  - app: { manifest: \(path) }\n"])
    let run = try await ServiceProcess.run(["run", folder.path])
    #expect(run.status == 2)
    #expect(run.output.contains("app.yaml:3:22: expected a readable file, found \"\(path)\": "), "\(run.output)")
    #expect(!run.output.contains("NSCocoaErrorDomain"), "\(run.output)")
  }

  @Test("a seed has 1 to 128 code points, as in a scenario")
  func aSeedIsChecked() async throws {
    try write(["good.yaml": Self.good])
    for (count, status) in [(64, 0), (65, 2)] as [(Int, Int32)] {
      let seed = String(repeating: "e\u{301}", count: count)
      #expect(try await ServiceProcess.run(["run", "--seed", seed, folder.path]).status == status, "\(count)")
    }
  }

  @Test func jsonIsTheSameEachTime() async throws {
    try write(["bad.yaml": Self.bad, "broken.yaml": Self.broken, "good.yaml": Self.good])
    let first = try await ServiceProcess.run(["run", "--json", folder.path])
    let second = try await ServiceProcess.run(["run", "--json", folder.path])
    #expect(first.status == 2)
    #expect(first.output == second.output)
    let root = try #require(try JSONSerialization.jsonObject(with: Data(first.output.utf8)) as? [String: Any])
    let files = try #require(root["files"] as? [[String: Any]])
    #expect(files.map { $0["outcome"] as? String } == ["failed", "unreadable", "passed"])
    let result = try #require(files[0]["result"] as? [String: Any])
    let failure = try #require(result["failure"] as? [String: Any])
    let mismatch = try #require((failure["mismatches"] as? [[String: Any]])?.first)
    #expect(mismatch["pointer"] as? String == "/steps/0/expect/outcome")
    #expect(mismatch["line"] as? Int == 6)
    #expect(failure["actual"] as? String == "outcome: discarded\nreasons: [tap-not-verified]\n")
    #expect((files[1]["faults"] as? [[String: Any]])?.first?["pointer"] as? String == "/steps/0/expect/outcom")
  }

  @Test func theSeedDecidesWhatIsDrawn() async throws {
    try write([
      "drawn.yaml": Self.good.replacing("- at: PT1H", with: trigger)
        .replacing("reports: [], sent: []", with: "reports: [{ due: [PT0S, PT1S] }, { due: [PT0S, PT1S] }]")
    ])
    let runs = try await [[], ["--seed", "A tap is stored"], ["--seed", "2"]].asyncMap { seed in
      try await ServiceProcess.run(["run", "--json", folder.path] + seed).output
    }
    #expect(runs[0] == runs[1])
    #expect(runs[0] != runs[2])
  }

  private let trigger = """
    - triggering-event:
          firstPartyURL: https://shop.example/
          redirect: { from: "https://news.example/p", to: "https://news.example/.well-known/private-click-measurement/trigger-attribution/12" }
    """

  @Test func junitHasASuiteForAFileAndACaseForAStep() async throws {
    try write(["bad.yaml": Self.bad, "broken.yaml": Self.broken, "good.yaml": Self.good])
    let report = "\(folder.path)/results.xml"
    #expect(try await ServiceProcess.run(["run", folder.path, "--junit", report]).status == 2)
    let xml = try text("results.xml")
    #expect(xml.contains(#"<testsuites name="pcm-browser run" tests="4" failures="2""#))
    #expect(xml.contains(#"<testcase name="step 2: at PT1H" classname="\#(folder.path.replacing(".", with: "_"))/good_yaml""#))
    #expect(xml.contains(#"<failure message="expected outcome stored, but the outcome is discarded (tap-not-verified: "#))
  }

  @Test func aLiveRunAsksTheRealEndpoint() async throws {
    try write([
      "live.yaml": """
      scenario: a token from a real endpoint
      apps: { com.example.news: { reportEndpoint: "https://news.example" } }
      steps:
        - event-attribution:
            bundleIdentifier: com.example.news
            sourceIdentifier: 4
            destinationURL: https://shop.example/
        - triggering-event:
            firstPartyURL: https://shop.example/
            redirect: { from: "https://news.example/p", to: "https://news.example/.well-known/private-click-measurement/trigger-attribution/12" }
        - advance: P3D
          expect:
            reports: [{ state: delivered }, { state: delivered }]
            sent: [[{ to: news.example, kind: report }, { to: shop.example, kind: report }]]
      """
    ])
    let authority = "\(folder.path)/authority.pem"
    let endpoint = try await ServiceProcess(
      receiving: ["--name", "news.example", "--name", "shop.example", "--ca-out", authority, "--key-bits", "2048"])
    let run = try await ServiceProcess.run([
      "run", "\(folder.path)/live.yaml", "--live", "--connect-to", "::127.0.0.1:\(endpoint.port)", "--ca-file", authority,
    ])
    #expect(run.status == 0, "\(run.output)")
    endpoint.terminate()
    #expect(await endpoint.status() == 0)
    // Now no service listens, and the same scenario says so.
    let alone = try await ServiceProcess.run([
      "run", "\(folder.path)/live.yaml", "--live", "--connect-to", "::127.0.0.1:\(endpoint.port)", "--ca-file", authority,
    ])
    #expect(alone.status == 1)
    #expect(alone.output.contains("connection-failed"), "\(alone.output)")
    #expect(
      alone.output.contains(" --live --connect-to ::127.0.0.1:\(endpoint.port) --ca-file \(authority)"), "\(alone.output)")
  }
}

extension [[String]] {
  fileprivate func asyncMap(_ body: ([String]) async throws -> String) async throws -> [String] {
    var results: [String] = []
    for item in self { results.append(try await body(item)) }
    return results
  }
}
