import Testing

@Suite("words")
struct WordRulesTests {
  /// The rules and their samples are in this target, so the search omits it.
  private func filesToSearch() async throws -> [SourceFile] {
    let repository = try await Repository()
    let tests = try repository.swiftFiles(under: "Tests").filter { $0.target != "RepositoryTests" }
    return try repository.swiftFiles(under: "Sources") + tests
  }

  @Test("no forbidden word stands in the code")
  func tree() async throws {
    let files = try await filesToSearch()
    #expect(files.count > 10)
    let sources = files.filter { $0.isUnder("Sources") }
    let found = findings(
      wordFindings(in: files, rules: wordRules) + sharedVariableFindings(in: sources), accepting: wordExceptions)
    expectNone(found)
  }

  @Test("every file name describes the contents of the file")
  func fileNames() async throws {
    let repository = try await Repository()
    let files = try repository.swiftFiles(under: "Sources") + repository.swiftFiles(under: "Tests")
    let found = fileNameFindings(in: files)
    expectNone(found)
  }

  /// A piece of code for each needle of each rule, made from the needle itself.
  static let needles = wordRules.flatMap { rule in rule.needles.map { (rule.name, $0) } }

  @Test("every needle of every rule is found where its rule holds", arguments: needles)
  func found(name: String, needle: String) throws {
    let rule = try #require(wordRules.first { $0.name == name })
    let folder = try #require(rule.folders.first)
    let line = [.comments, .prose].contains(rule.scope) ? "/// a \(needle) b" : "let a = \(needle) b"
    let file = SourceFile("\(folder)/PCMCore/A.swift", "import A\n\(line)\n")
    let expected = Finding(file.path, line: 2, rule: name, line)
    #expect(wordFindings(in: [file], rules: [rule]) == [expected])
  }

  @Test("a word within a longer one, in a comment or in an allowed target is not found")
  func notFound() throws {
    let rule = try #require(wordRules.first { $0.name == "reads the time" })
    let text = "let a = lastDate()\n// Date() is forbidden\nlet b = Date.nowhere\nlet c = \"\\\"//\"  // Date()\n"
    #expect(wordFindings(in: [SourceFile("Sources/PCMCore/A.swift", text)], rules: [rule]).isEmpty)
    #expect(wordFindings(in: [SourceFile("Sources/PCMApp/A.swift", "let a = Date()")], rules: [rule]).isEmpty)
  }

  @Test("a word behind an address in quotes, and one behind a longer word, is found")
  func foundLater() throws {
    let rule = try #require(wordRules.first { $0.name == "reads the time" })
    for line in ["f(\"https://a.example\", Date())", "lastDate(); Date()"] {
      #expect(wordFindings(in: [SourceFile("Sources/PCMCore/A.swift", line)], rules: [rule]).count == 1, "\(line)")
    }
  }

  @Test(
    "a double's own sleep is not the C library's", arguments: ["func sleep(until: Instant) {", "await clock.sleep(until: now)"])
  func ownSleep(line: String) {
    #expect(wordFindings(in: [SourceFile("Tests/PCMCoreTests/A.swift", line)], rules: wordRules).isEmpty)
  }

  @Test("unfinished work is found in comments")
  func comments() {
    let file = SourceFile("Sources/PCMCore/A.swift", "// TO" + "DO later\n")
    #expect(wordFindings(in: [file], rules: wordRules).map(\.rule) == ["unfinished"])
  }

  @Test(
    "an escaped apostrophe is found in comments and not in code",
    arguments: [
      ("/// A service\\'s answer.", true), ("let a = 1  // a service\\'s", true), (#"let a = "'\\''"  // a shell's"#, false),
      ("/// A service's answer.", false),
    ])
  func escapedApostrophe(line: String, isFound: Bool) {
    let found = wordFindings(in: [SourceFile("Sources/A/A.swift", line)], rules: wordRules)
    #expect(found.map(\.rule) == (isFound ? ["escaped apostrophe in a comment"] : []))
  }

  @Test(
    "words that documentation avoids are found in comments and in titles of tests",
    arguments: [
      ("/// A clock that nobody sets.", true), ("  @Test(\"A browser is told\")", true), ("  // Each call hears of it.", true),
      ("/// What a call needs.", true), ("/// A row, or one that waits.", true),
      ("let told = 1", false), ("/// A nobodyElse.", false), ("let a = \"nobody\"  // a name", false),
    ])
  func avoidedWord(line: String, isFound: Bool) {
    #expect(wordFindings(in: [SourceFile("Tests/A/A.swift", line)], rules: wordRules).isEmpty != isFound)
  }

  @Test(
    "stored variables that the program shares are found",
    arguments: [
      "  static var count = 0", "  private static var count: Int", "var count = 0", "nonisolated(unsafe) var count = 0",
      "  @TaskLocal static var name: String?", "  static var makers: () -> Int = { 1 }",
    ])
  func sharedVariable(line: String) {
    let found = sharedVariableFindings(in: [SourceFile("Sources/A/A.swift", line)])
    #expect(found.map(\.rule) == ["shared variable"])
  }

  @Test(
    "computed and local variables are not",
    arguments: [
      "  static var zero: Int { 0 }", "  static var zero: Int {", "  var count = 0", "// var count = 0", "  static let a = 0",
    ])
  func ownVariable(line: String) {
    #expect(sharedVariableFindings(in: [SourceFile("Sources/A/A.swift", line)]).isEmpty)
  }

  @Test(
    "file names that say nothing are found", arguments: ["StringUtils", "TestHelpers", "ClockManager", "Common", "Shared+URL"])
  func emptyFileName(name: String) {
    #expect(fileNameFindings(in: [SourceFile("Sources/A/\(name).swift", "")]).count == 1)
    #expect(fileNameFindings(in: [SourceFile("Sources/\(name)/Clock.swift", "")]).isEmpty)
  }
}
