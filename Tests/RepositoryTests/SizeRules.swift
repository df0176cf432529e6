/// How large a piece may be. House style, practice 12.
struct SizeLimits {
  var fileLines = 600
  /// What 95 of 100 files stay under.
  var maximumFileLines = 400
  var functionLines = 70
  /// What 95 of 100 functions stay under.
  var maximumFunctionLines = 50
}

/// A function, initializer, subscript or computed property with a body.
struct FunctionSpan: Hashable {
  /// As declared, without modifiers, up to its parameters: `func advance`, `init`, `var text`.
  let name: String
  let firstLine: Int
  let lineCount: Int
}

func fileSizeFindings(in files: [SourceFile], limits: SizeLimits) -> [Finding] {
  let sizes = files.map(\.lines.count)
  var found = files.filter { $0.lines.count > limits.fileLines }.map {
    Finding($0.path, rule: "file too long", "\($0.lines.count) lines, at most \(limits.fileLines)")
  }
  if let most = percentile95(of: sizes), most >= limits.maximumFileLines {
    found.append(Finding("all files", rule: "files too long in general", "95 of 100 are under \(most + 1) lines"))
  }
  return found
}

func functionSizeFindings(in files: [SourceFile], limits: SizeLimits) -> [Finding] {
  let spans = files.map { (path: $0.path, functions: FunctionScanner($0).functions) }
  var found = spans.flatMap { path, functions in
    functions.filter { $0.lineCount > limits.functionLines }.map {
      Finding("\(path): \($0.name)", line: $0.firstLine, rule: "function too long", "\($0.lineCount) lines")
    }
  }
  if let most = percentile95(of: spans.flatMap { $0.functions.map(\.lineCount) }), most >= limits.maximumFunctionLines {
    found.append(Finding("all functions", rule: "functions too long in general", "95 of 100 are under \(most + 1) lines"))
  }
  return found
}

/// The smallest number that 95 of 100 do not exceed; nil when there are none.
func percentile95(of numbers: [Int]) -> Int? {
  guard !numbers.isEmpty else { return nil }
  return numbers.sorted()[(numbers.count * 95 + 99) / 100 - 1]
}
