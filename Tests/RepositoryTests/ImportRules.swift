/// A line that imports a module.
struct ImportLine: Hashable {
  let line: Int
  let module: String
}

extension SourceFile {
  /// Every import, whatever its access level, its attributes or the condition around it.
  var imports: [ImportLine] {
    lines.enumerated().compactMap { index, text in
      let words = codePart(of: text).split(whereSeparator: { $0 == " " || $0 == ";" })
      guard let keyword = words.firstIndex(of: "import"), words[..<keyword].allSatisfy(isImportPrefix) else { return nil }
      let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor"]
      let rest = words[(keyword + 1)...].drop(while: kinds.contains)
      guard let module = rest.first?.split(separator: ".").first else { return nil }
      return ImportLine(line: index + 1, module: String(module))
    }
  }

  private func isImportPrefix(_ word: Substring) -> Bool {
    word.hasPrefix("@") || ["public", "package", "internal", "fileprivate", "private"].contains(word)
  }
}

/// Imports that the table does not allow, unused allowances, and targets without a row.
func importFindings(in files: [SourceFile], allowing table: [ImportAllowance]) -> [Finding] {
  let allowances = Dictionary(uniqueKeysWithValues: table.map { ($0.target, $0) })
  let filesByTarget = Dictionary(grouping: files.filter { $0.target != nil }, by: { $0.target ?? "" })
  return filesByTarget.flatMap { target, files -> [Finding] in
    guard let allowance = allowances[target] else { return [Finding("Sources/\(target)", rule: "no row in the import table")] }
    return forbiddenImports(in: files, allowance) + unusedAllowances(in: files, allowance)
  }
}

private func forbiddenImports(in files: [SourceFile], _ allowance: ImportAllowance) -> [Finding] {
  files.flatMap { file in
    file.imports.filter { !allowance.all.contains($0.module) }.map {
      Finding(file.path, line: $0.line, rule: "forbidden import", $0.module)
    }
  }
}

/// A target that is still empty may have its allowances ahead of its code.
private func unusedAllowances(in files: [SourceFile], _ allowance: ImportAllowance) -> [Finding] {
  guard files.contains(where: \.hasCode) else { return [] }
  let used = Set(files.flatMap { $0.imports.map(\.module) })
  return allowance.all.subtracting(used).map {
    Finding("Sources/\(allowance.target)", rule: "unused allowed import", $0)
  }
}

/// The differences between the table and the manifest: dependencies and targets that are in only one of the two.
/// Only the named targets count: targets written in Swift.
func manifestFindings(_ manifest: Manifest, allowing table: [ImportAllowance], targets: Set<String>) -> [Finding] {
  let dependencies = Dictionary(uniqueKeysWithValues: manifest.targets.map { ($0.name, $0.dependencies) })
  let allowed = Dictionary(uniqueKeysWithValues: table.map { ($0.target, $0.siblings.union($0.products)) })
  return targets.union(allowed.keys).flatMap { target -> [Finding] in
    guard let declared = dependencies[target] else { return [Finding("Package.swift", rule: "not in the manifest", target)] }
    guard let allowed = allowed[target] else { return [Finding("Package.swift", rule: "no row in the import table", target)] }
    return declared.subtracting(allowed).map { Finding("Package.swift", rule: "not in the import table", "\(target): \($0)") }
      + allowed.subtracting(declared).map { Finding("Package.swift", rule: "not in the manifest", "\(target): \($0)") }
  }
}
