extension String {
  /// The text with `removed@` instead of the user information of its URLs, so that rules that examine a trigger URL or the
  /// endpoint of an app decide the same.
  ///
  /// The text may be a URL, contain URLs, as in `blob:https://user@news.example`, or have them in the parameters of a query,
  /// where they may be percent-encoded.
  package var withMarkedUserInformation: String {
    let scalars = unicodeScalars
    guard scalars.contains(where: { $0 == "@" || $0 == "%" }) else { return self }
    let end = scalars.firstIndex(of: "#") ?? scalars.endIndex
    guard let mark = scalars[..<end].firstIndex(of: "?") else { return withMarkedURLs }
    let query = scalars[scalars.index(after: mark)..<end]
    let parameters = query.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "&" })
    return String(scalars[...mark]).withMarkedURLs + parameters.map { String($0).withMarkedParameter }.joined(separator: "&")
      + String(scalars[end...]).withMarkedURLs
  }

  /// The URL without user name and password, and with `removed@` in the URLs within it.
  package var withoutAnyUserInformation: String { withoutUserInformation.withMarkedUserInformation }

  /// The parameter of a query as written, or encoded again if the user information is in encoded text.
  private var withMarkedParameter: String {
    let marked = withMarkedURLs
    guard marked.utf8.contains(UInt8(ascii: "%")) else { return marked }
    let parts = marked.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    return parts.map { part in
      let decoded = PercentEncoding.decoded(part, plusIsSpace: true)
      let markedText = decoded.withMarkedURLs
      return markedText == decoded ? String(Substring(part)) : PercentEncoding.component.encode(markedText)
    }.joined(separator: "=")
  }

  /// The text with marks in the URL that it is and in those that begin within it.
  private var withMarkedURLs: String {
    let text = withMarkedOuterUserInformation
    let scalars = text.unicodeScalars
    var result = String.UnicodeScalarView()
    // The text before `copied` is in the result, and the URLs before `position` have been examined.
    var (copied, position) = (scalars.startIndex, scalars.startIndex)
    while let colon = scalars[position...].firstIndex(of: ":") {
      position = scalars.index(after: colon)
      guard let authority = scalars.embeddedAuthority(after: colon, from: copied), let last = authority.indices.last
      else { continue }
      if let sign = authority.lastIndex(of: "@") {
        result.append(contentsOf: scalars[copied..<authority.startIndex])
        result.append(contentsOf: scalars[authority.startIndex..<sign].mark.unicodeScalars)
        copied = sign
      }
      // A colon at the end may belong to the scheme of another URL.
      position = scalars[last] == ":" ? last : authority.endIndex
    }
    guard copied > scalars.startIndex else { return text }
    result.append(contentsOf: scalars[copied...])
    return String(result)
  }
}

extension String.UnicodeScalarView {
  /// The authority of a URL within other text; nil when the colon is not one after a scheme.
  ///
  /// - Parameter start: The earliest position of the scheme.
  fileprivate func embeddedAuthority(after colon: Index, from start: Index) -> SubSequence? {
    let before = self[start..<colon]
    let scheme = before.lastIndex { !$0.isOfScheme }.map { self[index(after: $0)..<colon] } ?? before
    guard let (first, endsAtBackslash) = startOfAuthority(after: colon, scheme: scheme) else { return nil }
    let end = self[first...].firstIndex { $0.endsAuthority(atBackslash: endsAtBackslash) || $0.isAfterEmbeddedURL } ?? endIndex
    return self[first..<end]
  }
}

extension Unicode.Scalar {
  var isOfScheme: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9", "+", "-", ".": true
    default: isLineSpace
    }
  }

  /// Whether the character ends a URL in a sentence or in markup.
  fileprivate var isAfterEmbeddedURL: Bool { self == " " || self == "\"" || self == "<" || self == ">" || isLineSpace }
}
