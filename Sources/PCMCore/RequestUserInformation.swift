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
    Self.urlMembers.contains(member) ? withoutAnyUserInformation : withMarkedUserInformation
  }

  private static let urlMembers: Set = [
    "pageURL", "firstPartyURL", "destinationURL", "openedURL", "landingURL", "href", "attributionDestination", "from",
    "postbackURL", "reengagementURL",
  ]
}
