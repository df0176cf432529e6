/// The reason a file or text is not a key for signatures.
package enum KeyError: Error, Hashable, Sendable {
  case empty
  case tooLarge(limit: Int)
  /// Text that is neither PEM nor Base64.
  case notBase64
  case openSSHKey
  /// PEM text without a block, or with a block that has no end or invalid content.
  case malformedPEM
  /// A PEM block of another kind, such as `CERTIFICATE`.
  case wrongPEMLabel(String, expected: String)
  /// Not a JSON Web Key of an elliptic curve.
  ///
  /// - Parameter why: A clause.
  case malformedJWK(_ why: String)
  /// A JSON Web Key with `d`.
  case privateJWK
  /// A JSON Web Key Set where one key is expected.
  case severalKeys([String])
  /// Invalid DER, or DER of another structure.
  case notSubjectPublicKeyInfo
  /// Not the key of an elliptic curve.
  case wrongAlgorithm(objectIdentifier: String)
  /// A curve other than P-192 and P-256, or explicit curve parameters instead of a named curve.
  case wrongCurve(objectIdentifier: String?)
  case compressedPoint
  case pointNotOnCurve
  /// Not a private key in PKCS #8, or a key whose parts do not match.
  case notPrivateKey
  /// An OpenSSL function failed for a key that OpenSSL had accepted.
  case failedCall(String)

  /// A description for people: the error and the requirement.
  package var detail: String {
    switch self {
    case .empty: "The key is empty."
    case .tooLarge(let limit): "The key has more than \(limit) bytes; a key has about 100."
    case .notBase64:
      "The key is neither PEM, a JSON Web Key, nor Base64: Base64 has only letters, digits, +, /, and = at its end."
    case .openSSHKey: "The file is a public key of OpenSSH. Write it as PEM with `ssh-keygen -e -m PKCS8 -f FILE`."
    case .malformedPEM: "The PEM block has no end, or its content is not Base64."
    case .wrongPEMLabel("PRIVATE KEY", _), .wrongPEMLabel("EC PRIVATE KEY", "PUBLIC KEY"):
      "The file contains a private key. Write its public key with `openssl pkey -in FILE -pubout`."
    case .wrongPEMLabel("CERTIFICATE", "PUBLIC KEY"):
      "The PEM block is labeled CERTIFICATE; it must be labeled PUBLIC KEY. Write the certificate's key with "
        + "`openssl x509 -in FILE -noout -pubkey`."
    case .wrongPEMLabel("EC PUBLIC KEY", "PUBLIC KEY"), .wrongPEMLabel("RSA PUBLIC KEY", "PUBLIC KEY"):
      "The PEM block is not labeled PUBLIC KEY. Write the key with `openssl ec -in PRIVATE-KEY -pubout`."
    case .wrongPEMLabel("EC PRIVATE KEY", "PRIVATE KEY"):
      "The PEM block is labeled EC PRIVATE KEY; it must be labeled PRIVATE KEY. Write it with `openssl pkcs8 -topk8 -nocrypt -in FILE`."
    case .wrongPEMLabel(let label, let expected): "The PEM block is labeled \(label); it must be labeled \(expected)."
    case .malformedJWK(let why): "The file is not a JSON Web Key of an elliptic curve: \(why)."
    case .privateJWK: "The JSON Web Key is a private key. Remove its member d."
    case .severalKeys(let names):
      "The JSON Web Key Set has \(names.count) keys (\(names.prefix(8).joined(separator: ", "))). Write one to its own file."
    case .notSubjectPublicKeyInfo: "The key's bytes are not a SubjectPublicKeyInfo in DER."
    case .wrongAlgorithm(let identifier):
      "The key's algorithm is \(identifier); it must be id-ecPublicKey (1.2.840.10045.2.1), a key of an elliptic curve."
    case .wrongCurve(let identifier):
      "The key's curve is \(identifier.map(Self.curve) ?? "written as parameters"); it must be P-256 (1.2.840.10045.3.1.7) or, for postbacks "
        + "of SKAdNetwork 1.0 and 2.0, P-192 (1.2.840.10045.3.1.1)."
    case .compressedPoint:
      "The key's point is compressed. Write it uncompressed with `openssl ec -pubin -in FILE -conv_form uncompressed`."
    case .pointNotOnCurve: "The key's point is not on its curve."
    case .notPrivateKey: "The file is not a private key of P-192 or P-256 in PKCS #8, in PEM, without a password."
    case .failedCall(let call): "OpenSSL could not use the key: \(call) failed."
    }
  }

  /// The name of a curve with its object identifier; the identifier alone for an uncommon curve.
  private static func curve(_ identifier: String) -> String {
    let names = ["1.3.132.0.34": "P-384", "1.3.132.0.35": "P-521", "1.3.132.0.10": "secp256k1"]
    return names[identifier].map { "\($0) (\(identifier))" } ?? identifier
  }
}

/// The reason a postback or an impression cannot be signed.
package enum SigningError: Error, Hashable, Sendable {
  case wrongCurve(Curve, expected: Curve)
  case key(KeyError)
  /// Values that no device sends; empty when the version has no place for a value.
  case invalid([Fault])
  /// An ad network has one of Apple's key identifiers.
  case reservedKeyIdentifier(String)
  /// The identifier is not used in JSON Web Signatures.
  case unusedKeyIdentifier(String)

  /// A description for people.
  package var detail: String {
    switch self {
    case .wrongCurve(let curve, let expected): "The private key is on \(curve.rawValue); it must be on \(expected.rawValue)."
    case .key(let error): error.detail
    case .invalid(let faults):
      faults.isEmpty ? "The version has no member for one of the values." : faults.map(\.detail).joined(separator: " ")
    case .reservedKeyIdentifier(let identifier): "\"\(identifier)\" names a key of Apple."
    case .unusedKeyIdentifier(let identifier): "\"\(identifier)\" names no key of AdAttributionKit."
    }
  }
}
