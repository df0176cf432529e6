/// The declarations of `Package.swift`, read from its text: asking the package manager would need its lock, which the test
/// run holds.
struct Manifest {
  struct Target: Hashable {
    let name: String
    /// Names of sibling targets and of products.
    let dependencies: Set<String>
  }

  /// Library, executable, test and system targets, in no particular order.
  let targets: [Target]

  init(text: String) {
    let code = text.split(separator: "\n").map(codePart).joined(separator: "\n")
    let products = Manifest.productNames(in: code)
    let declarations = [".target(", ".testTarget(", ".executableTarget(", ".systemLibrary("]
    let labelled = declarations.flatMap { Manifest.arguments(ofEach: $0, in: code) }.map { arguments in
      let list = arguments.ranges(of: "dependencies:").first.map { arguments[$0.upperBound...] } ?? ""
      return Manifest.target(arguments, dependencies: list, products: products)
    }
    let short = Manifest.shorthands(in: code).flatMap { Manifest.arguments(ofEach: $0, in: code) }.map { arguments in
      Manifest.target(arguments, dependencies: arguments, products: products)
    }
    targets = labelled + short
  }

  /// The manifest's own functions that make a target from a name and a list of dependencies: `func pcm(_ name: String`.
  private static func shorthands(in code: String) -> [String] {
    code.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("func "), let end = line.ranges(of: "(_ name: String").first else { return nil }
      return line[..<end.lowerBound].dropFirst(5) + "("
    }
  }

  private static func target(_ arguments: Substring, dependencies list: Substring, products: [String: String]) -> Target {
    let target = firstLiteral(in: arguments) ?? ""
    guard let open = list.firstIndex(of: "["), let close = list[open...].firstIndex(of: "]") else {
      return Target(name: target, dependencies: [])
    }
    let items = list[list.index(after: open)..<close].split(separator: ",").map { $0.filter { !$0.isWhitespace } }
    let names = items.filter { !$0.isEmpty }.map { item in
      item.hasPrefix(".") ? products[String(item.dropFirst()), default: item] : item.filter { $0 != "\"" }
    }
    return Target(name: target, dependencies: Set(names))
  }

  /// `static let grdb = product(name: "GRDB", package: "GRDB.swift")`: `grdb` stands for `GRDB`.
  private static func productNames(in code: String) -> [String: String] {
    var names: [String: String] = [:]
    for line in code.split(separator: "\n") where line.contains("= product(name:") {
      let words = line.split(separator: " ")
      guard words.count > 2, let name = firstLiteral(in: line) else { continue }
      names[String(words[2])] = name
    }
    return names
  }

  /// The text between the parentheses of each call that begins with a literal name.
  private static func arguments(ofEach call: String, in code: String) -> [Substring] {
    code.ranges(of: call).compactMap { range in
      if range.lowerBound > code.startIndex, code[code.index(before: range.lowerBound)].isIdentifierPart { return nil }
      let inside = code[range.upperBound...]
      guard let end = closingParenthesis(in: inside) else { return nil }
      let arguments = inside[..<end]
      let start = arguments.drop { $0.isWhitespace }
      return start.hasPrefix("\"") || start.hasPrefix("name: \"") ? arguments : nil
    }
  }

  private static func closingParenthesis(in text: Substring) -> Substring.Index? {
    var depth = 0
    for index in text.indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" {
        if depth == 0 { return index }
        depth -= 1
      }
    }
    return nil
  }

  private static func firstLiteral(in text: Substring) -> String? {
    let parts = text.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3 ? String(parts[1]) : nil
  }
}

extension Character {
  /// Letters, digits and the underscore: the characters of an identifier.
  var isIdentifierPart: Bool { isLetter || isNumber || self == "_" }
}
