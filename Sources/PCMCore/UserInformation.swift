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
  /// What rules see of the user information: whether there is any, a control character, and a build setting.
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
