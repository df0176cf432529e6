internal import PCMCore
internal import SwiftASN1

extension PublicKey {
  /// The limit for the bytes of a file with a key.
  package static let fileLimit = 16_384

  /// Reads a file with a SubjectPublicKeyInfo as PEM, as Base64, or as its DER bytes.
  package init(file bytes: [UInt8]) throws(KeyError) {
    guard bytes.count <= Self.fileLimit else { throw .tooLarge(limit: Self.fileLimit) }
    let text = String(validating: bytes, as: UTF8.self).map { $0.filter { !$0.isWhitespace } }
    guard text?.isEmpty != true else { throw .empty }
    if let text, text.contains("-----BEGIN") {
      try self.init(spki: PEMBlock.content(of: String(decoding: bytes, as: UTF8.self), label: "PUBLIC KEY"))
    } else if let text, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) {
      try self.init(base64: text)
    } else {
      try self.init(spki: bytes)
    }
  }
}

/// A block of PEM text (RFC 7468).
enum PEMBlock {
  /// Returns the content of the only block.
  static func content(of text: String, label: String) throws(KeyError) -> [UInt8] {
    guard let document = try? PEMDocument(pemString: text) else { throw .malformedPEM }
    guard document.discriminator == label else { throw .wrongPEMLabel(document.discriminator, expected: label) }
    return document.derBytes
  }
}
