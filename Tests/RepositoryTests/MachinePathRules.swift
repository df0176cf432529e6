import Foundation

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
/// any name; behind an option, an assignment, or `file:`, the path is absolute.
private func namesPath(_ needle: String, in line: Substring) -> Bool {
  line.ranges(of: needle).contains { range in
    let before = line[..<range.lowerBound]
    let start = before.lastIndex { " \t\"'`(=,:[<>|".contains($0) }
    let word = start.map { before[before.index(after: $0)...] } ?? before
    return word.isEmpty || word == "//" || word.hasPrefix("-")
  }
}
