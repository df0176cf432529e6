import Testing

@Suite("scripts")
struct ScriptRulesTests {
  @Test("every script can be started and read")
  func tree() async throws {
    let repository = try await Repository()
    let scripts = repository.paths.filter { $0.hasPrefix("scripts/") || $0 == ".ci/run" }
    let files = try scripts.map(repository.file)
    #expect(Set(files.map(\.path)).isSuperset(of: ["scripts/demo", "scripts/test", ".ci/run"]))
    let found = try await scriptFindings(in: files, isExecutable: repository.isExecutable) { path in
      let run = try await runProgram(["bash", "-n", path], in: repository.root)
      return run.isSuccess ? nil : run.output
    }
    expectNone(found)
  }

  @Test("continuous integration runs the README's test command")
  func continuousIntegration() async throws {
    #expect(try await scriptsNamed(in: Repository().file(".ci/run").text).contains("scripts/test"))
  }

  static let good = ["#!/usr/bin/env bash", "set -euo pipefail"]

  @Test(
    "what is wrong with a script is found",
    arguments: [
      (good, false, nil, ["not executable"]), (["set -euo pipefail"], true, nil, ["no first line"]),
      (["#!/usr/bin/env bash"], true, nil, ["goes on after errors"]), (good, true, "line 3", ["not readable"]),
      (good, true, nil, []),
    ] as [([String], Bool, String?, [String])])
  func wrong(lines: [String], isExecutable: Bool, errors: String?, rules: [String]) async {
    let file = SourceFile("scripts/a", lines.joined(separator: "\n"))
    let found = await scriptFindings(in: [file], isExecutable: { _ in isExecutable }, syntaxErrors: { _ in errors })
    #expect(found.map(\.rule) == rules)
  }

  @Test("a file that other scripts read needs only to be readable")
  func library() async {
    let file = SourceFile("scripts/lib/a", "")
    let found = await scriptFindings(in: [file], isExecutable: { _ in false }, syntaxErrors: { _ in "line 1" })
    #expect(found.map(\.rule) == ["not readable"])
  }

  @Test("the shell's verdict on a broken script arrives")
  func brokenScript() async throws {
    let run = try await runProgram(["bash", "-n", "-c", "if true; then"], in: Repository().root)
    #expect(!run.isSuccess)
    #expect(!run.output.isEmpty)
  }
}
