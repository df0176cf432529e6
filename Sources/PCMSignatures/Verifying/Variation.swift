/// A small change of what was verified, to explain a signature that does not verify.
struct Variation {
  let signedBytes: [UInt8]
  /// What to do if the signature verifies with the change.
  let fix: String

  init(_ text: SignedText, _ fix: String) {
    self.init(text.bytes, fix)
  }

  init(_ signedBytes: [UInt8], _ fix: String) {
    self.signedBytes = signedBytes
    self.fix = fix
  }
}
