import PCMCore

/// The text of a URL, cleaned and split as in a browser, before the host is parsed.
///
/// libcurl follows RFC 3986, and browsers follow the URL Standard. This type resolves the differences, so that libcurl
/// receives unambiguous text: `\`, missing or surplus slashes, an `@` in a password, characters that browsers encode, and
/// dot segments written as `%2e`.
struct URLText {
  /// The scheme in lower case.
  let scheme: String
  /// The part between `//` and the path; nil for a URL without one (`about:blank`).
  let authority: Authority?
  /// The encoded path. Dot segments remain, written with dots.
  let path: [UInt8]
  /// The encoded query; empty for a bare `?`, nil without one.
  let query: [UInt8]?
  /// The encoded fragment; empty for a bare `#`, nil without one.
  let fragment: [UInt8]?

  static let limit = 8_192

  /// User information, host, and port.
  struct Authority {
    /// The encoded user information with the `@`; empty without one.
    let userInformation: [UInt8]
    /// The host as written; empty for `foo:///path`.
    let host: [UInt8]
    /// The port as written, with the colon; empty without one.
    let port: [UInt8]

    var isEmpty: Bool { userInformation.isEmpty && host.isEmpty && port.isEmpty }

    /// Splits at the last `@`, where libcurl uses the first. The first colon outside brackets ends the host.
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

  /// The schemes whose URLs always have a host, and in which `\` is `/`. `file` is not included: its host is optional.
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
      // Any number of slashes of either kind, including none, precedes the host.
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

  /// Removes spaces and controls at both ends, and tabs and line breaks (URL Standard, section 4.4).
  static func cleaned(_ text: String) throws(URLParsingError) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard bytes.count <= limit else { throw .tooLong(limit: limit) }
    // A browser strips NUL at the ends. Here, it is an error: it indicates a broken caller, and ends a C string.
    guard !bytes.contains(0) else { throw .containsControlCharacter }
    let trimmed = bytes.drop { $0 <= 0x20 }
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

  /// Removes the first such character and everything after it, and returns the text after it.
  private static func cut(_ rest: inout ArraySlice<UInt8>, at character: Unicode.Scalar) -> ArraySlice<UInt8>? {
    guard let position = rest.firstIndex(of: UInt8(ascii: character)) else { return nil }
    defer { rest = rest[..<position] }
    return rest[(position + 1)...]
  }

  /// A path without a leading slash is opaque, and its segments have no meaning.
  private static func encodedPath(_ path: ArraySlice<UInt8>) -> [UInt8] {
    guard path.first == UInt8(ascii: "/") else { return PercentEncoding.opaquePath.encode(path) }
    return path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst().reduce(into: []) {
      encoded, segment in
      encoded.append(UInt8(ascii: "/"))
      encoded += dotSegment(segment) ?? PercentEncoding.path.encode(segment)
    }
  }

  /// Returns `.` or `..` for a dot segment, in which `%2e` counts as a dot. libcurl only recognizes plain dots.
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
/// Control characters are rejected before. A percent sign is never encoded: encoded text stays as it is.
extension PercentEncoding {
  static let opaquePath = PercentEncoding(encoding: "")
  static let fragment = PercentEncoding(encoding: " \"<>`")
  static let query = PercentEncoding(encoding: " \"#<>")
  /// The query of http, https, ws, wss, and ftp.
  static let specialQuery = PercentEncoding(encoding: " \"#<>'")
  static let path = PercentEncoding(encoding: " \"#<>?^`{}")
  /// The standard's set without the colon, because user and password are one text here, separated by the first colon.
  static let userInformation = PercentEncoding(encoding: " \"#<>?`{}/;=@[\\]^|")
}
