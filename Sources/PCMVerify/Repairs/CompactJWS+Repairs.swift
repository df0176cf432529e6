internal import PCMCore
package import PCMCrypto

extension CompactJWS {
  private static let table: [TextRepair] = [
    .assignment, .quotationMarks, .escapes, .byteOrderMark, .scheme, .lineBreaks, .whiteSpace, .percentEncoding,
    .surroundings,
  ]

  /// Undoes known changes of a JSON Web Signature, such as quotation marks or standard base64, and returns the original; nil if no
  /// known change leads to a JSON Web Signature.
  ///
  /// - Parameter name: The name of the text in sentences.
  static func repaired(_ text: String, named name: String) -> (jws: CompactJWS, repairs: [Repair])? {
    for step in TextRepair.steps(from: text, table, of: name) {
      if let jws = try? CompactJWS(step.text) {
        return step.repairs.isEmpty ? nil : (jws, step.repairs)
      }
      let parts = step.text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 3, let (rewritten, repairs) = rewritten(parts, name), let jws = try? CompactJWS(rewritten) else {
        continue
      }
      return (jws, step.repairs + repairs)
    }
    return nil
  }

  /// Returns the description of an error, with the change that caused it.
  package static func explanation(of error: JWSError, in text: String) -> String {
    guard let (_, repairs) = repaired(text, named: "the JSON Web Signature") else { return error.detail }
    let findings = repairs.map(\.finding).joined(separator: ", and ")
    return "\(error.detail) \(findings.prefix(1).uppercased() + findings.dropFirst())."
  }

  /// Returns the parts in Base64URL, with a signature of 64 bytes.
  private static func rewritten(_ parts: [String], _ name: String) -> (text: String, repairs: [Repair])? {
    var repairs: [Repair] = []
    var rewritten = parts.map { part in
      part.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
    if rewritten != parts {
      repairs.append(
        Repair(
          finding: "\(name) has parts in Base64, with +, /, or =", change: "in Base64URL",
          instruction: "Encode each part in Base64URL: - for +, _ for /, and no = at the end."))
    }
    if let bytes = Base64URL.decodeUnpadded(rewritten[2]), let raw = ECDSASignature(der: bytes)?.raw(byteCount: 32) {
      rewritten[2] = Base64URL.encode(raw)
      repairs.append(
        Repair(
          finding: "\(name) has its signature in DER", change: "with the 64 bytes of r and s",
          instruction: "Write r and s with 32 bytes each, in Base64URL."))
    }
    return repairs.isEmpty ? nil : (rewritten.joined(separator: "."), repairs)
  }

  /// Returns the compact form of the JSON serialization (RFC 7515, section 7.2), flattened or general with a single
  /// signature.
  static func compact(_ members: [JSON.Member]) -> String? {
    let object = JSON.object(members)
    let signature = object["signatures"].map { $0.items.count == 1 ? $0.items[0] : .null } ?? object
    guard let payload = object["payload"]?.string, let header = signature["protected"]?.string,
      let text = signature["signature"]?.string
    else { return nil }
    return [header, payload, text].joined(separator: ".")
  }

  static let jsonSerialization = Repair(
    finding: "the JSON Web Signature is in the JSON serialization", change: "in the compact one",
    instruction: "Write protected, payload, and signature as one text, with periods between them.")
}

extension TextRepair {
  fileprivate static let assignment = TextRepair(
    finding: "is a token after a name, as in jws=", change: "without the name",
    instruction: "Pass the JSON Web Signature alone."
  ) { text in
    let parts = text.split(maxSplits: 1) { $0 == "=" || $0 == ":" }
    guard parts.count == 2, !parts[0].contains("."), parts[0].utf8.count <= 60 else { return nil }
    let token = String(parts[1]).trimmed
    return token.hasPrefix("eyJ") ? token : nil
  }

  fileprivate static let scheme = TextRepair(
    finding: "has a word before it", change: "without it", instruction: "Pass the JSON Web Signature alone."
  ) { text in
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, !parts[0].contains("."), parts[1].contains(".") else { return nil }
    return String(parts[1])
  }
}

extension CompactJWS {
  /// The wrong texts that may have been signed, and the text before another program serialized the header again.
  var mistakes: [Mistake] { headers + parts + Mistake.bytes }

  private var headers: [Mistake] {
    let parts = signingInput.split(separator: ".")
    guard keyIdentifier.contains("/"), parts.count == 2 else { return [] }
    let members = [JSON.Member("kid", .string(keyIdentifier)), .init("alg", "ES256")]
    return [members, members.reversed()].flatMap { members in
      [JSON.object(members).bytes(.escaped), JSON.object(members).bytes(.plain)]
    }.map { header in
      .bytes(
        "The signature verifies with another text of the same header.",
        "Verify the received text; do not write the header again."
      ) { _ in Array("\(Base64URL.encode(header)).\(parts[1])".utf8) }
    }
  }

  private var parts: [Mistake] {
    let texts = signingInput.split(separator: ".").map(String.init)
    let decoded = texts.compactMap { Base64URL.decodeUnpadded($0) }
    guard texts.count == 2, decoded.count == 2 else { return [] }
    let base64 = decoded.map { Base64.encode($0) }.joined(separator: ".")
    let standard = texts.map { $0.replacing("-", with: "+").replacing("_", with: "/") }.joined(separator: ".")
    let rows: [(String, [UInt8])] = [
      ("The parts are signed in Base64 with padding.", Array(base64.utf8)),
      ("The parts are signed in Base64.", Array(standard.utf8)),
      ("Only the payload is signed.", Array(texts[1].utf8)),
      ("Only the JSON of the payload is signed.", decoded[1]),
      ("The JSON of the header and the payload is signed.", decoded[0] + [UInt8(ascii: ".")] + decoded[1]),
      ("The parts are signed without the period.", Array(texts.joined().utf8)),
    ]
    return rows.map { finding, bytes in
      .bytes(finding, "Sign the header and the payload in Base64URL, with a period between them.") { _ in bytes }
    }
  }
}
