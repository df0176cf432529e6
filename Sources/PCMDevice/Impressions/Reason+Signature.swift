internal import PCMCore
internal import PCMSignatures

/// The reason and the change for a signature that does not verify over a text of SKAdNetwork.
extension Reason {
  /// - Parameter text: The values with `|` between them.
  static func signatureInvalid(over text: String, _ remedy: SignatureRemedy?) -> Reason {
    let finding = remedy?.finding.map { ": \($0.asFragment)" } ?? ""
    let shown = text.asShown(upTo: ShownSize.signedText)
    return Reason("signature-invalid", "the signature does not verify over \(shown), where | stands for U+2063\(finding)")
  }
}

extension SignatureRemedy? {
  var change: String {
    self?.instruction.asFragment
      ?? "sign this text, with U+2063 for each |, with the private key that belongs to the registered key"
  }
}
