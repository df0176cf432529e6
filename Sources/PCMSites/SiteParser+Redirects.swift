package import PCMCore

extension SiteParser {
  /// The absolute URL, as text, to which an answer of `base` redirects with this `Location`: resolved as the URL
  /// Standard does (section 4.4, from "scheme state" on), and with the fragment of `base` when it brings none (Fetch
  /// Standard, "location URL"; a bare `#` is a fragment).
  ///
  /// The text still has to be read with `url`, which finds whatever is wrong with it. It keeps what a normal form would
  /// not, user information above all, because the rules for triggers look at it.
  ///
  /// - Parameter base: an http or https URL.
  /// - Throws: `URLRefusal` when no URL can come of it.
  package func redirectTarget(of location: String, from base: WebURL) throws(URLRefusal) -> String {
    let target = String(text: try URLReference(location).resolved(against: base))
    guard !target.utf8.contains(UInt8(ascii: "#")), let mark = base.text.firstIndex(of: "#") else { return target }
    return target + base.text[mark...]
  }
}

/// A URL reference, absolute or relative, cleaned as a browser cleans one.
private struct URLReference {
  private let bytes: [UInt8]

  init(_ text: String) throws(URLRefusal) {
    bytes = try URLText.cleaned(text)
  }

  /// Only puts texts together: dot segments, backslashes and the rest are settled when the whole is read.
  func resolved(against base: WebURL) -> [UInt8] {
    guard let colon = URLText.endOfScheme(bytes) else { return Self.join(bytes[...], base) }
    let rest = bytes[(colon + 1)...]
    // A reference with the base's own scheme is a relative one unless two slashes follow: an old habit of the web.
    let isRelative =
      String(decoding: bytes[..<colon], as: UTF8.self).lowercased() == base.scheme && !rest.starts(with: "//".utf8)
    return isRelative ? Self.join(rest, base) : bytes
  }

  private static func join(_ reference: ArraySlice<UInt8>, _ base: WebURL) -> [UInt8] {
    let scheme = Array("\(base.scheme):".utf8)
    // A normal form has a path whenever it has a host.
    let whole = Array(base.text.utf8.prefix { $0 != UInt8(ascii: "#") })
    let start = whole[(scheme.count + 2)...].firstIndex(of: UInt8(ascii: "/")) ?? whole.endIndex
    let (origin, pathAndQuery) = (whole[..<start], whole[start...])
    let path = pathAndQuery.prefix { $0 != UInt8(ascii: "?") }
    switch reference.first {
    case nil, UInt8(ascii: "#"): return whole + Array(reference)
    case UInt8(ascii: "?"): return Array(origin + path + reference)
    case let first? where isSlash(first):
      return reference.dropFirst().first.map(isSlash) == true ? scheme + Array(reference) : Array(origin + reference)
    default:
      let folder = path.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? []
      return Array(origin + folder + reference)
    }
  }

  private static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
}
