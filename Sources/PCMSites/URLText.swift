import PCMCore

/// The text of a URL, cleaned and cut into pieces the way a browser does it before it looks at the host.
///
/// libcurl reads RFC 3986 where browsers read the URL Standard. Whatever the two see differently is settled here, so that
/// libcurl is handed a text with one meaning: `\` and missing or surplus slashes, an `@` in a password, characters that
/// a browser encodes, and dot segments written as `%2e`.
struct URLText {
  /// Lower case.
  let scheme: String
  /// What stands between `//` and the path; nil for a URL without one (`about:blank`).
  let authority: Authority?
  /// Encoded; dot segments are still in it, spelt with dots.
  let path: [UInt8]
  /// Encoded; empty for a bare `?`, nil without one.
  let query: [UInt8]?
  /// Encoded; empty for a bare `#`, nil without one.
  let fragment: [UInt8]?

  static let limit = 8_192

  /// User information, host, and port.
  struct Authority {
    /// Encoded, with the `@`; empty without one.
    let userInformation: [UInt8]
    /// As written; empty for `foo:///path`.
    let host: [UInt8]
    /// As written, with the colon; empty without one.
    let port: [UInt8]

    var isEmpty: Bool { userInformation.isEmpty && host.isEmpty && port.isEmpty }

    /// The last `@` ends the user information; libcurl would take the first. The first colon outside brackets ends the host.
    init(_ text: ArraySlice<UInt8>) {
      let at = text.lastIndex(of: UInt8(ascii: "@"))
      userInformation = at.map { PercentEncoding.userInformation.encode(text[..<$0]) + [text[$0]] } ?? []
      let rest = at.map { text[($0 + 1)...] } ?? text
      let bracket = rest.first == UInt8(ascii: "[") ? rest.firstIndex(of: UInt8(ascii: "]")) ?? rest.endIndex : rest.startIndex
      let colon = rest[bracket...].firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
      host = Array(rest[..<colon])
      port = Array(rest[colon...])
    }
  }

  /// The schemes whose URLs always have a host, and in which `\` is `/`. `file` is left out: it may do without a host.
  private static let defaultPorts = ["http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21]

  var needsHost: Bool { defaultPort != nil }
  var defaultPort: Int? { Self.defaultPorts[scheme] }

  var queryWithMark: [UInt8] { query.map { [UInt8(ascii: "?")] + $0 } ?? [] }
  var fragmentWithMark: [UInt8] { fragment.map { [UInt8(ascii: "#")] + $0 } ?? [] }

  init(_ text: String) throws(URLParsingError) {
    let bytes = try Self.cleaned(text)
    guard let colon = Self.endOfScheme(bytes) else { throw .noScheme }
    scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
    let isSpecial = Self.defaultPorts[scheme] != nil
    var rest = bytes[(colon + 1)...]
    fragment = Self.cut(&rest, at: "#").map(PercentEncoding.fragment.encode)
    query = Self.cut(&rest, at: "?").map((isSpecial ? PercentEncoding.specialQuery : .query).encode)
    if isSpecial {
      // Any number of slashes of either kind, none included, leads to the host.
      let slashed = rest.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
      rest = slashed.drop { $0 == UInt8(ascii: "/") }
    } else if rest.starts(with: "//".utf8) {
      rest = rest.dropFirst(2)
    } else {
      authority = nil
      path = Self.encodedPath(rest)
      return
    }
    let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
    authority = Authority(rest[..<slash])
    path = Self.encodedPath(rest[slash...])
  }

  /// Without the spaces and controls at both ends, and without tabs and line breaks (URL Standard, section 4.4).
  static func cleaned(_ text: String) throws(URLParsingError) -> [UInt8] {
    guard text.utf8.count <= limit else { throw .tooLong(limit: limit) }
    // A browser strips a NUL at the ends. One is refused here: it is a sign of a broken caller, and C would stop there.
    guard !text.utf8.contains(0) else { throw .containsControlCharacter }
    let trimmed = text.utf8.drop { $0 <= 0x20 }
    guard let last = trimmed.lastIndex(where: { $0 > 0x20 }) else { throw .empty }
    let kept = trimmed[...last].filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    guard !kept.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .containsControlCharacter }
    return kept
  }

  static func endOfScheme(_ bytes: [UInt8]) -> Int? {
    guard let first = bytes.first, first.isASCIILetter else { return nil }
    let end = bytes.firstIndex { byte in
      !byte.isASCIILetter && !byte.isASCIIDigit && !"+-.".utf8.contains(byte)
    }
    guard let end, bytes[end] == UInt8(ascii: ":") else { return nil }
    return end
  }

  /// Takes the first such character and all that follows it off the end, and gives what followed.
  private static func cut(_ rest: inout ArraySlice<UInt8>, at character: Unicode.Scalar) -> ArraySlice<UInt8>? {
    guard let position = rest.firstIndex(of: UInt8(ascii: character)) else { return nil }
    defer { rest = rest[..<position] }
    return rest[(position + 1)...]
  }

  /// A path that begins with no slash is opaque, and its segments mean nothing.
  private static func encodedPath(_ path: ArraySlice<UInt8>) -> [UInt8] {
    guard path.first == UInt8(ascii: "/") else { return PercentEncoding.opaquePath.encode(path) }
    let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return Array(segments.map { dotSegment($0) ?? PercentEncoding.path.encode($0) }.joined(separator: "/".utf8))
  }

  /// `.` and `..` for a segment that is one of them, with `%2e` counting as a dot; libcurl knows plain dots only.
  private static func dotSegment(_ segment: ArraySlice<UInt8>) -> [UInt8]? {
    guard (1...6).contains(segment.count) else { return nil }
    var rest = segment
    var dots: [UInt8] = []
    while let first = rest.popFirst() {
      if first == UInt8(ascii: "%"), rest.starts(with: "2e".utf8) || rest.starts(with: "2E".utf8) {
        rest = rest.dropFirst(2)
      } else if first != UInt8(ascii: ".") {
        return nil
      }
      dots.append(UInt8(ascii: "."))
    }
    return dots.count <= 2 ? dots : nil
  }
}

extension UInt8 {
  var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }
  var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
}

/// The characters that a browser percent-encodes in one part of a URL (URL Standard, section 1.3).
///
/// Controls do not come this far. A percent sign is never encoded: what was written encoded stays as it was written.
extension PercentEncoding {
  static let opaquePath = PercentEncoding(encoding: "")
  static let fragment = PercentEncoding(encoding: " \"<>`")
  static let query = PercentEncoding(encoding: " \"#<>")
  /// For http, https, ws, wss and ftp.
  static let specialQuery = PercentEncoding(encoding: " \"#<>'")
  static let path = PercentEncoding(encoding: " \"#<>?^`{}")
  /// The colon is missing from the standard's set: here user and password are one text, and the first colon parts them.
  static let userInformation = PercentEncoding(encoding: " \"#<>?`{}/;=@[\\]^|")
}
