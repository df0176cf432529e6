extension String {
  /// The URL without user name and password; other text unchanged. They are private, and no rule compares them.
  ///
  /// The URL may be invalid, as in `https://user:password@no host`, or begin with its authority, as in `//user@news.example`.
  /// Text such as `user:password@news.example` is unchanged: it is a URL with the scheme `user`.
  package var withoutUserInformation: String { replacingUserInformation { _ in "" } }

  /// The URL with `removed@` instead of user name and password, so that rules that examine a trigger URL or the endpoint of an
  /// app decide the same.
  package var withMarkedUserInformation: String { replacingUserInformation { $0.mark + "@" } }

  /// Replaces the user information of a URL and the `@` after it. As in browsers, an http URL may have any number of slashes
  /// and backslashes after its scheme.
  private func replacingUserInformation(with substitute: (_ information: Substring.UnicodeScalarView) -> String) -> String {
    let scalars = unicodeScalars
    guard scalars.contains("@"), let (start, endsAtBackslash) = scalars.startOfAuthority else { return self }
    let end = scalars[start...].firstIndex { "/?#".unicodeScalars.contains($0) || ($0 == "\\" && endsAtBackslash) } ?? endIndex
    guard let sign = scalars[start..<end].lastIndex(of: "@") else { return self }
    return String(self[..<start]) + substitute(scalars[start..<sign]) + String(self[scalars.index(after: sign)...])
  }
}

extension Substring.UnicodeScalarView {
  /// What rules see of the user information: whether there is any, a control character, and a build setting.
  fileprivate var mark: String {
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
    let scheme = String(String.UnicodeScalarView(self[..<colon].filter { $0.value > 0x20 })).lowercased()
    let rest = self[index(after: colon)...]
    if ["http", "https", "ws", "wss", "ftp"].contains(scheme) {
      return (rest.firstIndex { !$0.isSlash && !$0.isLineSpace } ?? endIndex, true)
    }
    let marks = rest.indices.lazy.filter { !self[$0].isLineSpace }.prefix(2)
    guard marks.count == 2, let last = marks.last, marks.allSatisfy({ self[$0] == "/" }) else { return nil }
    return (index(after: last), false)
  }
}

extension Unicode.Scalar {
  fileprivate var isSlash: Bool { self == "/" || self == "\\" }

  /// Whether URL parsers ignore the character everywhere.
  fileprivate var isLineSpace: Bool { self == "\t" || self == "\n" || self == "\r" }
}

extension JSON {
  /// The body of a request without the user information of its URLs, for journals and recordings.
  ///
  /// The target of a redirect and the endpoints of an app have `removed@` instead, which the rules see.
  package var withoutUserInformation: JSON {
    guard case .object(let members) = self else { return self }
    return .object(
      members.map { member in
        switch (member.name, member.value) {
        case ("redirect", let value), ("infoPlist", let value): Member(member.name, value.withoutUserInformation)
        case (let name, .string(let text)) where Self.markedMembers.contains(name):
          Member(name, .string(text.withMarkedUserInformation))
        case (let name, .string(let text)) where Self.urlMembers.contains(name):
          Member(name, .string(text.withoutUserInformation))
        default: member
        }
      })
  }

  private static let urlMembers: Set = [
    "pageURL", "firstPartyURL", "destinationURL", "openedURL", "landingURL", "href", "attributionDestination", "url", "from",
    "postbackURL", "reengagementURL",
  ]
  private static let markedMembers: Set = [
    "to", "reportEndpoint", "NSAdvertisingAttributionReportEndpoint", "AttributionCopyEndpoint",
  ]
}
