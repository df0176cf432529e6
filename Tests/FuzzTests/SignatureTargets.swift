import PCMCore
import PCMCrypto
import PCMVerify

extension FuzzTarget {
  /// Postbacks, impressions, and JSON Web Signatures, as the verifier reads them: the verdict does not depend on white space
  /// around the item, the members that are not signed decide nothing about the signature, and the verdict can be written.
  static let signedItem = FuzzTarget("signed-item") { bytes in
    let verifier = try required("Apple's keys are keys") { try SignatureVerifier(.apple) }
    let verdict = verifier.verdict(on: bytes)
    try checkEqual(JSON(parsing: verdict.json.bytes, keepingNumbers: true) != nil, true, "a verdict is JSON")
    try checkEqual(verdict.outcome == .valid, verdict.faults.isEmpty, "a verdict without faults is valid")
    try check(verdict.outcome != .valid || verdict.check == .verifies, "a valid item has a signature that verifies")
    try check(verdict.faults.allSatisfy { JSONPointer.names(of: $0.pointer) != nil }, "a fault has a pointer")
    try check(verdict.faults.count <= 32, "the number of faults is bounded")
    if verdict.framework != nil, !bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      try checkEqual(verifier.verdict(on: [0x20, 0x0A] + bytes + [0x0A]), verdict, "white space around an item")
    }
    if verdict.framework == .skadnetwork, case .object(let members)? = JSON(parsing: bytes, keepingNumbers: true),
      !members.contains(where: { $0.name == "x-forwarded-at" })
    {
      let more = verifier.verdict(on: JSON.object(members + [.init("x-forwarded-at", 1)]).bytes)
      try checkEqual(more.signedText, verdict.signedText, "the signed text with another member")
    }
    return verdict.signedText != nil
  }

  /// A compact JSON Web Signature: it is written as it was read, and only its text counts.
  static let jws = FuzzTarget("jws") { bytes in
    guard let text = text(bytes), let jws = try? CompactJWS(text) else { return false }
    guard let raw = jws.signature.raw(byteCount: 32) else { throw BrokenProperty("a signature has 64 bytes") }
    let written = jws.signingInput + "." + Base64URL.encode(raw)
    try checkEqual(written, text, "a JSON Web Signature")
    try check(text.split(separator: ".").count == 3, "it has three parts")
    try checkEqual(jws.header["alg"], "ES256", "the algorithm")
    try check(!jws.keyIdentifier.isEmpty, "it names its key")
    let again = try required("the same text") { try CompactJWS(written) }
    try checkEqual(again, jws, "a JSON Web Signature that is read again")
    return true
  }

  /// A file with a public key for signatures: DER is unique, and each form is the same key.
  static let publicKey = FuzzTarget("public-key") { bytes in
    guard let key = try? PublicKey(file: bytes) else { return false }
    let forms = [key.spki, Array(Base64.encode(key.spki).utf8)]
    for form in forms {
      let again = try required("a key in another form is a key") { try PublicKey(file: form) }
      try checkEqual(again.spki, key.spki, "a key in another form")
      try checkEqual(again.curve, key.curve, "the curve in another form")
    }
    try checkEqual(key.spki.count, key.curve == .p192 ? 75 : 91, "the size of a key")
    guard let zero = ECDSASignature(raw: [UInt8](repeating: 0, count: 64)) else {
      throw BrokenProperty("64 bytes are a signature")
    }
    try check(!key.verifies(zero, over: []), "zero is no signature")
    return true
  }
}
