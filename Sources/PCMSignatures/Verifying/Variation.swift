/// A small change of what was verified, to explain a signature that does not verify.
struct Variation {
  let signedBytes: [UInt8]
  /// What to do if the signature verifies with the change.
  let remedy: SignatureRemedy

  init(_ text: SignedText, _ finding: String, _ instruction: String) {
    self.init(text.bytes, finding, instruction)
  }

  init(_ signedBytes: [UInt8], _ finding: String, _ instruction: String) {
    self.signedBytes = signedBytes
    remedy = SignatureRemedy(finding: finding, instruction: instruction)
  }
}
