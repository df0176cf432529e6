internal import PCMCore

extension CompactJWS {
  /// The signed text before another program wrote the header again.
  var variations: [Variation] {
    let parts = signingInput.split(separator: ".")
    guard keyIdentifier.contains("/"), parts.count == 2 else { return [] }
    let members = [JSON.Member("kid", .string(keyIdentifier)), .init("alg", "ES256")]
    return [members, members.reversed()].flatMap { members in
      [JSON.object(members).bytes(.escaped), JSON.object(members).bytes(.plain)]
    }.map { header in
      Variation(
        Array("\(Base64URL.encode(header)).\(parts[1])".utf8),
        "The signature verifies with another text of the same header.",
        "Verify the received text; do not write the header again.")
    }
  }
}
