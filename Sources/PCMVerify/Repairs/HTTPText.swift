internal import PCMCore
internal import PCMCrypto

/// An HTTP message as text from a tool or proxy: an optional first line, header lines, and a body.
struct HTTPText {
  /// The body. Without a body, the token of `Authorization` or the query of the request.
  let content: String

  /// Returns nil for other texts.
  init?(_ text: String) {
    var lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
    // The prefixes of `curl -v` for sent and received lines.
    if let mark = [">", "<"].first(where: { lines.first?.hasPrefix("\($0) ") == true }) {
      lines = lines.filter { !$0.hasPrefix("* ") }.map {
        $0.hasPrefix(mark) ? $0.dropFirst($0.hasPrefix(mark + " ") ? 2 : 1) : $0
      }
    }
    let start = lines.first.flatMap(Self.target)
    let head = lines.dropFirst(start == nil ? 0 : 1).prefix { Self.header($0) != nil }
    guard start != nil || !head.isEmpty else { return nil }
    let body = lines[head.endIndex...].joined(separator: "\n").trimmed
    // A line of a form can look like a header.
    guard start != nil || lines.dropFirst(head.count).first.map({ $0.trimmedText.isEmpty || $0.hasPrefix("{") }) ?? true else {
      return nil
    }
    let credentials = head.compactMap(Self.header).first { $0.name == "authorization" }?.value.split(separator: " ")
    let query = start?.split(separator: "?", maxSplits: 1).dropFirst().first
    let token = credentials.flatMap { $0.count > 1 ? $0.last : nil }
    guard let content = body.isEmpty ? (token ?? query).map(String.init) : body else { return nil }
    self.content = content
  }

  /// Returns the target of a request line, or a status line; nil for other lines.
  private static func target(_ line: Substring) -> Substring? {
    if line.hasPrefix("HTTP/") { return line }
    let words = line.split(separator: " ")
    guard (2...3).contains(words.count), words[0].utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
      ["/", "http"].contains(where: words[1].hasPrefix), words.count < 3 || words[2].hasPrefix("HTTP/")
    else { return nil }
    return words[1]
  }

  /// Returns the parts of a header line or an HTTP/2 pseudo-header, with the name in lower case.
  private static func header(_ line: Substring) -> (name: String, value: Substring)? {
    let parts = (line.hasPrefix(":") ? line.dropFirst() : line).split(separator: ":", maxSplits: 1)
    guard parts.count == 2, !parts[0].isEmpty,
      parts[0].unicodeScalars.allSatisfy({ $0.isASCII && ($0.properties.isAlphabetic || $0 == "-" || ("0"..."9").contains($0)) }
      )
    else { return nil }
    return (parts[0].lowercased(), parts[1].drop { $0 == " " })
  }
}

extension Substring {
  fileprivate var trimmedText: String { String(self).trimmed }
}

/// An HTML form, or the query of a URL.
enum FormText {
  /// The maximum number of parameters. A postback has some fifteen members.
  private static let limit = 64

  /// Returns the parameters with their names; nil for other texts.
  static func parameters(of text: String) -> [FormQuery.Parameter]? {
    guard let first = text.unicodeScalars.first, !"{[<\"'".unicodeScalars.contains(first), text.utf8.contains(UInt8(ascii: "="))
    else { return nil }
    let query = text.split(separator: "?", maxSplits: 1).last.map(String.init) ?? text
    let parameters = FormQuery.parameters(of: query.trimmed)
    guard parameters.count <= limit, parameters.allSatisfy({ isName($0.name) }) else { return nil }
    return parameters
  }

  private static func isName(_ name: String) -> Bool {
    (1...60).contains(name.utf8.count)
      && name.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_.[]".unicodeScalars.contains($0))
      }
  }
}
