internal import PCMCore

/// What a JSON object is, by the names of its members in any spelling.
enum ItemKind {
  /// An AdAttributionKit postback.
  ///
  /// - Parameter name: The name of the member with the JSON Web Signature.
  case wrapper(name: String)
  /// A JSON Web Signature in the JSON serialization.
  ///
  /// - Parameter text: The compact serialization.
  case jsonSerialization(text: String)
  /// A postback of SKAdNetwork.
  case postback
  /// An impression of SKAdNetwork.
  case impression

  /// Nil for any other object.
  init?(_ members: [JSON.Member]) {
    let jws = members.first { $0.name == "jws-string" } ?? members.first { MemberNames.plain($0.name) == "jwsstring" }
    if let jws {
      self = .wrapper(name: jws.name)
    } else if MemberNames.arePostback(members) {
      self = .postback
    } else if let text = CompactJWS.compact(members) {
      self = .jsonSerialization(text: text)
    } else if MemberNames.areImpression(members) {
      self = .impression
    } else {
      return nil
    }
  }
}
