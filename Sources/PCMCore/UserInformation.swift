extension String {
  /// The URL without user name and password, whether it is valid or not; other text unchanged. They are private, and no rule
  /// compares them.
  package var withoutUserInformation: String { replacingUserInformation(with: "") }

  /// Replaces the user information of a URL and the `@` after it. As in browsers, an http URL may have any number of slashes
  /// and backslashes after its scheme.
  fileprivate func replacingUserInformation(with substitute: String) -> String {
    let scalars = unicodeScalars
    guard scalars.contains("@"), let colon = scalars.firstIndex(of: ":") else { return self }
    let scheme = String(String.UnicodeScalarView(scalars[..<colon].filter { $0.value > 0x20 })).lowercased()
    let rest = scalars[scalars.index(after: colon)...]
    let start: Index
    if ["http", "https", "ws", "wss", "ftp"].contains(scheme) {
      start = rest.firstIndex { !$0.isSlash && $0.value > 0x20 } ?? endIndex
    } else {
      guard rest.starts(with: "//".unicodeScalars) else { return self }
      start = scalars.index(rest.startIndex, offsetBy: 2)
    }
    let end = scalars[start...].firstIndex { $0.isSlash || $0 == "?" || $0 == "#" } ?? endIndex
    guard let sign = scalars[start..<end].lastIndex(of: "@") else { return self }
    return String(self[..<start]) + substitute + String(self[scalars.index(after: sign)...])
  }
}

extension Unicode.Scalar {
  fileprivate var isSlash: Bool { self == "/" || self == "\\" }
}

extension JSON {
  /// The body of a request without the user information of its URLs, for journals and recordings.
  ///
  /// The target of a redirect has `removed@` instead: the rules reject a trigger URL with user information.
  package var withoutUserInformation: JSON {
    guard case .object(let members) = self else { return self }
    return .object(
      members.map { member in
        switch (member.name, member.value) {
        case ("redirect", let value): Member(member.name, value.withoutUserInformation)
        case ("to", .string(let text)): Member(member.name, .string(text.replacingUserInformation(with: "removed@")))
        case (let name, .string(let text)) where Self.urlMembers.contains(name):
          Member(name, .string(text.withoutUserInformation))
        default: member
        }
      })
  }

  private static let urlMembers: Set = [
    "pageURL", "firstPartyURL", "destinationURL", "openedURL", "landingURL", "href", "attributionDestination", "url", "from",
  ]
}
