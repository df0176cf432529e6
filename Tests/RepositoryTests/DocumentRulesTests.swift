import Testing

@Suite("documents")
struct DocumentRulesTests {
  @Test("the code map names every target")
  func codeMapOfTheTree() async throws {
    let repository = try await Repository()
    let map = try repository.file("Sources/PCMApp/Documentation.docc/Architecture.md")
    let targets = Set(repository.paths.map { SourceFile($0, "") }.filter { $0.isUnder("Sources") }.compactMap(\.target))
    #expect(targets.contains("PCMCore"))
    expectNone(codeMapFindings(map: map, targets: targets))
  }

  @Test("the README is short, names the two commands, and each script that it names is there")
  func readme() async throws {
    let repository = try await Repository()
    let readme = try repository.file("README.md")
    #expect(readme.lines.count <= 150)
    expectNone(namedScriptFindings(readme: readme.text, isExecutable: repository.isExecutable))
    #expect(scriptsNamed(in: readme.text).isSuperset(of: ["scripts/demo", "scripts/test"]))
  }

  @Test("each limit in the documentation names its tests")
  func limits() async throws {
    let repository = try await Repository()
    let document = try repository.file("Sources/PCMApp/Documentation.docc/Limits.md")
    #expect(document.lines.count { $0.hasPrefix("| ") } > 40)
    let files = repository.paths.filter { $0.hasPrefix("Tests/") && $0.hasSuffix(".swift") }
    let names = Set(files.compactMap { $0.split(separator: "/").last }.map { String($0.dropLast(".swift".count)) })
    let scripts = try repository.paths.filter { path in
      path.hasSuffix(".py") && ["Tests/Pages/", "Tests/Resilience/"].contains { path.hasPrefix($0) }
    }.map(repository.file)
    expectNone(limitFindings(document: document, tests: names.union(pythonTests(in: scripts))))
  }

  @Test("the test functions of a Python file are its checks and tests, but not other functions or calls")
  func pythonFunctions() {
    let text = "def check_one(visit):\n    check_two(visit)\n    def check_three():\n\ndef test_four():\ndef run():\n"
    let file = SourceFile("Tests/Pages/x.py", text)
    #expect(pythonTests(in: [file]) == ["check_one", "test_four"])
  }

  @Test("a limit without a test, and one with a test that is not there, are found")
  func untestedLimits() {
    let text =
      "| What | Limit | Then | Tests |\n| --- | --- | --- | --- |\n| A | 1 | x | `Here` |\n| B | 2 | y | |\n| C | 3 | z | `Gone` |"
    let found = limitFindings(document: SourceFile("Limits.md", text), tests: ["Here"])
    #expect(
      found == [
        Finding("Limits.md", line: 4, rule: "limit without a test", "B "),
        Finding("Limits.md", line: 5, rule: "test missing", "Gone"),
      ])
  }

  @Test("each difference between Chromium and Safari names its cases")
  func cases() async throws {
    let repository = try await Repository()
    let document = try repository.file("Sources/PCMApp/Documentation.docc/DifferencesFromSafari.md")
    let matrix = try ["clicks", "gestures", "pixels"].map { "Tests/Attachments/\($0).py" }.map(repository.file)
    #expect(document.lines.count { $0.hasPrefix("| ") } > 20)
    expectNone(caseFindings(document: document, matrix: matrix))
  }

  @Test("a difference without a case, and one with a case that is not there, are found")
  func missingCases() {
    let matrix = SourceFile("clicks.py", "row(\"here\", 1)")
    let text = "| A | x | y | z | `here` |\n| B | x | y | z | unknown |\n| C | x | y | z | |\n| D | x | y | z | `here` `gone` |"
    #expect(
      caseFindings(document: SourceFile("D.md", text), matrix: [matrix]) == [
        Finding("D.md", line: 3, rule: "difference without a case", "C "),
        Finding("D.md", line: 4, rule: "case missing", "gone"),
      ])
  }

  @Test("no file names a path of one machine")
  func machinePaths() async throws {
    let files = try await Repository().textFiles()
    #expect(files.count > 20)
    let found = machinePathFindings(in: files)
    expectNone(found)
  }

  @Test("a target that the code map leaves out is found, also when a longer name holds its own")
  func codeMap() {
    let map = SourceFile("Map.md", "* `PCMStoreSQLite/` keeps; `pcm-browser` starts")
    let found = codeMapFindings(map: map, targets: ["PCMStore", "PCMStoreSQLite", "pcm-browser"])
    #expect(found == [Finding("Map.md", rule: "target not named", "PCMStore")])
  }

  @Test("scripts are recognised in prose and in commands")
  func scripts() {
    let text = "Run `scripts/test`, then ./scripts/update-public-suffix-list. CI runs .ci/run; see Sources/scripts/no."
    #expect(scriptsNamed(in: text) == ["scripts/test", "scripts/update-public-suffix-list", ".ci/run"])
  }

  @Test("a named script that cannot be run is found")
  func missingScript() {
    let found = namedScriptFindings(readme: "scripts/test scripts/gone", isExecutable: { $0 == "scripts/test" })
    #expect(found == [Finding("README.md", rule: "script missing or not executable", "scripts/gone")])
  }

  @Test(
    "a path of one machine is found at the start, in quotes and behind an option",
    arguments: ["", "\"", "-I", "=", "(", "file://"])
  func machinePath(before: String) {
    for folder in ["work", "farm", "root", "home"] {
      let file = SourceFile("README.md", "fine\n\(before)/\(folder)/main\n")
      let found = machinePathFindings(in: [file])
      #expect(found == [Finding("README.md", line: 2, rule: "path of one machine", "/\(folder)/")], "\(folder)")
    }
  }

  @Test("a folder of that name elsewhere is not", arguments: ["https://example.org", "Sources", "${HOME}", ".."])
  func otherPath(before: String) {
    #expect(machinePathFindings(in: [SourceFile("README.md", "\(before)/" + "work/main")]).isEmpty)
  }
}
