/// Finds functions by the layout that the formatter guarantees: a body ends on the first later line that has the
/// declaration's indentation and begins with a brace.
struct FunctionScanner {
  private let lines: [Substring]

  init(_ file: SourceFile) {
    lines = file.lines
  }

  /// In order of their first lines; a function within a function counts for both.
  var functions: [FunctionSpan] {
    lines.indices.compactMap { start in
      guard let name = FunctionScanner.declaredName(in: lines[start]), let last = lastLine(from: start) else { return nil }
      return FunctionSpan(name: name, firstLine: start + 1, lineCount: last - start + 1)
    }
  }

  /// Nil for a declaration without a body: a requirement of a protocol, a stored property.
  private func lastLine(from start: Int) -> Int? {
    let indentation = FunctionScanner.indentation(of: lines[start])
    for index in start..<lines.count {
      let code = codePart(of: lines[index]).trimmed
      let isAtStart = FunctionScanner.indentation(of: lines[index]) == indentation
      if index > start, !isSignature(code, isAtStart: isAtStart) { return nil }
      guard isAtStart else { continue }
      if code.hasSuffix("{") { return closingBrace(after: index, indentation: indentation) }
      if code.contains("{"), code.hasSuffix("}") { return index }
    }
    return nil
  }

  /// Whether a line behind the first may still belong to a declaration that is spread over several.
  private func isSignature(_ code: Substring, isAtStart: Bool) -> Bool {
    if code.isEmpty { return false }
    return !isAtStart || code.hasPrefix(")") || code.hasPrefix("where ") || code.hasPrefix("{")
  }

  private func closingBrace(after open: Int, indentation: Int) -> Int? {
    lines[(open + 1)...].firstIndex { line in
      FunctionScanner.indentation(of: line) == indentation && line.dropFirst(indentation).first == "}"
    }
  }

  private static func indentation(of line: Substring) -> Int {
    line.prefix { $0 == " " }.count
  }

  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private", "static", "class", "final", "override", "mutating",
    "nonmutating", "borrowing", "consuming", "nonisolated", "isolated", "convenience", "required", "lazy", "indirect",
    "prefix", "postfix", "infix", "unsafe", "safe",
  ]

  /// The keyword and the name of what a line declares, if it is something that may have a body to measure.
  private static func declaredName(in line: Substring) -> String? {
    var words = codePart(of: line).split(separator: " ")[...]
    words = words.drop { word in
      word.hasPrefix("@") || modifiers.contains(word.prefix { $0 != "(" })
    }
    guard let first = words.first else { return nil }
    let keyword = first.prefix { $0.isLetter }
    switch keyword {
    case "init", "deinit", "subscript": return String(keyword)
    case "func", "var":
      guard keyword == first, let name = words.dropFirst().first else { return nil }
      return "\(keyword) \(name.prefix { $0 != "(" && $0 != ":" && $0 != "<" })"
    default: return nil
    }
  }
}

extension Substring {
  /// Without the blanks at both ends.
  var trimmed: Substring {
    var rest = drop { $0 == " " }
    while rest.last == " " { rest.removeLast() }
    return rest
  }
}
