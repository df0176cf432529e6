import Testing

@Suite("paths of one machine")
struct MachinePathTests {
  @Test("no file names a path of one machine")
  func machinePaths() async throws {
    let files = try await Repository().textFiles()
    #expect(files.count > 20)
    let found = machinePathFindings(in: files)
    expectNone(found)
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
