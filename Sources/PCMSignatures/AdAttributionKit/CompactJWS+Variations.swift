internal import PCMCore

extension CompactJWS {
  /// What signers often sign instead of the text, and the text before another program wrote the header again.
  var variations: [Variation] { headers + parts + SignedText.encodings(of: Array(signingInput.utf8), named: "the text") }

  private var headers: [Variation] {
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

  private var parts: [Variation] {
    let texts = signingInput.split(separator: ".").map(String.init)
    let decoded = texts.compactMap { Base64URL.decodeUnpadded($0) }
    guard texts.count == 2, decoded.count == 2 else { return [] }
    let instruction = "Sign the header and the payload in Base64URL, with a period between them."
    let base64 = decoded.map { Base64.encode($0) }
    let standard = texts.map { $0.replacing("-", with: "+").replacing("_", with: "/") }
    return [
      Variation(Array(base64.joined(separator: ".").utf8), "The parts are signed in Base64 with padding.", instruction),
      Variation(Array(standard.joined(separator: ".").utf8), "The parts are signed in Base64.", instruction),
      Variation(Array(texts[1].utf8), "Only the payload is signed.", instruction),
      Variation(decoded[1], "Only the JSON of the payload is signed.", instruction),
      Variation(
        decoded[0] + [UInt8(ascii: ".")] + decoded[1], "The JSON of the header and the payload is signed.", instruction),
      Variation(Array(texts.joined().utf8), "The parts are signed without the period.", instruction),
    ]
  }
}
