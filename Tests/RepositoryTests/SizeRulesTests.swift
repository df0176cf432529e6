import Testing

@Suite("sizes")
struct SizeRulesTests {
  @Test("files and functions are as short as the house wants them", arguments: ["Sources", "Tests"])
  func tree(folder: String) async throws {
    let files = try await Repository().swiftFiles(under: folder)
    #expect(!files.isEmpty)
    let limits = SizeLimits()
    let exceptions = sizeExceptions.filter { SourceFile($0.path, "").isUnder(folder) }
    let all = fileSizeFindings(in: files, limits: limits) + functionSizeFindings(in: files, limits: limits)
    let found = findings(all, accepting: exceptions)
    expectNone(found)
  }

  @Test("every exception says where and why")
  func exceptions() {
    for exception in sizeExceptions + wordExceptions {
      let file = SourceFile(exception.path, "")
      #expect(file.isUnder("Sources") || file.isUnder("Tests"), "\(exception.path)")
      #expect(exception.reason.count > 20, "\(exception.path)")
    }
  }

  @Test("a file over the ceiling is found, one at the ceiling is not")
  func fileCeiling() {
    let limits = SizeLimits(fileLines: 3, maximumFileLines: 100)
    let atCeiling = SourceFile("Sources/A/At.swift", "a\nb\nc\n")
    let over = SourceFile("Sources/A/Over.swift", "a\nb\nc\nd\n")
    let found = fileSizeFindings(in: [atCeiling, over], limits: limits)
    #expect(found == [Finding("Sources/A/Over.swift", rule: "file too long", "4 lines, at most 3")])
  }

  @Test("files that are long in general are found, though none is over the ceiling")
  func filePercentile() {
    let files = (1...20).map { SourceFile("Sources/A/\($0).swift", String(repeating: "a\n", count: $0 < 3 ? 5 : 1)) }
    #expect(fileSizeFindings(in: files, limits: SizeLimits(maximumFileLines: 5)).map(\.rule) == ["files too long in general"])
    #expect(fileSizeFindings(in: files, limits: SizeLimits(maximumFileLines: 6)).isEmpty)
  }

  @Test("the 95th percentile is the smallest number that 95 of 100 do not exceed")
  func percentile() {
    #expect(percentile95(of: []) == nil)
    #expect(percentile95(of: [7]) == 7)
    #expect(percentile95(of: Array((1...100).reversed())) == 95)
    #expect(percentile95(of: Array(1...20)) == 19)
  }

  static let sample = """
    package struct Sample {
      var stored = 1
      let closure = {
        1
      }
      var computed: Int { 2 }
      package var text: String {
        if stored > 1 {
          "many"
        } else {
          "one"
        }
      }
      @discardableResult
      private mutating func spread(
        over lines: [Int]
      ) -> Int
      where Sample: Sendable {
        func inner() {
          stored += 1
        }
        return lines.count
      }
      init?(text: String) {
        stored = 0
      }
      func apart() -> Int
        throws
      {
        stored
      }
    }
    protocol Kept {
      func kept() async throws -> Int
      var all: Int { get }
    }
    """

  @Test("functions are measured from their declaration to their closing brace")
  func measuring() {
    let found = FunctionScanner(SourceFile("Sources/A/Sample.swift", Self.sample)).functions
    #expect(
      found == [
        FunctionSpan(name: "var computed", firstLine: 6, lineCount: 1),
        FunctionSpan(name: "var text", firstLine: 7, lineCount: 7),
        FunctionSpan(name: "func spread", firstLine: 15, lineCount: 9),
        FunctionSpan(name: "func inner", firstLine: 19, lineCount: 3),
        FunctionSpan(name: "init", firstLine: 24, lineCount: 3),
        FunctionSpan(name: "func apart", firstLine: 27, lineCount: 5),
        FunctionSpan(name: "var all", firstLine: 35, lineCount: 1),
      ])
  }

  @Test("a function over the ceiling is found, one at the ceiling is not")
  func functionCeiling() {
    let files = [SourceFile("Sources/A/Sample.swift", Self.sample)]
    let limits = SizeLimits(functionLines: 7, maximumFunctionLines: 100)
    let found = functionSizeFindings(in: files, limits: limits)
    #expect(found == [Finding("Sources/A/Sample.swift: func spread", line: 15, rule: "function too long", "9 lines")])
  }

  @Test("functions that are long in general are found")
  func functionPercentile() {
    let files = [SourceFile("Sources/A/Sample.swift", Self.sample)]
    let limits = SizeLimits(maximumFunctionLines: 9)
    #expect(functionSizeFindings(in: files, limits: limits).map(\.rule) == ["functions too long in general"])
  }

  @Test("an exception hides its own breach and no other, and is found when it hides none")
  func accepting() {
    let found = [Finding("Sources/A.swift", rule: "file too long"), Finding("Sources/B.swift", rule: "file too long")]
    let exceptions = [
      AcceptedBreach(path: "Sources/A.swift", rule: "file too long", reason: "generated"),
      AcceptedBreach(path: "Sources/B.swift", rule: "function too long", reason: "was once"),
    ]
    let open = findings(found, accepting: exceptions)
    #expect(
      open == [
        Finding("Sources/B.swift", rule: "file too long"),
        Finding("Sources/B.swift", rule: "exception no longer needed", "function too long"),
      ])
  }
}
