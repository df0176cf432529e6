import Foundation

/// Targets that the code map leaves out.
func codeMapFindings(map: SourceFile, targets: Set<String>) -> [Finding] {
  let words = Set(map.text.split { !$0.isIdentifierPart && $0 != "-" })
  return targets.filter { !words.contains(Substring($0)) }.map { Finding(map.path, rule: "target not named", $0) }
}

/// The names of the test functions in Python files, such as `check_download`.
func pythonTests(in files: [SourceFile]) -> Set<String> {
  let names = files.flatMap(\.lines).compactMap { line -> String? in
    guard ["def check_", "def test_"].contains(where: { line.hasPrefix($0) }) else { return nil }
    return String(line.dropFirst("def ".count).prefix { $0 != "(" })
  }
  return Set(names)
}

/// Limits in the document's tables without an existing test. The last cell of each row names tests.
///
/// - Parameter tests: The files of Swift tests without their extension, and the test functions in Python.
func limitFindings(document: SourceFile, tests: Set<String>) -> [Finding] {
  document.lines.enumerated().flatMap { index, line -> [Finding] in
    let cells = line.split(separator: "|").map { $0.trimmingPrefix(while: \.isWhitespace) }
    guard cells.count == 4, !cells[0].hasPrefix("---"), !cells[0].hasPrefix("What ") else { return [] }
    let names = cells[3].split(separator: "`").filter { $0.contains(where: \.isLetter) }.map(String.init)
    guard !names.isEmpty else {
      return [Finding(document.path, line: index + 1, rule: "limit without a test", String(cells[0]))]
    }
    return names.filter { !tests.contains($0) }.map {
      Finding(document.path, line: index + 1, rule: "test missing", $0)
    }
  }
}

/// Differences between browsers whose last cell names neither an existing case of the matrix nor *unknown*.
///
/// - Parameter matrix: The Python files with the cases, each a call with the name of the case first.
func caseFindings(document: SourceFile, matrix: [SourceFile]) -> [Finding] {
  let texts = matrix.map(\.text)
  return document.lines.enumerated().flatMap { index, line -> [Finding] in
    let cells = line.split(separator: "|").map { $0.trimmingPrefix(while: \.isWhitespace) }
    guard cells.count == 5, !cells[0].hasPrefix("---"), !cells[0].hasPrefix("Subject ") else { return [] }
    let names = cells[4].split(whereSeparator: { "` ".contains($0) }).map(String.init)
    return (names == ["unknown"] ? [] : names).filter { name in
      // A row of `policy` has the name without this prefix.
      let calls = ["(\"\(name)\","] + (name.hasPrefix("policy-") ? ["policy(\"\(name.dropFirst("policy-".count))\","] : [])
      return !texts.contains { text in calls.contains(where: text.contains) }
    }.map {
      Finding(document.path, line: index + 1, rule: "case missing", $0)
    } + (names.isEmpty ? [Finding(document.path, line: index + 1, rule: "difference without a case", String(cells[0]))] : [])
  }
}

/// The scripts that a text tells people to run.
func scriptsNamed(in text: String) -> Set<String> {
  let words = text.split { !($0.isIdentifierPart || "-./".contains($0)) }
  return Set(
    words.compactMap { word in
      var path = word.hasPrefix("./") ? word.dropFirst(2) : word
      while let last = path.last, ".-/".contains(last) { path.removeLast() }
      return path.hasPrefix("scripts/") || path == ".ci/run" ? String(path) : nil
    })
}

/// Scripts that a text names and that are not there, or not to be run.
func namedScriptFindings(readme: String, isExecutable: (String) -> Bool) -> [Finding] {
  scriptsNamed(in: readme).filter { !isExecutable($0) }.map {
    Finding("README.md", rule: "script missing or not executable", $0)
  }
}

/// Absolute paths that exist on one machine only. Built from pieces, or this file would be found.
private let machineFolders = [["work"], ["farm"], ["opt", "swift-packages"], ["root"], ["home"]]

func machinePathFindings(in files: [SourceFile]) -> [Finding] {
  let needles = machineFolders.map { "/" + $0.joined(separator: "/") + "/" }
  return files.flatMap { file in
    let present = needles.filter { file.text.range(of: $0) != nil }
    guard !present.isEmpty else { return [Finding]() }
    return file.lines.enumerated().flatMap { index, line in
      present.filter { namesPath($0, in: line) }.map { Finding(file.path, line: index + 1, rule: "path of one machine", $0) }
    }
  }
}

/// Whether an absolute path begins here. Within an address (`https://example.org`) or a relative path, a folder may have
/// any name; behind an option, an assignment or `file:` it is what is searched for.
private func namesPath(_ needle: String, in line: Substring) -> Bool {
  line.ranges(of: needle).contains { range in
    let before = line[..<range.lowerBound]
    let start = before.lastIndex { " \t\"'`(=,:[<>|".contains($0) }
    let word = start.map { before[before.index(after: $0)...] } ?? before
    return word.isEmpty || word == "//" || word.hasPrefix("-")
  }
}
