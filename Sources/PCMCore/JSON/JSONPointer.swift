/// JSON Pointer: paths to values in JSON (RFC 6901).
package enum JSONPointer {
  /// Returns the pointer that consists of these names and indices.
  package static func text(_ names: some Sequence<String>) -> String {
    names.map { "/" + escaped($0) }.joined()
  }

  /// Returns a name escaped as a reference token.
  package static func escaped(_ name: String) -> String {
    name.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "~": escaped += "~0"
      case "/": escaped += "~1"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }

  /// Returns the names and indices of a pointer, or nil when the text is not a pointer.
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
