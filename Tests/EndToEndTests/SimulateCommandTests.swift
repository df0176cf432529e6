import Foundation
import ServiceSupport
import Testing

/// `pcm-browser simulate` as its users meet it: files that appear complete or not at all.
@Suite(.timeLimit(.minutes(10))) struct SimulateCommandTests {
  /// Users with a click and a triggering event each.
  private static func events(_ count: Int) -> String {
    (0..<count).map { user in
      "user-\(user),2026-11-20T10:00:00Z,click,news.example,shop.example,7,,\n"
        + "user-\(user),2026-11-20T11:00:00Z,trigger,news.example,shop.example,,3,1\n"
    }.joined()
  }

  @Test func theFilesAppearAtTheEnd() async throws {
    let folder = try TemporaryFolder()
    func path(_ name: String) -> String { "\(folder.path)/\(name)" }
    try "old".write(toFile: path("reports"), atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: "reports")
    let run = try await ServiceProcess.run(
      [
        "simulate", "-", "--reports", path("link"), "--losses", path("losses"), "--summary-file", path("summary"), "--html",
        path("page"),
      ],
      input: Self.events(3))
    #expect(run.status == 0 && run.output.isEmpty)
    #expect(run.message.hasPrefix("pcm-browser: 3 users, 6 events, 6 reports, 0 losses\n"), "\(run.message)")
    #expect(try String(contentsOfFile: path("reports"), encoding: .utf8).split(separator: "\n").count == 6)
    #expect(try String(contentsOfFile: path("page"), encoding: .utf8).contains("<title>Simulation: standard input</title>"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
        "link", "losses", "page", "reports", "summary",
      ])
  }

  private static let apps = """
    apps:
      - { bundleIdentifier: com.example.news, itemIdentifier: 1001, adNetworks: [example123.skadnetwork] }
      - { bundleIdentifier: com.example.game, itemIdentifier: 525463029 }
    """

  /// A user with an ad of SKAdNetwork, and a user with a tap on an ad of AdAttributionKit. Each installs the app.
  private static let appEvents = """
    user,time,kind,source,destination,source_id,data,framework
    anna,2026-11-20T10:00:00Z,impression,com.example.news,com.example.game,5239,,
    anna,2026-11-20T11:00:00Z,install,,com.example.game,,,
    anna,2026-11-20T12:00:00Z,conversion-value,,com.example.game,,42,
    bert,2026-11-20T10:00:00Z,impression,com.example.news,com.example.game,5239,,adattributionkit
    bert,2026-11-20T10:00:01Z,impression-tap,,,,,
    bert,2026-11-20T11:00:00Z,install,,com.example.game,,,
    bert,2026-11-20T12:00:00Z,conversion-value,,com.example.game,,42,

    """

  /// Both frameworks, as `verify` reads the file that `simulate` wrote.
  @Test(arguments: [(["--sign"], ["valid", "valid"]), ([], ["invalid", "neither"])])
  func signedPostbacksVerify(_ options: [String], _ verdicts: [String]) async throws {
    let folder = try TemporaryFolder()
    func path(_ name: String) -> String { "\(folder.path)/\(name)" }
    try Self.apps.write(toFile: path("apps.yaml"), atomically: true, encoding: .utf8)
    let run = try await ServiceProcess.run(
      ["simulate", "-", "--profile", path("apps.yaml"), "--reports", path("postbacks.jsonl")] + options, input: Self.appEvents)
    #expect(run.status == 0 && run.message.contains("2 postbacks"), "\(run.message)")
    let check = try await ServiceProcess.run(["verify", "--test-keys", "--json", path("postbacks.jsonl")])
    let found = try check.output.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(found.map { $0["verdict"] as? String } == verdicts)
    guard !options.isEmpty else { return }
    #expect(check.status == 0)
    #expect(found.map { $0["key"] as? String } == ["skadnetwork-p256", "test-cas-identifier/0"])
  }

  @Test func signingWithoutPostbacksHasANote() async throws {
    let run = try await ServiceProcess.run(["simulate", "-", "--reports", "-", "--sign"], input: Self.events(1))
    #expect(run.status == 0)
    #expect(run.message.contains("note      --sign has no effect: there are no postbacks"), "\(run.message)")
  }

  /// Arguments, in which `@` stands for a folder, and a part of the message.
  private static let wrong: [(String, String)] = [
    ("--reports @/a --losses @/a", "--reports and --losses name the same file; choose another one for either"),
    ("--reports - --html -", "--reports and --html name the same file"),
    ("--reports @/a --html @/b/../a", "--reports and --html name the same file"),
    ("--reports @/events", "--reports names the file of events; choose another one"),
    ("--reports @/missing/a", "/missing/a: No such file or directory; choose another file with --reports"),
    ("--reports @/a --html @", "Is a directory; choose another file with --html"),
    ("--reports @/a --losses @/b --html /dev/full", "cannot write /dev/full: No space left on device"),
  ]

  @Test(arguments: wrong)
  func anErrorLeavesNoFile(_ arguments: String, _ part: String) async throws {
    let folder = try TemporaryFolder()
    try Self.events(1).write(toFile: "\(folder.path)/events", atomically: true, encoding: .utf8)
    let options = arguments.replacing("@", with: folder.path).split(separator: " ").map(String.init)
    let run = try await ServiceProcess.run(["simulate", "\(folder.path)/events"] + options)
    #expect(run.status == 2 && run.output.isEmpty)
    #expect(run.message.contains(part), "\(run.message)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["events"])
  }

  /// Redirections of the shell, which becomes the command, with the status and the message. `@` stands for a folder.
  private static let ends: [(String, Int32, String)] = [
    ("head -c 1 <@/out >@/head", 2, "cannot write standard output: Broken pipe"),
    ("{ head -c 1 >@/head; kill -INT $$; cat >/dev/null; } <@/out", 130, ""),
    ("{ head -c 1 >@/head; kill -TERM $$; cat >/dev/null; } <@/out", 143, ""),
  ]

  @Test("A reader that ends, and a signal, leave no file", arguments: ends)
  func interruptions(_ reader: String, _ status: Int32, _ message: String) async throws {
    let folder = try TemporaryFolder()
    // The input has no end.
    let writer = """
      awk 'BEGIN { for (i = 0;; i++) for (k = 0; k < 2; k++) print i ",2026-11-20T1" k ":00:00Z," (k ? "trigger" : "click") \
      ",news.example,shop.example," (k ? ",3,1" : "7,,") }' >@/in 2>/dev/null
      """
    let steps = "</dev/null; mkfifo @/in @/out; \(writer) & \(reader) & exec <@/in >@/out"
    let run = try await ServiceProcess.run(
      ["simulate", "-", "--reports", "-", "--losses", "\(folder.path)/losses", "--html", "\(folder.path)/page"],
      redirection: steps.replacing("@", with: folder.path))
    #expect(run.status == status)
    #expect(message.isEmpty ? run.message.isEmpty : run.message.contains(message), "\(run.message)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["head", "in", "out"])
  }
}
