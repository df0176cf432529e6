/// A text file of the repository.
struct SourceFile {
  /// Relative to the root, with slashes.
  let path: String
  let text: String

  init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
  }

  var name: String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// The path in its package. The package of the client is `clients/swift`.
  private var pathInPackage: Substring { path.hasPrefix("clients/swift/") ? path.dropFirst("clients/swift/".count) : path[...] }

  /// The folder under `Sources` or `Tests` that the file belongs to.
  var target: String? {
    let parts = pathInPackage.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : nil
  }

  var isSwift: Bool { path.hasSuffix(".swift") }

  /// Whether the file is in a folder of the repository, or of its package.
  func isUnder(_ folder: String) -> Bool { path.hasPrefix(folder + "/") || pathInPackage.hasPrefix(folder + "/") }

  /// Without the empty piece behind the last line break.
  var lines: [Substring] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.last == "" ? lines.dropLast() : lines
  }

  /// Whether there is anything except comments and blank lines.
  var hasCode: Bool {
    lines.contains { line in
      let code = line.drop { $0 == " " }
      return !code.isEmpty && !code.hasPrefix("//")
    }
  }
}

/// The part of a line before its comment. Slashes within a string literal that starts on the line are no comment.
func codePart(of line: Substring) -> Substring {
  guard line.utf8.contains(UInt8(ascii: "/")) else { return line }
  let bytes = line.utf8
  var (inString, escaped) = (false, false)
  var previous: UInt8 = 0
  for index in bytes.indices {
    let byte = bytes[index]
    if inString {
      if byte == UInt8(ascii: "\""), !escaped { inString = false }
      escaped = byte == UInt8(ascii: "\\") && !escaped
    } else if byte == UInt8(ascii: "\"") {
      inString = true
    } else if byte == UInt8(ascii: "/"), previous == byte {
      return line[..<bytes.index(before: index)]
    }
    previous = byte
  }
  return line
}

extension Substring {
  /// Without the blanks at both ends.
  var trimmed: Substring {
    var rest = drop { $0 == " " }
    while rest.last == " " { rest.removeLast() }
    return rest
  }
}
