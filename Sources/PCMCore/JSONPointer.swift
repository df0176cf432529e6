/// Paths to a value within a JSON text (RFC 6901).
package enum JSONPointer {
  /// Returns the pointer to the value that these names and indices lead to.
  package static func text(_ names: some Sequence<String>) -> String {
    names.map { "/" + escaped($0) }.joined()
  }

  /// Returns a name as one step of a pointer.
  package static func escaped(_ name: String) -> String {
    name.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "~": escaped += "~0"
      case "/": escaped += "~1"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }

  /// Returns the names and indices of a pointer; nil for a text that is none.
  package static func names(of pointer: String) -> [String]? {
    guard pointer.isEmpty || pointer.unicodeScalars.first == "/" else { return nil }
    return pointer.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(unescaped)
  }

  private static func unescaped(_ step: Substring.UnicodeScalarView) -> String {
    var name = ""
    var rest = step
    while let scalar = rest.popFirst() {
      switch (scalar, rest.first) {
      case ("~", "0"), ("~", "1"): name.unicodeScalars.append(rest.removeFirst() == "0" ? "~" : "/")
      default: name.unicodeScalars.append(scalar)
      }
    }
    return name
  }
}
