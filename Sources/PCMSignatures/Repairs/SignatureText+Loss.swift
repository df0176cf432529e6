internal import PCMCore

extension SignatureText {
  /// Returns why the text of a signature is lost for good; nil if it can be read, or for an unknown reason.
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
