internal import PCMCore
internal import PCMCrypto

/// The possible texts of a signature before a change.
enum SignatureText {
  struct Candidate {
    let signature: ECDSASignature
    let repairs: [Repair]
  }

  private static let table: [TextRepair] = [
    .plusAsSpace, .lineBreaks, .whiteSpace, .percentEncoding, .base64URL, .padding, .quotationMarks, .escapes, .base64,
    .surroundings,
  ]

  /// Returns the possible signatures of a value, the most likely first.
  ///
  /// - Parameter name: The name of the member.
  static func candidates(of value: JSON?, name: String) -> [Candidate] {
    guard let value, let (text, repairs) = text(of: value, name), text.utf8.count <= sizeLimit else { return [] }
    var candidates: [Candidate] = []
    for step in TextRepair.steps(from: text, table, of: name) {
      for reading in readings(of: step.text, name) {
        candidates.append(Candidate(signature: reading.signature, repairs: repairs + step.repairs + reading.repairs))
      }
    }
    return candidates
  }

  private static let sizeLimit = 4_096

  /// Returns the text of a value, or of bytes that a serializer wrote as numbers.
  private static func text(of value: JSON, _ name: String) -> (text: String, repairs: [Repair])? {
    if let text = value.string { return (text, []) }
    let items = value["data"]?.items ?? value.items
    let bytes = items.compactMap { $0.integer.flatMap(UInt8.init(exactly:)) }
    guard !bytes.isEmpty, bytes.count == items.count else { return nil }
    let repair = Repair(
      finding: "\(name) is an array of bytes", change: "as Base64", instruction: "Write \(name) as Base64 text.")
    return (Base64.encode(bytes), [repair])
  }

  private static func readings(of text: String, _ name: String) -> [Candidate] {
    guard let bytes = Base64.decode(text) else { return [] }
    if let signature = ECDSASignature(der: bytes) { return [Candidate(signature: signature, repairs: [])] }
    guard bytes.count == 64 || bytes.count == 48, let signature = ECDSASignature(raw: bytes) else { return [] }
    let repair = Repair(
      finding: "\(name) has r and s without DER", change: "in DER",
      instruction: "Encode the signature in DER; some libraries call the other form IEEE P1363 or raw.")
    return [Candidate(signature: signature, repairs: [repair])]
  }
}

extension TextRepair {
  fileprivate static let base64 = TextRepair(
    finding: "is encoded in Base64 twice", change: "encoded once,", instruction: "Encode the bytes in Base64 once."
  ) { text in
    guard let bytes = Base64.decode(text), let inner = String(validating: bytes, as: UTF8.self), inner.utf8.count >= 32,
      inner.unicodeScalars.allSatisfy({ $0.isASCII && $0.value >= 0x20 })
    else { return nil }
    return inner
  }
}

extension SignatureText {
  /// Returns the reason a signature's text is lost permanently; nil if it is readable, or if the reason is unknown.
  static func loss(of value: JSON?, name: String) -> SignatureRemedy? {
    guard let text = value?.string?.trimmed, text.utf8.count >= 16 else { return nil }
    let letters = text.filter(\.isLetter)
    if letters.count >= 32, letters == letters.lowercased() || letters == letters.uppercased() {
      return SignatureRemedy(
        finding: "\(name) has letters of one case only: another program changed the case.",
        instruction: "Keep the case of Base64; this signature cannot be restored.")
    }
    guard text.hasPrefix("ME") || text.hasPrefix("MD"), let bytes = Base64.decode(String(text.prefix(text.utf8.count / 4 * 4))),
      bytes.count > 2, bytes[0] == 0x30, bytes[1] < 0x80, bytes.count < Int(bytes[1]) + 2
    else { return nil }
    return SignatureRemedy(
      finding: "\(name) is cut off: it announces \(Int(bytes[1]) + 2) bytes and has \(bytes.count).",
      instruction: "Keep the entire text, for example in a longer column.")
  }
}
