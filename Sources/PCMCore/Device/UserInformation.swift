extension JSON {
  /// The body of a request without the user information of its URLs, for journals.
  ///
  /// URLs that no rule examines for user information lose it. Other texts, such as the target of a redirect, have `removed@`
  /// instead.
  package var withoutUserInformation: JSON { withoutUserInformation(in: "") }

  private func withoutUserInformation(in member: String) -> JSON {
    switch self {
    case .string(let text): .string(text.withoutUserInformation(in: member))
    case .array(let items): .array(items.map { $0.withoutUserInformation(in: member) })
    case .object(let members): .object(members.map { Member($0.name, $0.value.withoutUserInformation(in: $0.name)) })
    case .null, .bool, .number, .verbatim: self
    }
  }
}

extension JSONBody {
  /// The body without the user information of its URLs. The browser decides about it, so that no reason and no rule repeats the
  /// user information, and a replay decides the same.
  package var withoutUserInformation: Self {
    var body = self
    for member in Self.definition.members { member.removeUserInformation?(&body) }
    return body
  }
}

extension String {
  /// The text of a member of a request without user information.
  func withoutUserInformation(in member: String) -> String {
    let isPlain = utf8.withContiguousStorageIfAvailable { !$0.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "%") } }
    if isPlain == true { return self }
    return Self.urlMembers.contains(member) ? withoutAnyUserInformation : withMarkedUserInformation
  }

  private static let urlMembers: Set = [
    "pageURL", "firstPartyURL", "destinationURL", "openedURL", "landingURL", "href", "attributionDestination", "from", "frame",
    "postbackURL", "reengagementURL",
  ]
}

extension String {
  /// The URL without user name and password; other text unchanged. They are private, and no rule compares them.
  ///
  /// The URL may be invalid, as in `https://user:password@no host`, or begin with its authority, as in `//user@news.example`.
  /// Text such as `user:password@news.example` is unchanged: it is a URL with the scheme `user`.
  package var withoutUserInformation: String { replacingUserInformation { _ in "" } }

  /// The URL with `removed@` instead of user name and password, without a change to the URLs within it.
  var withMarkedOuterUserInformation: String { replacingUserInformation { $0.mark + "@" } }

  /// Replaces the user information of a URL and the `@` after it. As in browsers, an http URL may have any number of slashes
  /// and backslashes after its scheme.
  private func replacingUserInformation(with substitute: (_ information: Substring.UnicodeScalarView) -> String) -> String {
    let scalars = unicodeScalars
    guard scalars.contains("@"), let (start, endsAtBackslash) = scalars.startOfAuthority else { return self }
    let end = scalars[start...].firstIndex { $0.endsAuthority(atBackslash: endsAtBackslash) } ?? endIndex
    guard let sign = scalars[start..<end].lastIndex(of: "@") else { return self }
    return String(self[..<start]) + substitute(scalars[start..<sign]) + String(self[scalars.index(after: sign)...])
  }
}

extension Substring.UnicodeScalarView {
  /// The properties of user information that rules read: whether there is any, a control character, and a build setting.
  var mark: String {
    let visible = filter { !$0.isLineSpace }
    guard !visible.isEmpty, !visible.elementsEqual([":"]) else { return "" }
    let buildSetting = String(self).hasBuildSetting ? "$()" : ""
    let control = visible.first { $0.value < 0x20 || $0.value == 0x7F }
    return "removed" + buildSetting + (control.map { String($0) } ?? "")
  }
}

extension String {
  /// Whether the string contains a build setting of Xcode, `$(NAME)` or `${NAME}`.
  package var hasBuildSetting: Bool { contains("$(") || contains("${") }
}

extension String.UnicodeScalarView {
  /// The position after the slashes before the host of a URL, and whether a backslash ends the authority, as in an http URL;
  /// nil for other text.
  fileprivate var startOfAuthority: (Index, endsAtBackslash: Bool)? {
    guard let first = firstIndex(where: { $0.value > 0x20 }) else { return nil }
    let slashes = self[first...].prefix { $0.isSlash || $0.isLineSpace }
    if slashes.filter(\.isSlash).count >= 2 { return (slashes.endIndex, true) }
    guard let colon = firstIndex(of: ":") else { return nil }
    return startOfAuthority(after: colon, scheme: self[..<colon])
  }

  /// The position before the host of a URL with a scheme.
  func startOfAuthority(after colon: Index, scheme: SubSequence) -> (Index, endsAtBackslash: Bool)? {
    let scheme = String(String.UnicodeScalarView(scheme.drop { $0.value <= 0x20 }.filter { !$0.isLineSpace })).lowercased()
    let rest = self[index(after: colon)...]
    if ["http", "https", "ws", "wss", "ftp"].contains(scheme) {
      return (rest.firstIndex { !$0.isSlash && !$0.isLineSpace } ?? endIndex, true)
    }
    guard scheme.unicodeScalars.allSatisfy(\.isOfScheme) else { return nil }
    let marks = rest.indices.lazy.filter { !self[$0].isLineSpace }.prefix(2)
    guard marks.count == 2, let last = marks.last, marks.allSatisfy({ self[$0] == "/" }) else { return nil }
    return (index(after: last), false)
  }
}

extension Unicode.Scalar {
  fileprivate var isSlash: Bool { self == "/" || self == "\\" }

  func endsAuthority(atBackslash: Bool) -> Bool {
    self == "/" || self == "?" || self == "#" || (self == "\\" && atBackslash)
  }

  /// Whether URL parsers ignore the character everywhere.
  var isLineSpace: Bool { self == "\t" || self == "\n" || self == "\r" }
}

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

  /// The text with marks in its URL and in the URLs that begin within it.
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
