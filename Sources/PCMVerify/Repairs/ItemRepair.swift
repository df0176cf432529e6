internal import PCMCore
internal import PCMCrypto

/// Reads items that were encoded, escaped, quoted, or surrounded by other text in transport.
enum ItemRepair {
  private static let table: [TextRepair] = [
    .httpMessage, .form, .byteOrderMark, .quotationMarks, .escapes, .percentEncoding, .base64Item, .surroundingText,
  ]

  /// Returns the verdict on the item before the changes; nil if no repair makes it readable.
  ///
  /// - Parameter bytes: The item without surrounding white space.
  static func verdict(on bytes: [UInt8], by verifier: SignatureVerifier) -> SignatureVerdict? {
    guard bytes.count <= TextRepair.sizeLimit, let (text, encoding) = text(of: bytes) else { return nil }
    for step in TextRepair.steps(from: text.trimmed, table, of: "the item") {
      let repairs = encoding + step.repairs
      if repairs.isEmpty, let verdict = verdict(onJWS: step.text, by: verifier) { return verdict }
      guard !repairs.isEmpty, let verdict = verdict(onText: step.text, by: verifier) else { continue }
      let all = repairs.map(\.finding)
      let findings = all.indices.filter { all.firstIndex(of: all[$0]) == $0 }.map { all[$0] }.joined(separator: ", and ")
      return verdict.repaired(by: repairs, Fault("", findings.prefix(1).uppercased() + findings.dropFirst() + "."))
    }
    return nil
  }

  /// Returns the verdict on a JSON Web Signature, including a changed signature; nil for other texts.
  private static func verdict(onJWS text: String, by verifier: SignatureVerifier) -> SignatureVerdict? {
    guard text.utf8.count(where: { $0 == UInt8(ascii: ".") }) >= 2, !text.utf8.contains(UInt8(ascii: "{")) else { return nil }
    // A token in a request, or next to other parameters, is only a part of the item.
    guard HTTPText(text) == nil, FormText.parameters(of: text)?.count ?? 1 == 1 else { return nil }
    let verdict = verifier.verdict(onJWS: text, wrapper: nil)
    return verdict.signedText == nil ? nil : verdict
  }

  private static func verdict(onText text: String, by verifier: SignatureVerifier) -> SignatureVerdict? {
    if let verdict = verdict(onJWS: text, by: verifier) { return verdict }
    guard let value = JSON(parsing: Array(text.utf8), keepingNumbers: true) else { return nil }
    switch value {
    case .object, .array:
      return verifier.verdict(onValue: value)
        ?? ItemSearch.items(in: value).first(where: \.isItem).map { verifier.verdict(on: $0) }
    case .null, .bool, .number, .string, .verbatim: return nil
    }
  }

  /// Returns the text of UTF-8 or UTF-16 bytes.
  private static func text(of bytes: [UInt8]) -> (text: String, repairs: [Repair])? {
    let isLittle = bytes.starts(with: [0xFF, 0xFE]) || (bytes.count > 3 && bytes[1] == 0 && bytes[3] == 0 && bytes[0] != 0)
    let isBig = bytes.starts(with: [0xFE, 0xFF]) || (bytes.count > 3 && bytes[0] == 0 && bytes[2] == 0 && bytes[1] != 0)
    guard isLittle || isBig else { return String(validating: bytes, as: UTF8.self).map { ($0, []) } }
    let units = stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isLittle ? second << 8 | first : first << 8 | second
    }
    guard let text = String(validating: units.drop { $0 == 0xFEFF }, as: UTF16.self) else { return nil }
    return (text, [Repair(finding: "the item is in UTF-16", change: "in UTF-8", instruction: "Write it in UTF-8.")])
  }
}

extension TextRepair {
  static let httpMessage = TextRepair(
    finding: "is a request with its header lines", change: "without them", instruction: "Pass the body alone."
  ) { HTTPText($0)?.content }

  fileprivate static let form = TextRepair(
    finding: "is a form", change: "decoded,", instruction: "Send the JSON as the body."
  ) { text in
    guard let parameters = FormText.parameters(of: text) else { return nil }
    let isJWS: (FormQuery.Parameter) -> Bool = { $0.value.trimmed.hasPrefix("eyJ") }
    let members = parameters.map { JSON.Member(isJWS($0) ? "jws-string" : $0.name, .string($0.value)) }
    // Members next to a JSON Web Signature belong to the same postback.
    let isItem = parameters.count > 1 ? parameters.count(where: isJWS) < 2 : parameters.allSatisfy { !isJWS($0) }
    if isItem, ItemKind(members) != nil { return JSON.object(members).text }
    return parameters.first { ["{", "[", "eyJ"].contains(where: $0.value.trimmed.hasPrefix) }?.value
  }

  fileprivate static let base64Item = TextRepair(
    finding: "is Base64", change: "decoded,", instruction: "Decode it first."
  ) { text in
    let joined = text.filter { !$0.isWhitespace }
    guard let bytes = Base64.decode(joined) ?? Base64URL.decode(joined), bytes.count > 32 else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  fileprivate static let surroundingText = TextRepair(
    finding: "has other text around it", change: "without it", instruction: "Pass the JSON alone."
  ) { text in
    guard let start = text.firstIndex(of: "{"), let end = text.lastIndex(of: "}"), start < end else { return nil }
    let object = String(text[start...end])
    return object == text ? nil : object
  }
}
