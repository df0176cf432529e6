import Foundation

/// Words that may not stand in code.
struct WordRule {
  let name: String
  /// Exact text. A needle that begins or ends like an identifier is not found within a longer identifier.
  let needles: [String]
  /// Folders under the root.
  let folders: [String]
  /// Targets that may.
  var allowedTargets: Set<String> = []
  /// Whether a member of that name and its declaration are something else: a double may have its own `sleep`.
  var onlyBareCalls = false
  /// Which part of a line is read.
  var scope = Scope.code

  enum Scope {
    case code, comments, everything
    /// The comments, and the titles of tests.
    case prose
  }
}

func wordFindings(in files: [SourceFile], rules: [WordRule]) -> [Finding] {
  files.flatMap { file in
    rules.filter { $0.applies(to: file) }.flatMap { rule in
      rule.lines(in: file).map { Finding(file.path, line: $0.number, rule: rule.name, String($0.text.trimmed)) }
    }
  }
}

extension WordRule {
  func applies(to file: SourceFile) -> Bool {
    folders.contains(where: file.isUnder) && !allowedTargets.contains(file.target ?? "")
  }

  /// The whole text is searched first: nearly every file has none of the needles.
  fileprivate func lines(in file: SourceFile) -> [(number: Int, text: Substring)] {
    let present = needles.filter { file.text.range(of: $0) != nil }
    guard !present.isEmpty else { return [] }
    return file.lines.enumerated().compactMap { index, line in
      let text = part(of: line)
      return present.contains { contains($0, in: text) } ? (number: index + 1, text: line) : nil
    }
  }

  private func part(of line: Substring) -> Substring {
    switch scope {
    case .code: codePart(of: line)
    case .comments: line[codePart(of: line).endIndex...]
    case .everything: line
    case .prose: line.trimmed.hasPrefix("@Test(") ? line : line[codePart(of: line).endIndex...]
    }
  }

  private func contains(_ needle: String, in text: Substring) -> Bool {
    var rest = text
    while let range = rest.range(of: needle) {
      let before = range.lowerBound > text.startIndex ? text[text.index(before: range.lowerBound)] : " "
      let after = range.upperBound < text.endIndex ? text[range.upperBound] : " "
      let runsOn = { (inside: Character?, outside: Character) in inside?.isIdentifierPart == true && outside.isIdentifierPart }
      let isOther = onlyBareCalls && (before == "." || text[..<range.lowerBound].hasSuffix("func "))
      if !isOther, !runsOn(needle.first, before), !runsOn(needle.last, after) { return true }
      rest = rest[range.upperBound...]
    }
    return false
  }
}

/// Verbs that were made into nouns: a file that is called so says nothing about its contents.
func fileNameFindings(in files: [SourceFile]) -> [Finding] {
  let empty = ["Utils", "Utilities", "Helper", "Manager", "Common", "Shared", "Misc"]
  return files.compactMap { file in
    empty.first(where: file.name.contains).map { Finding(file.path, rule: "file name that says nothing", $0) }
  }
}

/// Variables that the whole program shares: stored variables that are `static` or stand at the top of a file.
func sharedVariableFindings(in files: [SourceFile]) -> [Finding] {
  files.flatMap { file in
    file.lines.enumerated().compactMap { index, line in
      isSharedVariable(line) ? Finding(file.path, line: index + 1, rule: "shared variable", String(line.trimmed)) : nil
    }
  }
}

private func isSharedVariable(_ line: Substring) -> Bool {
  let code = codePart(of: line)
  let words = code.split(separator: " ")
  guard let keyword = words.firstIndex(of: "var") else { return false }
  let access: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private", "nonisolated", "nonisolated(unsafe)",
  ]
  let prefix = words[..<keyword].filter { !$0.hasPrefix("@") && !access.contains($0) }
  let isTopLevel = !line.hasPrefix(" ") && prefix.isEmpty
  guard isTopLevel || prefix == ["static"] else { return false }
  guard let brace = code.firstIndex(of: "{") else { return true }
  return code[..<brace].contains(" = ")
}
