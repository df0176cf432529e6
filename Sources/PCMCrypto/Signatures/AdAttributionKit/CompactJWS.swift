package import PCMCore

/// A JSON Web Signature in the compact serialization (RFC 7515, section 7.1), signed with ES256.
///
/// The signature covers the received text, so the JSON is not serialized again before verification: Apple writes `/` as `\/`.
package struct CompactJWS: Hashable, Sendable {
  /// The maximum size of the text in bytes.
  package static let sizeLimit = 65_536

  /// The identifier of the key, decoded.
  package let keyIdentifier: String
  package let header: JSON
  package let payload: JSON
  package let signature: ECDSASignature
  /// The header and the payload with the period between them, as received.
  package let signingInput: String

  package init(_ text: String) throws(JWSError) {
    guard text.utf8.count <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
    let parts = Array(text.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard parts.count == 3, !parts.contains("") else { throw .wrongPartCount(parts.count, empty: parts.count { $0.isEmpty }) }
    header = try Self.object(parts[0], .header)
    payload = try Self.object(parts[1], .payload)
    guard let algorithm = header["alg"] else { throw .missingAlgorithm }
    guard algorithm == "ES256" else { throw .wrongAlgorithm(algorithm.text) }
    guard header["crit"] == nil else { throw .criticalExtension }
    guard let keyIdentifier = header["kid"]?.string, !keyIdentifier.isEmpty else { throw .missingKeyIdentifier }
    guard let bytes = Base64URL.decodeUnpadded(parts[2]) else { throw .notBase64URL(.signature) }
    guard bytes.count == 64, let signature = ECDSASignature(raw: bytes) else {
      throw .wrongSignatureSize(bytes.count, isDER: ECDSASignature(der: bytes) != nil)
    }
    (self.keyIdentifier, self.signature) = (keyIdentifier, signature)
    signingInput = parts[0] + "." + parts[1]
  }

  private static func object(_ text: String, _ part: JWSError.Part) throws(JWSError) -> JSON {
    guard let bytes = Base64URL.decodeUnpadded(text) else { throw .notBase64URL(part) }
    guard let value = JSON(parsing: bytes, keepingNumbers: true), case .object = value else { throw .notAnObject(part) }
    return value
  }

  /// Returns whether a P-256 key verifies the signature of the received text.
  package func isSigned(by key: PublicKey) -> Bool {
    key.curve == .p256 && key.verifies(signature, over: Array(signingInput.utf8))
  }
}
